"""`make bench-crowd`: 50 annotators and 200 API clients on the production profile behind its proxy, for ten minutes,
while mining goes on.

The platform, its database's connections and this load generator share the machine. Everything is real: PostgreSQL,
RabbitMQ, the S3 server, granian, Celery and nginx with TLS; images are scikit-learn's digits.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from bench.crowd.cpu import Meter
from bench.crowd.load import Crowd, load
from bench.crowd.mining import mining
from bench.crowd.people import LOOKS
from bench.crowd.production import Production, running
from bench.crowd.report import Saved, show
from bench.crowd.stock import furnish
from bench.crowd.tally import Tally
from motherlode.client import Motherlode

SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
BROKER = os.environ.get("MOTHERLODE_TEST_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
QUICK_SECONDS, QUICK_ANNOTATORS, QUICK_CLIENTS = 20.0, 4, 8
SPARE = 1.3
"""So many times the tasks that annotators could answer at their quickest."""


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept, 130 when it was stopped before there was anything to show."""
    options = _options(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {options.annotators} annotators, "
        f"{options.clients} clients, {options.seconds:.0f} s; seed {options.seed}",
        flush=True,
    )
    try:
        with (
            tempfile.TemporaryDirectory(prefix="motherlode-crowd-") as name,
            running(Path(name), server=options.server, broker=options.broker) as site,
        ):
            kept = _measure(site, options)
    except KeyboardInterrupt:
        print("\nStopped: nothing was measured.")
        return 130
    if options.quick:
        print("\nA glance: no figures to quote.")
    return 0 if kept else 1


def _measure(site: Production, options: argparse.Namespace) -> bool:
    os.environ["SSL_CERT_FILE"] = str(site.certificate)  # the owner's client comes in by the proxy too
    began = time.monotonic()
    tasks = round(SPARE * options.annotators * (options.seconds / LOOKS[0] + 10))
    with Motherlode(site.origin, site.token) as client:
        people = {"annotators": options.annotators, "clients": options.clients}
        stock = furnish(client, **people, tasks=tasks, alive=site.check)
        print(f"  ready after {time.monotonic() - began:.0f} s: {len(stock.queues)} queues; now they come", flush=True)
        tally, crowd = Tally(), Crowd(options.seconds, options.seed)
        meter = Meter({name: process.pid for name, process in site.processes.items()}, site.database)
        with mining(client, tally), meter.looking():
            before = meter.read()
            seconds = asyncio.run(load(site, stock, tally, crowd))
            cpu = {name: spent - before[name] for name, spent in meter.read().items()}
    return show(tally, Saved.of(site.database, tally), seconds, cpu)


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-crowd", description=__doc__)
    parser.add_argument("--annotators", type=int, help="default: 50")
    parser.add_argument("--clients", type=int, help="default: 200")
    parser.add_argument("--seconds", type=float, help="default: 600")
    parser.add_argument("--seed", type=int, default=0, help="of the paces, and of what clients ask")
    parser.add_argument("--server", metavar="URL", default=SERVER, help="PostgreSQL")
    parser.add_argument("--broker", metavar="URL", default=BROKER, help="RabbitMQ")
    parser.add_argument("--quick", action="store_true", help="few people for 20 s: no figures to quote")
    options = parser.parse_args(argv)
    usual = (QUICK_ANNOTATORS, QUICK_CLIENTS, QUICK_SECONDS) if options.quick else (50, 200, 600.0)
    for name, value in zip(("annotators", "clients", "seconds"), usual, strict=True):
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    sys.exit(main())
