"""`make bench-beside`: 20 users of another project, health checks and small edits of the same dataset, while something
large is written.

Each profile is real and of its own: the embedded one (SQLite, Valkey), or production behind its proxy (PostgreSQL,
RabbitMQ). Platform and load generator share the machine.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.beside.people import Crowd
from bench.beside.places import VACUUM_SECONDS, Place, embedded, production
from bench.beside.report import show
from bench.beside.scenarios import SCENARIOS
from bench.beside.stock import furnish

SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
BROKER = os.environ.get("MOTHERLODE_TEST_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
QUIET_SECONDS = 15.0


def main(argv: list[str] | None = None) -> int:
    """Returns 1 if a scenario's own work failed."""
    options = _options(argv)
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {options.profile}; {options.samples:,} "
        f"samples, {options.users} users",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="motherlode-beside-") as folder, _place(options, Path(folder)) as place:
        began = time.monotonic()
        stock = furnish(place, samples=options.samples, users=options.users)
        time.sleep(VACUUM_SECONDS)  # until the planner knows the tables
        print(f"  ready after {time.monotonic() - began:.0f} s", flush=True)
        with Crowd(place, stock) as crowd:
            time.sleep(QUIET_SECONDS)
        show("nothing large", crowd)
        fine = True
        for name in options.scenario:
            with Crowd(place, stock) as crowd:
                told = SCENARIOS[name](place, stock)
            show(f"{name}: {told.words} in {crowd.seconds:.1f} s", crowd)
            fine &= told.succeeded
    return 0 if fine else 1


@contextmanager
def _place(options: argparse.Namespace, folder: Path) -> Iterator[Place]:
    made = embedded(folder) if options.profile == "embedded" else production(folder, options.server, options.broker)
    with made as place:
        yield place


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-beside", description=__doc__)
    parser.add_argument("--profile", choices=("embedded", "production"), default="embedded")
    parser.add_argument("--scenario", choices=list(SCENARIOS), nargs="+", default=list(SCENARIOS))
    parser.add_argument("--samples", type=int, help="of the large dataset; default: 500,000")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--server", metavar="URL", default=SERVER, help="PostgreSQL")
    parser.add_argument("--broker", metavar="URL", default=BROKER, help="RabbitMQ")
    parser.add_argument("--quick", action="store_true", help="30,000 samples: no figures to quote")
    options = parser.parse_args(argv)
    if options.samples is None:
        options.samples = 30_000 if options.quick else 500_000
    return options


if __name__ == "__main__":
    sys.exit(main())
