"""What deploy/ runs, for a machine without containers: compose's services, the image's command, the proxy's file."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from embedded.layout import project_root
from embedded.ports import HOST

DEPLOY = project_root() / "deploy"
NAME = "localhost"
"""What the platform is called outside; inside everything goes by an address."""
VARIABLE = re.compile(r"\$\{(\w+)(?:(:[-?])([^{}]*))?\}")


def services(given: Mapping[str, str]) -> dict[str, Any]:
    """Every service of compose.yaml by name, with the variables of an `.env` in place. Raises KeyError for a variable
    that must be set and is not."""

    def put(found: re.Match[str]) -> str:
        name, how, words = found.groups()
        if name in given:
            return given[name]
        if how == ":-":
            return str(words)
        raise KeyError(name)

    text = (DEPLOY / "compose.yaml").read_text()
    passed = {name: _passed_on(one) for name, one in yaml.safe_load(text)["services"].items()}
    while VARIABLE.search(text):  # the innermost first: a default may name variables
        text = VARIABLE.sub(put, text)
    made: dict[str, Any] = yaml.safe_load(text)["services"]
    for service, names in passed.items():  # as compose does: a name without a value is passed on, where it is set
        own = made[service].get("environment", {})
        kept = {name: value for name, value in own.items() if name not in names}  # a copy: services may share one
        made[service]["environment"] = kept | {name: given[name] for name in names if name in given}
    return made


def _passed_on(service: Mapping[str, Any]) -> set[str]:
    return {name for name, value in service.get("environment", {}).items() if value is None}


def required() -> set[str]:
    """The variables that an `.env` must set."""
    return set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))


def program(name: str) -> str:
    """A console program of this virtual environment, where the image has it on PATH."""
    return str(Path(sys.executable).with_name(name))


def web_command(port: int) -> list[str]:
    """The image's own command, on a port of this machine."""
    command: list[str] = json.loads(re.sub(r"\\\n", "", (DEPLOY / "Dockerfile").read_text().split("\nCMD ")[1]))
    command[0] = program(command[0])
    for option, ours in (("--host", HOST), ("--port", str(port))):
        command[command.index(option) + 1] = ours
    return command


@dataclass(frozen=True, slots=True)
class Places:
    """Ports of the proxy, the port or address of what is behind it, and who resolves the web's `name`, where it has
    one."""

    plain: int
    tls: int
    store_tls: int
    web: int
    store: str
    name: str = HOST
    resolver: str = "127.0.0.11"


def proxy_command(nginx: str, folder: Path, places: Places) -> list[str]:
    """How to run nginx with deploy/nginx.conf and a certificate, both written into `folder`, at these places."""
    moved = {
        "listen 80;": f"listen {HOST}:{places.plain};",
        "listen 443 ssl;": f"listen {places.tls} ssl;",
        "listen 8333 ssl;": f"listen {places.store_tls} ssl;",
        "web:8000": f"{places.name}:{places.web}",
        "resolver 127.0.0.11 ": f"resolver {places.resolver} ",
        "object-store:8333": places.store,
        "/run/secrets/": f"{folder}/",
        "/var/cache/nginx/": f"{folder}/",
    }
    config = (DEPLOY / "nginx.conf").read_text()
    for theirs, ours in moved.items():
        if theirs not in config:
            raise ValueError(f"deploy/nginx.conf has no {theirs!r} any more")
        config = config.replace(theirs, ours)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy"))
    (folder / "nginx.conf").write_text(config.replace("http {\n", f"http {{\n{temporary}"))
    _write_certificate(folder)
    own = "user root;" if os.geteuid() == 0 else ""  # who may get into this folder, and keeps files there
    return [nginx, "-p", str(folder), "-c", "nginx.conf", "-g", f"daemon off; pid {folder}/nginx.pid; {own}"]


def certificate(folder: Path) -> Path:
    """What clients of the proxy must trust."""
    return folder / "tls_certificate"


def _write_certificate(folder: Path) -> None:
    """A self-signed one for the outside name, where nginx.conf looks for it."""
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    argv += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "tls_key", "-out", "tls_certificate"]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True)
