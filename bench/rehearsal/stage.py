"""Where rehearsals are given: an empty database, queues of their own, and processes of simulated workers."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import psutil
import psycopg

from bench.labeling.servers import database
from bench.rehearsal.records import Planned, read
from bench.rehearsal.simulated import MACHINE, Faults
from embedded.layout import project_root

SHOWN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers of a rehearsal, spread over `processes` of this machine. What shards take is as in
    `simulated.Config`."""

    workers: int
    clock: float = 1.0
    spread: float = 0.0
    start: float = 0.0
    processes: int = 1
    seed: int = 0
    faults: Faults | None = None


@dataclass(slots=True)
class Run:
    """What came of a rehearsal. `seconds` were waited, `span` of them from the first claim to the job's end by the
    database's clock; `memory` in bytes: the most that all its processes and PostgreSQL's held at once."""

    seconds: float = 0.0
    span: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    busy: float = 0.0
    claims: list[float] = field(default_factory=list)
    late: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    database: int = 0
    shards: int = 0
    counted: int = 0
    doubled: int = 0
    state: str = ""


@contextmanager
def stage(postgres: str, broker: str) -> Iterator["Stage"]:
    """A stage on these servers; what is made there is gone at the end. One of a process, which speaks to its database
    from then on."""
    with (
        tempfile.TemporaryDirectory(prefix="motherlode-rehearsal-") as name,
        database(postgres, "rehearsal") as url,
    ):
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
            "MOTHERLODE_VAR": name,
            "MOTHERLODE_DATABASE_URL": url,
            "MOTHERLODE_BROKER_URL": broker,
            "MOTHERLODE_QUEUE_PREFIX": f"rehearsal-{os.getpid()}-",
            "MOTHERLODE_LOG_LEVEL": "ERROR",
        }
        os.environ.update(env)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        from accounts.projects import create_project

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE rehearsed (job bigint, shard integer, token integer, units bigint)")
        yield Stage(url, Path(name), env, create_project("rehearsal").pk)


@dataclass(frozen=True, slots=True)
class Stage:
    """The address of its database, a folder for what its processes are told, and the environment they have."""

    url: str
    folder: Path
    env: Mapping[str, str]
    project: int

    def rehearse(self, shards: Iterable[Planned], crew: Crew, *, limit: float, shown: bool = True) -> Run:
        """One job of these shards by a crew, until it has ended or so many seconds have passed. `shown` tells of it
        while it runs."""
        from jobs.services import ShardSpec, create_job

        specs = [ShardSpec({"seconds": one.seconds}, units=one.units, phase=one.phase) for one in shards]
        job = create_job("mine", "Rehearsal", shards=specs, unit="frames", project=self.project).pk
        processes = self._started(crew, job)
        try:
            run = self._watched(processes, limit=limit, shown=shown)
            self._look(run, job)
            return run
        finally:
            for process in processes:
                process.kill()
                process.wait()
            _queues_removed(self.env["MOTHERLODE_QUEUE_PREFIX"])

    def _started(self, crew: Crew, job: int) -> list["subprocess.Popen[str]"]:
        started, env = [], {**self.env, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        for number in range(crew.processes):
            first, last = (crew.workers * at // crew.processes // MACHINE * MACHINE for at in (number, number + 1))
            last = crew.workers if number + 1 == crew.processes else last
            config = {
                "seed": crew.seed + number, "workers": last - first, "first": first, "start": crew.start, "job": job,
                "spread": crew.spread, "clock": crew.clock, "queue": f"{self.env['MOTHERLODE_QUEUE_PREFIX']}compute",
                "faults": crew.faults and asdict(crew.faults),
            }  # fmt: skip
            file = self.folder / f"{job}-{number}.json"
            file.write_text(json.dumps(config), encoding="utf-8")
            argv = [sys.executable, "-m", "bench.rehearsal.simulated", str(file)]
            started.append(
                subprocess.Popen(argv, env=env, cwd=project_root(), stdout=subprocess.PIPE, encoding="utf-8")
            )
        return started

    def _watched(self, processes: list["subprocess.Popen[str]"], *, limit: float, shown: bool) -> Run:
        """Sweep as beat does, show how far it is, and gather what the processes tell until the job has ended."""
        from config.celery import app
        from jobs import tasks

        (sweep,) = (one for one in app.conf.beat_schedule.values() if one["task"] == tasks.sweep.name)
        told: dict[int, dict[str, Any]] = {}
        readers = [threading.Thread(target=_read, args=(process, at, told)) for at, process in enumerate(processes)]
        for reader in readers:
            reader.start()
        while len(told) < len(processes) and all(reader.is_alive() for reader in readers):
            time.sleep(0.1)
        run, began = Run(), time.monotonic()
        swept = looked = began
        tasks.sweep()
        while any(reader.is_alive() for reader in readers):
            time.sleep(0.5)
            now = time.monotonic()
            if now - swept >= sweep["schedule"]:
                swept = now
                tasks.sweep()
            if now - looked >= SHOWN_SECONDS:
                looked = now
                run.memory = max(run.memory, _memory(processes, self.url))
                if shown:
                    _say(now - began, _sum(told))
            if now - began > limit:
                break
        run.seconds = time.monotonic() - began
        for answer in told.values():
            run.counts.update(answer.get("counts", {}))
            run.busy += answer.get("busy", 0.0)
            run.claims += answer.get("claims", [])
            run.late = max(run.late, answer.get("late", 0.0))
            run.cpu += answer.get("cpu", 0.0)
        return run

    def _look(self, run: Run, job: int) -> None:
        """What the rows say of the job now."""
        record = read(self.url, job)
        run.state, run.shards = record.state, len(record.shards)
        run.span = record.finished - record.first if record.finished else 0.0
        with psycopg.connect(self.url, autocommit=True) as connection:
            (run.database,) = cast(Any, connection.execute("SELECT pg_database_size(current_database())").fetchone())
            query = "SELECT count(*), count(DISTINCT shard) FROM rehearsed WHERE job = %s"
            every, run.counted = cast(Any, connection.execute(query, [job]).fetchone())
        run.doubled = every - run.counted


def _read(process: "subprocess.Popen[str]", at: int, told: dict[int, dict[str, Any]]) -> None:
    for line in cast(IO[str], process.stdout):
        event = json.loads(line)
        told[at] = event if event["event"] == "result" else {"counts": {k: v for k, v in event.items() if k != "event"}}


def _sum(told: Mapping[int, Mapping[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for answer in list(told.values()):
        found.update(answer["counts"])
    return found


def _say(now: float, counts: Mapping[str, int]) -> None:
    words = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in sorted(counts.items()))
    print(f"  {now:6.0f} s  {words}", flush=True)


def _memory(processes: list["subprocess.Popen[str]"], url: str) -> int:
    """Proportional where the kernel says so: PostgreSQL's processes share most of theirs."""
    name = url.rpartition("/")[2]
    ours = [psutil.Process(), *(psutil.Process(one.pid) for one in processes if one.poll() is None)]
    theirs = [one for one in psutil.process_iter(["cmdline"]) if _serves(name, one.info["cmdline"] or [])]
    total = 0
    for one in {*ours, *theirs}:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def _serves(name: str, title: Sequence[str]) -> bool:
    words = " ".join(title)
    return words.startswith("postgres:") and name in words


def _queues_removed(prefix: str) -> None:
    from config.celery import app
    from jobs import turns

    with app.connection_for_write() as connection:
        for name in turns.queue_names():
            cast(Any, connection.default_channel).queue_delete(f"{prefix}{name}")
