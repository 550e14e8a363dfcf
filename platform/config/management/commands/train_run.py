"""`manage.py train_run`: see docs/howto/kubernetes.md."""

import signal
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import pending_migrations
from core.errors import MotherlodeError
from registry import launched
from registry.models import Run
from training.launching import Nodes


class Command(BaseCommand):
    help = "Train a run on this node and on those that join it, and on nothing else; it ends when the run is trained."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--nodes", default="1", help="number of nodes, or a range like 2:4 (default: 1)")
        parser.add_argument(
            "--processes-per-node", type=int, default=1, help="number of processes on each node (default: 1)"
        )
        parser.add_argument("--rendezvous", default="localhost:29400", help="host:port of the node that leads")
        parser.add_argument("--join", action="store_true", help="join the node that leads, instead of leading")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what is held is given back
        pending_migrations.wait()
        run = Run.objects.select_related("job", "model", "version__dataset", "parent").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        work = launched.join if options["join"] else launched.lead
        try:
            nodes = Nodes(
                options["nodes"], options["processes_per_node"], options["rendezvous"], leads=not options["join"]
            )
            work(run, nodes, say=self.stdout.write)
        except (MotherlodeError, ValueError) as error:
            raise CommandError(str(error)) from error
        finally:
            signal.signal(signal.SIGTERM, before)
