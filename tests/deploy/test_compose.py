"""deploy/compose.yaml describes the platform that the embedded profile runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pathspec import PathSpec

from config.settings import LOGGING
from embedded.environment import settings_environment
from embedded.layout import Ports, Secrets

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return document


def test_every_platform_process_gets_the_settings_that_the_embedded_one_gets(compose: dict[str, Any]) -> None:
    embedded = settings_environment(
        root=Path("/"), var=Path("/"), ports=Ports(1, 2, 3), secrets=Secrets("a", "b", "c", "d")
    )
    from_image = set(re.findall(r"\b([A-Z_]+)=", (DEPLOY / "Dockerfile").read_text()))
    for name in ("prepare", "web", "worker-compute", "worker-light", "worker-clock", "beat"):
        assert set(embedded) <= set(compose["services"][name]["environment"]) | from_image


NOT_PASSED = {
    "MOTHERLODE_URL": "the client's", "MOTHERLODE_TOKEN": "the client's", "MOTHERLODE_STORE_FD": "set by a worker",
}  # fmt: skip


def test_every_setting_that_the_reference_names_reaches_the_processes(compose: dict[str, Any]) -> None:
    page = (DEPLOY.parent / "docs" / "reference.md").read_text()
    table = page[page.index("## Settings") : page.index("## Requests")]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    from_image = set(re.findall(r"\b([A-Z_]+)=", (DEPLOY / "Dockerfile").read_text()))
    services = compose["services"]
    web = set(services["web"]["environment"]) | from_image
    assert named - web - NOT_PASSED.keys() - {"GRANIAN_METRICS_PORT"} == set()
    of_web_alone = web - set(services["beat"]["environment"]) - from_image
    for name in ("prepare", "worker-compute", "worker-light"):
        assert named - set(services[name]["environment"]) - from_image - NOT_PASSED.keys() <= of_web_alone | {
            "GRANIAN_METRICS_PORT"
        }
    empty = {name for name, value in services["web"]["environment"].items() if value is not None and value == ""}
    assert not empty, "an empty number is no default: leave the value out"


def test_every_service_is_bounded_looked_after_and_given_time_to_stop(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["deploy"]["resources"]["limits"].keys() == {"memory", "cpus"}, name
        assert "healthcheck" in service, name
        assert name == "prepare" or service["stop_grace_period"]
    for name in ("worker-compute", "worker-light", "beat"):
        argv = compose["services"][name]["command"]
        asked = compose["services"][name]["healthcheck"]["test"]
        own = "beat" if name == "beat" else argv[argv.index("-n") + 1].partition("@")[0]
        assert asked[1:5] == ["python", "-m", "core.alive", own]


def test_every_dependency_and_volume_that_is_named_exists(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        assert {volume.split(":")[0] for volume in service.get("volumes", ())} <= set(compose["volumes"])
        assert {config["source"] for config in service.get("configs", ())} <= set(compose["configs"])
        assert set(service.get("secrets", ())) <= set(compose["secrets"])


def test_no_secret_has_a_default_and_the_example_names_each(compose: dict[str, Any]) -> None:
    required = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))
    example = dict(line.split("=", 1) for line in (DEPLOY / "example.env").read_text().splitlines() if "=" in line)
    assert required == set(example)
    assert not any(example.values())


def test_the_proxy_alone_is_reached_from_outside(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]


def test_every_process_writes_json_and_the_web_server_too(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for name in ("web", "worker-compute", "worker-light", "worker-clock", "beat"):
        assert services[name]["environment"]["MOTHERLODE_LOG_FORMAT"] == "json"
        assert name == "web" or "--quiet" in services[name]["command"]  # celery's banner is not JSON
    given = json.loads((DEPLOY.parent / services["web"]["environment"]["GRANIAN_LOG_CONFIG"]).read_text())
    assert given["formatters"]["json"] == LOGGING["formatters"]["json"]
    assert given["loggers"]["_granian"]["handlers"] == list(given["handlers"])


@pytest.mark.parametrize("kept_out", ["deploy/.env", "deploy/tls/key.pem", ".git/config", "var/secrets.json"])
def test_no_secret_gets_into_the_image(kept_out: str) -> None:
    ignored = PathSpec.from_lines("gitignore", (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines())
    assert ignored.match_file(kept_out)
    assert not ignored.match_file("deploy/example.env")
