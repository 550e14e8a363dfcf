"""Alert rules: they ask for metrics that there are, say what to do, and are raised when they should be."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from tests.datasets.conftest import blob_of, dataset  # noqa: F401 - fixtures
from tests.datasets.labeling.conftest import pool  # noqa: F401 - as above
from tests.deploy.kustomized import objects
from tests.deploy.test_dashboard import ONLY_ON_POSTGRES, OURS, labels_of
from tests.platform.config.conftest import begun_job, everything_counted, mined, model, scrape  # noqa: F401 - as above

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "alerts.yaml"
FOREIGN = {"up", "granian_blocking_queue"}  # Prometheus' own, and the web server's


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


@pytest.mark.both
@pytest.mark.django_db
def test_each_rule_asks_for_names_and_labels_of_a_real_scrape(
    client: Client, scrape: Any, everything_counted: None, mined: None, begun_job: Any  # noqa: F811 - fixtures
) -> None:  # fmt: skip
    figures = scrape()
    for rule in rules():
        for name in OURS.findall(rule["expr"]):
            if name in ONLY_ON_POSTGRES and name not in figures:
                continue
            assert name in figures, f"{name} of {rule['alert']} is not in a scrape"
            known = {label for labels in figures[name] for label, _ in labels}
            asked = labels_of(rule["expr"]) - {"job", "le"}
            assert asked <= known or not figures[name], f"{rule['alert']} asks {name} for labels that it does not have"


def test_each_rule_has_words_a_severity_and_a_line_of_what_to_do() -> None:
    page = (ROOT / "docs" / "howto" / "observing.md").read_text()
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))
    for rule in rules():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
        assert re.search(rf"^\| `{rule['alert']}` \| .+ \|$", page, re.MULTILINE), rule["alert"]
    assert set(re.findall(r"^\| `(Motherlode\w+)` ", page, re.MULTILINE)) == set(names)


def test_the_prometheus_operator_is_given_the_same_rules() -> None:
    (given,) = objects("monitoring", "PrometheusRule").values()
    assert given["spec"] == yaml.safe_load(RULES.read_text()), "copy deploy/alerts.yaml into monitoring/rules.yaml"


def test_each_rule_is_tried_and_raised_by_promtools_test() -> None:
    tried = (ROOT / "tests" / "deploy" / "alerts_test.yaml").read_text()
    assert {rule["alert"] for rule in rules()} == set(re.findall(r'alertname="(\w+)"', tried))


def test_promtool_finds_each_alert_raised_when_it_should_be() -> None:
    if (promtool := shutil.which("promtool")) is None:
        pytest.skip("the alert rules were not evaluated: that needs promtool (Debian: apt-get install prometheus)")
    tried = ROOT / "tests" / "deploy" / "alerts_test.yaml"
    for argv in (["check", "rules", str(RULES)], ["test", "rules", str(tried)]):
        done = subprocess.run([promtool, *argv], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
