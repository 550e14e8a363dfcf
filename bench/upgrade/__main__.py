"""`python -m bench.upgrade`: web servers and workers are replaced under load by the present code, from the last release
and from itself, each `--times` times; 1 where something was lost, doubled, or refused as a client must not see it.

On PostgreSQL and RabbitMQ, behind nginx with deploy/nginx.conf, which finds the web servers by a name, as in compose.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.upgrade.code import Code, HistoryError, present, released
from bench.upgrade.services import Services
from bench.upgrade.site import Process, Site, answers
from bench.upgrade.tally import Refusals, refusals
from bench.upgrade.work import Work, faults, furnish, open_queue, settle
from motherlode.client import Motherlode

BEFORE_SECONDS, AFTER_SECONDS = 4.0, 4.0
LEAVE_SECONDS = 5.0  # until the proxy sends a server that leaves nothing more, as the preStop hook of Kubernetes waits
WEB, WORKERS = 2, 2


@dataclass(slots=True)
class Fleet:
    """Web servers and workers that are replaced one by one."""

    site: Site
    services: Services
    web: dict[str, Process] = field(default_factory=dict)
    workers: list[Process] = field(default_factory=list)
    started: int = 0
    annotators: list[str] = field(default_factory=list)

    def roll(self, code: Code) -> None:
        """Start a process of this code for each that runs, and stop that one once the new one can take its place."""
        for host in list(self.web) or [""] * WEB:
            self._roll_web(code, host)
        running: list[Process | None] = [*self.workers]
        for worker in running or [None] * WORKERS:
            self.started += 1
            self.workers.append(self.site.worker(code, f"worker-{self.started}"))
            if worker:
                worker.stop()
                self.workers.remove(worker)

    def _roll_web(self, code: Code, leaving: str) -> None:
        self.started += 1
        host, port = f"127.0.0.{self.started % 200 + 2}", self.services.port
        self.web[host] = self.site.web(code, host=host, port=port)
        while not answers(f"http://{host}:{port}/health/ready"):
            time.sleep(0.1)
        self.services.names.addresses = [one for one in self.web if one != leaving]
        if leaving:
            time.sleep(LEAVE_SECONDS)
            self.web.pop(leaving).stop()


@dataclass(slots=True)
class Result:
    """What one round brought."""

    work: str
    refused: Refusals
    faults: list[str]
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, doubled or refused without a word."""
        return not self.faults and not self.refused.silent and self.refused.longest < 1.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.upgrade", description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often each is done (10)")
    parser.add_argument("--only", choices=["upgrade", "restart"], help="that one alone")
    parser.add_argument("--server", default="postgres://postgres@127.0.0.1:5432", help="PostgreSQL")
    parser.add_argument("--broker", default="amqp://guest:guest@127.0.0.1:5672//", help="RabbitMQ")
    asked = parser.parse_args()
    broken = 0
    with tempfile.TemporaryDirectory(prefix="motherlode-upgrade-") as place:
        folder = Path(place)
        try:
            old = released(folder / "released")
        except HistoryError as error:
            raise SystemExit(str(error)) from error
        if asked.only != "restart":
            print(f"From {old.version}, with its tables, to the present code, under load:", flush=True)
            for number in range(asked.times):
                with _running(folder / f"upgrade-{number}", old, asked) as fleet:
                    broken += _said(number, _round(fleet, 0, upgrade=True))
        if asked.only != "upgrade":
            print("Rolling restarts of the present code, under load:", flush=True)
            with _running(folder / "restart", present(), asked) as fleet:
                for number in range(asked.times):
                    broken += _said(number, _round(fleet, number, upgrade=False))
    print(f"{broken} rounds did not hold" if broken else "All rounds held.")
    return 1 if broken else 0


@contextmanager
def _running(folder: Path, code: Code, asked: argparse.Namespace) -> Iterator[Fleet]:
    """A furnished platform of this code, with the tables of this code."""
    folder.mkdir()
    with ExitStack() as stack:
        services = stack.enter_context(Services.started(folder, server=asked.server, broker=asked.broker))
        site = Site(folder, services.variables)
        stack.callback(site.stop)
        site.manage(code, "prepare", "--no-static")
        fleet = Fleet(site, services)
        fleet.roll(code)
        site.beat(code)
        with _client(fleet) as client:
            fleet.annotators = furnish(client)
        yield fleet


def _round(fleet: Fleet, number: int, *, upgrade: bool) -> Result:
    code, log = present(), fleet.services.access_log
    with _client(fleet) as client:
        open_queue(client, number)
    began, seen = time.monotonic(), log.stat().st_size
    clients = partial(Motherlode, fleet.services.address)
    work = Work(clients, owner=fleet.site.token, annotators=fleet.annotators, seed=number)
    work.start()
    time.sleep(BEFORE_SECONDS)
    if upgrade:
        fleet.site.manage(code, "migrate", "--no-input", "-v0")
    fleet.roll(code)
    time.sleep(AFTER_SECONDS)
    work.stop()
    seconds = time.monotonic() - began
    with _client(fleet) as client:
        settle(client)
        found = faults(client, work.done, number)
    return Result(str(work.done), refusals(log, seen), found, seconds)


def _client(fleet: Fleet) -> Motherlode:
    return Motherlode(fleet.services.address, fleet.site.token)


def _said(number: int, result: Result) -> bool:
    holds = "held" if result.holds else "DID NOT HOLD"
    print(f"  {number + 1:>3}  {holds:<12} {result.seconds:5.0f} s  {result.work}; {result.refused}", flush=True)
    for fault in result.faults[:10]:
        print(f"         {fault}", flush=True)
    return not result.holds


if __name__ == "__main__":
    sys.exit(main())
