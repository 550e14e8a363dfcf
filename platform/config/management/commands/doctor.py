"""`manage.py doctor`: see docs/howto/backup.md."""

import json
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.health import PATIENCE_SECONDS, PROBES
from operations.doctor.examination import Report, examine
from operations.errors import FAULTS
from operations.progress import Progress


class Command(BaseCommand):
    help = (
        "Say what is wrong with the platform, and what to do. Exit codes: 0 nothing is, 1 something is, or something "
        "could not be checked. Nothing is changed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="read every stored blob, not a random sample")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON, for other programs")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        try:
            report = examine(_services(), Progress(), everything=options["all"])
        except FAULTS as error:
            raise CommandError(f"The examination could not be finished: {error}") from error
        except KeyboardInterrupt:
            raise CommandError("Stopped.", returncode=130) from None
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report), indent=1))
        else:
            self._say(report)
        if report.findings or report.not_checked:
            raise SystemExit(1)

    def _say(self, report: Report) -> None:
        for finding in report.findings:
            self.stdout.write(f"{finding.words}{f' ({finding.count})' if finding.examples else ''}")
            for example in finding.examples:
                self.stdout.write(f"    {example}")
            if finding.count > len(finding.examples) > 0:
                self.stdout.write(f"    and {finding.count - len(finding.examples)} more")
            self.stdout.write(f"  -> {finding.remedy}\n")
        for words in report.not_checked:
            self.stdout.write(words)
        read = f"{report.blobs_read} blobs were read and verified."
        if not report.findings and not report.not_checked:
            self.stdout.write(f"Nothing is wrong. {read}")
        elif report.blobs_read:
            self.stdout.write(read)


def _services() -> dict[str, str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    for thread in [probe.begin() for probe in PROBES.values()]:
        thread.join(max(0.0, deadline - time.monotonic()))
    return {name: probe.said() for name, probe in PROBES.items()}
