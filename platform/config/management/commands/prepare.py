"""`manage.py prepare`: run what the servers need first (migrations, owner, static files) in one interpreter, not
three."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Migrate the database, create the owner and var/token where they are missing, collect the static files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-static", action="store_true", help="do not collect the static files: they are collected already"
        )
        words = "another process migrates and makes the owner: fail until it has, then collect the static files alone"
        parser.add_argument("--migrated", action="store_true", help=words)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        call_command("migrate", interactive=False, check_unapplied=options["migrated"], stdout=self.stdout)
        if not options["migrated"]:
            call_command("bootstrap", stdout=self.stdout)
        if not options["no_static"]:
            # Compressing these takes longer than all the rest, and no page of ours asks for them.
            unused = ["*.map", "redoc", "rest_framework"]
            call_command("collectstatic", interactive=False, clear=True, ignore_patterns=unused, stdout=self.stdout)
