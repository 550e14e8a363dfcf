"""What `kubectl kustomize` makes of deploy/kubernetes: the resources of a folder and of those it names, with patches
merged into them. What else a kustomization may say is refused."""

from pathlib import Path
from typing import Any

import yaml

KUBERNETES = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"


def made_of(folder: str) -> list[dict[str, Any]]:
    """All objects of a folder, with their namespace. Raises ValueError for a kustomization that says more."""
    return _made_of(KUBERNETES / folder)


def objects(folder: str, kind: str) -> dict[str, dict[str, Any]]:
    """Those of a kind, by name."""
    return {one["metadata"]["name"]: one for one in made_of(folder) if one["kind"] == kind}


def read_all(path: Path) -> list[dict[str, Any]]:
    """The documents of a file."""
    return list(yaml.safe_load_all(path.read_text()))


def _made_of(folder: Path) -> list[dict[str, Any]]:
    (said,) = read_all(folder / "kustomization.yaml")
    if unknown := said.keys() - {"apiVersion", "kind", "namespace", "resources", "patches"}:
        raise ValueError(f"{folder}: {unknown}")
    found: list[dict[str, Any]] = []
    for name in said["resources"]:
        place = (folder / name).resolve()
        found += _made_of(place) if place.is_dir() else read_all(place)
    for one in found:
        if "namespace" in said and one["kind"] != "Namespace":
            one["metadata"]["namespace"] = said["namespace"]
    for patch in said.get("patches", ()):
        (change,) = read_all(folder / patch["path"])
        (patched,) = [one for one in found if _name(one) == _name(change)]
        _merge(patched, change)
    return found


def _name(one: dict[str, Any]) -> tuple[str, str]:
    return one["kind"], one["metadata"]["name"]


def _merge(into: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
