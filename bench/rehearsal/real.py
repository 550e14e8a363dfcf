"""`make rehearse ARGS=--real`: mining jobs of a real platform foretold, then run.

For each kind of job and each number of workers two short pilots run on the production profile of this machine; a
rehearsal of the whole job is given their paces and nothing else. Only when its forecast stands on the screen the job
runs, on images that no pilot saw.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from bench.crowd.cpu import OTHERS, Meter
from bench.crowd.production import Production, running
from bench.rehearsal.furniture import COLD, DATASET, KINDS, MODEL, REAL, WARM, Kind, asked_of, furnish
from bench.rehearsal.pilots import Paces, Pilot, sizes
from bench.rehearsal.records import SCORE, read
from bench.rehearsal.stage import Crew, Stage, stage
from bench.versioning.table import seconds
from motherlode.client import Motherlode

NAMES = tuple(KINDS)
WORKERS = (1, 2)
PICKS, POLL_SECONDS, PATIENCE_SECONDS = 40, 1.0, 60.0
QUIET_SECONDS, QUIET_PERCENT = 3.0, 12.0
LONGEST = 600.0
MOST_WRONG = 0.15


@dataclass(frozen=True, slots=True)
class Compared:
    """Seconds from the request to the end of a job, as they were foretold and as they were; and how many cores were
    taken by what is none of ours meanwhile: in the pilots, and in the job."""

    kind: str
    workers: int
    shards: int
    foretold: float
    took: float
    others: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Above 1 too long was foretold."""
        return self.foretold / self.took

    @property
    def kept(self) -> bool:
        """Is the forecast as near as was promised?"""
        return abs(self.ratio - 1) <= MOST_WRONG


def compare(names: Sequence[str], *, server: str, broker: str) -> int:
    """Returns 1 when a forecast was further off than MOST_WRONG."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    found: list[Compared] = []
    with stage(server, broker) as empty:
        for name in names:
            found += _of_kind(KINDS[name], empty, server=server, broker=broker)
    print(
        f"\n  {'job':<10}{'workers':>8}{'shards':>8}{'foretold':>11}{'took':>11}{'ratio':>8}  "
        f"{f'within {MOST_WRONG:.0%}':<13}cores of others: pilots, job"
    )
    for one in found:
        print(
            f"  {one.kind:<10}{one.workers:>8}{one.shards:>8}{seconds(one.foretold):>11}{seconds(one.took):>11}"
            f"{one.ratio:>8.2f}  {'yes' if one.kept else 'NO':<13}{one.others[0]:.2f}, {one.others[1]:.2f}"
        )
    return 0 if all(one.kept for one in found) else 1


def _of_kind(kind: Kind, empty: Stage, *, server: str, broker: str) -> Iterator[Compared]:
    """On a platform of its own, whose shards are of the size that the kind asks for."""
    more = {"MOTHERLODE_SHARD_SAMPLES": str(kind.shard)}
    with (
        tempfile.TemporaryDirectory(prefix="motherlode-rehearsal-") as name,
        running(Path(name), server=server, broker=broker, more=more) as site,
    ):
        os.environ["SSL_CERT_FILE"] = str(site.certificate)
        with Motherlode(site.origin, site.token) as client:
            began = time.monotonic()
            furnish(client, kind, alive=site.check)
            print(f"\n{kind.name}: ready after {time.monotonic() - began:.0f} s", flush=True)
            for workers in WORKERS:
                yield _compared(_Asking(site, client, kind, workers), empty)


def _compared(asking: "_Asking", empty: Stage) -> Compared:
    kind, workers = asking.kind, asking.workers
    asking.start_anew()
    with asking.looking() as then:
        paces = Paces.of(asking.mine(COLD), asking.mine(WARM))
    shards = sizes(kind.units, kind.shard)
    crew = Crew(workers, spread=paces.spread, start=paces.start)
    run = empty.rehearse(paces.plan(shards), crew, limit=LONGEST, shown=False)
    if run.state != "succeeded" or run.counted != run.shards:
        raise SystemExit(f"the rehearsal did not end: {run}")
    foretold = paces.before + run.span
    print(
        f"  {workers} at a time: {1 / paces.unit:.1f} images/s each, shards within {paces.spread:.0%}; "
        f"{seconds(paces.before)} to the first claim, {seconds(paces.start)} until a worker is warm, "
        f"{seconds(paces.select)} to select"
    )
    print(f"    foretold {seconds(foretold)}", end="", flush=True)
    asking.start_anew()
    with asking.looking() as now:
        job = asking.mine(REAL)
    if [shard.units for shard in job.record.of(SCORE)] != shards:
        raise SystemExit(f"the job was cut into other shards than those that were rehearsed: {job.record}")
    took = job.record.finished - job.asked
    print(f", took {seconds(took)}", flush=True)
    return Compared(kind.name, workers, len(shards), foretold, took, (then[0], now[0]))


@dataclass(frozen=True, slots=True)
class _Asking:
    """Who has a platform with so many workers mine."""

    site: Production
    client: Motherlode
    kind: Kind
    workers: int

    def start_anew(self) -> None:
        """So many workers, none of which has done anything, once nothing is left to be done."""
        self._until(lambda: not any(self.client.jobs.all(state="queued,running")))
        before = self._pids()
        self.site.compute(self.workers)
        self._until(lambda: len(self._pids() - before) == self.workers)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while psutil.cpu_percent(QUIET_SECONDS) > QUIET_PERCENT and time.monotonic() < deadline:
            self.site.check()  # something else is at work here; what it takes is told beside the forecast

    @contextmanager
    def looking(self) -> Iterator[list[float]]:
        """How many cores of this machine others took while this was open: there once it is closed."""
        meter = Meter({name: process.pid for name, process in self.site.processes.items()}, self.site.database)
        taken = list[float]()
        with meter.looking():
            before, began = meter.read()[OTHERS], time.monotonic()
            yield taken
            taken.append((meter.read()[OTHERS] - before) / (time.monotonic() - began))

    def mine(self, part: str) -> Pilot:
        """A mining job over a part of the pool, of which nothing is scored yet, when it has ended."""
        with psycopg.connect(self.site.database, autocommit=True) as connection:
            connection.execute("DELETE FROM mining_jobs_scorefile")
        where, asked = asked_of(part, self.workers), time.time()
        started = self.client.mining.create(
            DATASET, model=f"{MODEL}@1", count=PICKS, filter=where, **self.kind.question
        )
        self.client.jobs.wait(started["job"]["id"], on_progress=self.site.check, poll=POLL_SECONDS)
        stats: dict[str, Any] = self.client.mining.get(started["id"])["stats"]
        record = read(self.site.database, started["job"]["id"])
        if stats["reused"] or stats["quarantined"]:
            raise SystemExit(f"not everything was scored: {stats}")
        return Pilot(asked, record)

    def _pids(self) -> set[int]:
        machines = self.client.jobs.workers()["machines"]
        return {one["pid"] for machine in machines for one in machine["workers"] if one["name"].startswith("compute@")}

    def _until(self, there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not there():
            self.site.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.workers} idle workers were not there within {PATIENCE_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
