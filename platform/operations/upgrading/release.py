"""The last release: its version, its commit, and the newest migration of each app in it."""

import json
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration

from embedded.layout import project_root

RECORD = Path(__file__).with_name("last_release.json")


@dataclass(frozen=True, slots=True)
class Release:
    """A release; `migrations` names the newest migration of each app that it has."""

    version: str
    commit: str
    migrations: dict[str, str]

    @property
    def leaves(self) -> list[tuple[str, str]]:
        """Return the newest migrations as nodes of the migration graph."""
        return sorted(self.migrations.items())


def last_release() -> Release:
    """Read the record of the last release."""
    return Release(**json.loads(RECORD.read_text(encoding="utf-8")))


def newer_migrations(loader: MigrationLoader, release: Release) -> list[Migration]:
    """Return the platform's own migrations that the release doesn't have, in the order in which they are applied."""
    known = {node for leaf in release.leaves for node in loader.graph.forwards_plan(leaf)}
    ours = own_apps()
    plan: dict[tuple[str, str], None] = {}
    for leaf in sorted(loader.graph.leaf_nodes()):
        plan |= dict.fromkeys(loader.graph.forwards_plan(leaf))
    return [loader.graph.nodes[node] for node in plan if node not in known and node[0] in ours]


def own_apps() -> set[str]:
    """Return the labels of the apps in this checkout."""
    root, installed = project_root(), Path(".venv")
    paths = {config.label: Path(config.path) for config in apps.get_app_configs()}
    return {
        label
        for label, path in paths.items()
        if path.is_relative_to(root) and not path.is_relative_to(root / installed)
    }
