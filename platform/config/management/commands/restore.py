"""`manage.py restore FOLDER`: see docs/howto/backup.md."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from motherlode.bars import amount
from operations.errors import FAULTS
from operations.progress import Progress
from operations.restore import Outcome, Rules, restore
from worker_programs.wording import plural


class Command(BaseCommand):
    help = "Put a backup into an empty database and an empty bucket. Nothing else may run on them meanwhile."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the backup")
        parser.add_argument("--other-secret", action="store_true",
                            help="restore even if MOTHERLODE_SECRET_KEY differs from that of the backup")  # fmt: skip
        parser.add_argument("--without-damaged", action="store_true",
                            help="leave out the objects that are damaged in the backup")  # fmt: skip

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        os.umask(0o077)
        rules = Rules(options["other_secret"], options["without_damaged"])
        try:
            self._say(restore(folder, Progress(), rules))
        except FAULTS as error:
            raise CommandError(f"{error}\nThe platform is not restored.") from error
        except KeyboardInterrupt:
            raise CommandError("Stopped: the platform is not restored. Run it again: it goes on.",
                               returncode=130) from None  # fmt: skip

    def _say(self, outcome: Outcome) -> None:
        manifest = outcome.manifest
        objects = manifest.objects - len(outcome.left_out)
        self.stdout.write(
            f"The platform is restored as of {manifest.id}: {plural(sum(manifest.tables.values()), 'row')} in "
            f"{plural(len(manifest.tables), 'table')}, as many as in the backup; {plural(objects, 'object')} "
            f"({amount(manifest.bytes)}), each verified.\nJobs that ran at that time go on once workers run. Start the "
            "platform now (embedded: `make up`; production: migrate, bootstrap, then start)."
        )
        bad = {**manifest.damaged, **dict.fromkeys(outcome.left_out, "damaged in the backup, left out")}
        if bad:
            self.stderr.write("\n".join(f"  {key}: {what}" for key, what in bad.items()))
            raise CommandError(f"Not as before: {plural(len(bad), 'object')}; all else is. `lode doctor` says more.")
