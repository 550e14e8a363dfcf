"""`manage.py upgrade_check`: see docs/howto/upgrade.md."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operations.errors import FAULTS
from operations.upgrading.examination import EARLIER, Report, examine_upgrade, what_to_back_up
from worker_programs.wording import plural


class Command(BaseCommand):
    help = (
        "Say what an upgrade to this code would do: migrations and what they lock, the last backup, running jobs, "
        "versions. Exit codes: 0 nothing stands against it, 1 see to something first, 2 it could not be checked. "
        "Nothing is changed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--backup", type=Path, metavar="FOLDER", help="folder of your last backup")
        parser.add_argument("--json", action="store_true", help="print the report as JSON, for other programs")

    def handle(self, *args: Any, backup: Path | None, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        try:
            report = examine_upgrade(backup)
        except FAULTS as error:
            raise CommandError(f"The upgrade could not be checked: {error}", returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report), indent=1))
        else:
            self._say(report)
        if report.attention:
            raise SystemExit(1)

    def _say(self, report: Report) -> None:
        count = plural(len(report.migrations), "migration")
        self.stdout.write(f"This code is {report.version}. {count} would run." if report.migrations else
                          f"This code is {report.version}, and the database has its tables.")  # fmt: skip
        for step in report.migrations:
            self.stdout.write(f"  {step.migration}")
            for cost in step.costs:
                self.stdout.write(f"    {cost}")
        if report.backup:
            self.stdout.write(f"Last backup: {report.backup.made}, in {report.backup.folder}")
        if report.migrations:
            self.stdout.write(f"Back up first: {'; '.join(what_to_back_up())}")
        jobs = ", ".join(f"{kind} {count}" for kind, count in report.jobs.items())
        self.stdout.write(f"Running jobs: {jobs or 'none'}")
        for one in report.running:
            web = plural(one.web, "web process", "web processes")
            self.stdout.write(f"Running: {plural(one.workers, 'worker')} and {web} of {one.version or EARLIER}")
        for words in report.attention:
            self.stdout.write(f"  -> {words}")
        if not report.attention:
            self.stdout.write("Nothing stands against an upgrade.")
