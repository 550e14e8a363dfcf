"""What compose makes of deploy/compose.yaml: its services with the variables of an `.env` in place."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
VARIABLE = re.compile(r"\$\{(\w+)(?:(:[-?])([^{}]*))?\}")


def services(given: Mapping[str, str]) -> dict[str, Any]:
    """Every service by name. Raises KeyError for a variable that must be set and is not."""

    def put(found: re.Match[str]) -> str:
        name, how, words = found.groups()
        if name in given:
            return given[name]
        if how == ":-":
            return str(words)
        raise KeyError(name)

    text = (DEPLOY / "compose.yaml").read_text()
    while VARIABLE.search(text):  # the innermost first: a default may name variables
        text = VARIABLE.sub(put, text)
    made: dict[str, Any] = yaml.safe_load(text)["services"]
    for service in made.values():  # compose interpolates after it has parsed: what is empty is an empty text
        environment = service.get("environment")
        if isinstance(environment, dict):
            environment.update({name: "" for name, value in environment.items() if value is None})
    return made
