"""`manage.py migration_rules`: check that the last release works on the tables of this code. Part of `make check`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.migrations.loader import MigrationLoader

from operations.upgrading.release import last_release, newer_migrations
from operations.upgrading.rules import faults


class Command(BaseCommand):
    help = "Check that the last release works on the tables that this code's migrations make. Needs no database."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        loader, release = MigrationLoader(None), last_release()
        if found := faults(loader, release):
            raise CommandError("\n".join([f"{release.version} would not work on the new tables:", *found]))
        self.stdout.write(
            f"{release.version} works on the tables of {len(newer_migrations(loader, release))} migrations."
        )
