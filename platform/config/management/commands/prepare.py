"""`manage.py prepare`: run what the servers need first (migrations, owner, static files) in one interpreter, not
three."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import pending_migrations
from operations.errors import FAULTS
from operations.progress import Progress
from operations.upgrading.keeping import keep_database


class Command(BaseCommand):
    help = "Migrate the database, create the owner and var/token where they are missing, collect the static files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-static", action="store_true", help="do not collect the static files: they are collected already"
        )
        words = "the platform serves meanwhile: keep the static files of before beside the new ones"
        parser.add_argument("--serving", action="store_true", help=words)
        words = "another process migrates and makes the owner: wait until it has, then collect the static files alone"
        parser.add_argument("--migrated", action="store_true", help=words)
        words = "before migrations change a SQLite database, copy it into this folder"
        parser.add_argument("--keep", type=Path, metavar="FOLDER", help=words)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        if options["migrated"]:
            pending_migrations.wait()
        else:
            self._migrate(options["keep"])
            call_command("bootstrap", stdout=self.stdout)
        if not options["no_static"]:
            # Compressing these takes longer than all the rest, and no page of ours asks for them.
            unused = ["*.map", "redoc", "rest_framework"]
            clear = not options["serving"]
            call_command("collectstatic", interactive=False, clear=clear, ignore_patterns=unused, stdout=self.stdout)

    def _migrate(self, keep: Path | None) -> None:
        try:
            kept = keep_database(keep, Progress()) if keep else None
        except FAULTS as error:
            raise CommandError(f"Nothing was migrated: {error}") from error
        if kept:
            self.stdout.write(f"Migrations are missing: the database as it was is in {kept}")
        call_command("migrate", interactive=False, stdout=self.stdout)
