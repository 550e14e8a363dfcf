"""`manage.py backup FOLDER`: see docs/howto/backup.md."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from motherlode.bars import amount
from operations.backup import Outcome, back_up
from operations.errors import FAULTS
from operations.progress import Progress
from operations.upgrading.last_backup import note_backup
from worker_programs.wording import plural


class Command(BaseCommand):
    help = (
        "Back up the database and all stored objects into a folder, while the platform goes on. A second run copies "
        "only what is new; one that was broken off goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the backup; best on another disk")
        parser.add_argument("--verify", action="store_true",
                            help="read what was copied before, and copy anew what is damaged")  # fmt: skip

    def handle(self, *args: Any, folder: Path, verify: bool, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        os.umask(0o077)
        try:
            outcome = back_up(folder, Progress(), verify=verify)
            note_backup(folder.resolve(), outcome.manifest)
            self._say(folder, outcome)
        except FAULTS as error:
            words = "The backup is not finished. Once that is put right, run it again: it goes on."
            raise CommandError(f"{error}\n{words}") from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Run it again: it goes on.", returncode=130) from None

    def _say(self, folder: Path, outcome: Outcome) -> None:
        manifest = outcome.manifest
        self.stdout.write(
            f"{folder} holds the platform as of {manifest.id}: {plural(sum(manifest.tables.values()), 'row')} in "
            f"{plural(len(manifest.tables), 'table')}, {plural(manifest.objects, 'object')} ({amount(manifest.bytes)})."
            f"\nCopied now: {plural(outcome.copied, 'object')} ({amount(outcome.copied_bytes)}); removed from the "
            f"folder, as nothing names them any more: {outcome.pruned:,}."
        )
        if manifest.damaged:
            self.stderr.write("\n".join(f"  {key}: {what}" for key, what in manifest.damaged.items()))
            raise CommandError(
                f"{plural(len(manifest.damaged), 'object')} can't be backed up faithfully; all else is. `lode doctor` "
                "says more."
            )
