"""`make rehearse`: 10^9 frames scored by 1,000 simulated workers with faults, on a PostgreSQL and a RabbitMQ.

Rows, claims, leases, wake-ups and the sweep are the platform's own; frames and GPUs are not there. Each shard must be
counted exactly once, by the job's rows and by a table that each count writes to beside them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import psutil
import psycopg

from bench.labeling.servers import database
from bench.rehearsal.simulated import MACHINE, Faults
from bench.versioning.table import percentiles, seconds
from embedded.layout import project_root

SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
BROKER = os.environ.get("MOTHERLODE_TEST_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
SHOWN_SECONDS = 10.0
MOST_MEMORY = 8 << 30
LONGEST = 2 * 3600.0


@dataclass(slots=True)
class Run:
    """What came of a rehearsal. `memory` in bytes: the most that all its processes and PostgreSQL's held at once."""

    seconds: float = 0.0
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


def main(argv: list[str] | None = None) -> int:
    options = _options(argv)
    shards = max(1, round(options.frames / options.shard))
    each = options.shard / options.pace
    bound = shards * each / options.workers / options.clock
    print(
        f"{options.frames:,.0f} frames in {shards:,} shards of {options.shard:,}, {each:.0f} s each; "
        f"{options.workers:,} workers on {-(-options.workers // MACHINE):,} machines, GPUs {options.clock:g} times as "
        f"fast: {seconds(bound)} if nothing else took time",
        flush=True,
    )
    temporary = tempfile.TemporaryDirectory(prefix="motherlode-rehearsal-")
    with database(options.postgres, "rehearsal") as url, temporary as name:
        done = rehearse(options, shards, each, url=url, folder=Path(name))
    return _shown(done, options, bound)


def rehearse(options: argparse.Namespace, shards: int, each: float, *, url: str, folder: Path) -> Run:
    """One run on an empty database."""
    prefix = f"rehearsal-{os.getpid()}-"
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
        "MOTHERLODE_VAR": str(folder),
        "MOTHERLODE_DATABASE_URL": url,
        "MOTHERLODE_BROKER_URL": options.broker,
        "MOTHERLODE_QUEUE_PREFIX": prefix,
        "MOTHERLODE_LOG_LEVEL": "ERROR",
    }
    os.environ.update(env)
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from accounts.projects import create_project
    from jobs.services import ShardSpec, create_job

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE rehearsed (shard integer, token integer, units bigint)")
    specs = [ShardSpec(units=options.shard) for _ in range(shards)]
    job = create_job("mine", "Rehearsal", shards=specs, unit="frames", project=create_project("rehearsal").pk)
    processes = _started(options, each, job.pk, prefix, folder, env)
    try:
        return _watched(processes, job.pk, url, options)
    finally:
        for process in processes:
            process.kill()
            process.wait()
        _queues_removed(prefix)


def _started(
    options: argparse.Namespace, each: float, job: int, prefix: str, folder: Path, env: Mapping[str, str]
) -> list["subprocess.Popen[str]"]:
    faults = None if options.no_faults else asdict(Faults())
    started = []
    for number in range(options.processes):
        first, last = (options.workers * at // options.processes // MACHINE * MACHINE for at in (number, number + 1))
        last = options.workers if number + 1 == options.processes else last
        config = {
            "seed": options.seed + number, "workers": last - first, "first": first, "seconds": each, "job": job,
            "spread": 0.3, "clock": options.clock, "queue": f"{prefix}compute", "faults": faults,
        }  # fmt: skip
        file = folder / f"{number}.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        argv = [sys.executable, "-m", "bench.rehearsal.simulated", str(file)]
        paths = os.pathsep.join(filter(None, sys.path))
        started.append(
            subprocess.Popen(
                argv, env={**env, "PYTHONPATH": paths}, cwd=project_root(), stdout=subprocess.PIPE, encoding="utf-8"
            )
        )
    return started


def _watched(processes: list["subprocess.Popen[str]"], job: int, url: str, options: argparse.Namespace) -> Run:
    """Sweep as beat does, show how far it is, and gather what the processes tell until the job has ended."""
    from config.celery import app
    from jobs import tasks
    from jobs.models import Job, Shard

    (sweep,) = (one for one in app.conf.beat_schedule.values() if one["task"] == tasks.sweep.name)
    told: dict[int, dict[str, Any]] = {}
    readers = [threading.Thread(target=_read, args=(process, at, told)) for at, process in enumerate(processes)]
    for reader in readers:
        reader.start()
    while len(told) < len(processes) and all(reader.is_alive() for reader in readers):
        time.sleep(0.1)
    run, began = Run(), time.monotonic()
    swept = shown = began
    tasks.sweep()
    while any(reader.is_alive() for reader in readers):
        time.sleep(0.5)
        now = time.monotonic()
        if now - swept >= sweep["schedule"]:
            swept = now
            tasks.sweep()
        if now - shown >= SHOWN_SECONDS:
            shown = now
            run.memory = max(run.memory, _memory(processes, url))
            done = Shard.objects.filter(job=job, state=Shard.State.DONE).count()
            _say(now - began, done, _sum(told))
        if now - began > options.limit:
            break
    run.seconds = time.monotonic() - began
    for answer in told.values():
        run.counts.update(answer.get("counts", {}))
        run.busy += answer.get("busy", 0.0)
        run.claims += answer.get("claims", [])
        run.late = max(run.late, answer.get("late", 0.0))
        run.cpu += answer.get("cpu", 0.0)
    run.state = Job.objects.get(pk=job).state
    run.shards = Shard.objects.filter(job=job).count()
    with psycopg.connect(url, autocommit=True) as connection:
        (run.database,) = cast(Any, connection.execute("SELECT pg_database_size(current_database())").fetchone())
        query = "SELECT count(*), count(DISTINCT shard) FROM rehearsed"
        every, run.counted = cast(Any, connection.execute(query).fetchone())
    run.doubled = every - run.counted
    return run


def _read(process: "subprocess.Popen[str]", at: int, told: dict[int, dict[str, Any]]) -> None:
    for line in cast(IO[str], process.stdout):
        event = json.loads(line)
        told[at] = event if event["event"] == "result" else {"counts": {k: v for k, v in event.items() if k != "event"}}


def _sum(told: Mapping[int, Mapping[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for answer in list(told.values()):
        found.update(answer["counts"])
    return found


def _say(now: float, done: int, counts: Mapping[str, int]) -> None:
    words = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in sorted(counts.items()))
    print(f"  {now:6.0f} s  {done:,} shards; {words}", flush=True)


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


def _shown(run: Run, options: argparse.Namespace, bound: float) -> int:
    many = run.counts
    whole = run.state == "succeeded" and run.counted == run.shards and not run.doubled
    half, most = percentiles(run.claims) if len(run.claims) > 1 else (0.0, 0.0)
    rows = {
        "the job": run.state,
        "shards counted once, of all": f"{run.counted:,} of {run.shards:,}",
        "counted twice": f"{run.doubled:,}",
        "time": f"{seconds(run.seconds)}; {run.seconds / bound:.2f} of what the GPUs alone need",
        "GPUs busy": f"{run.busy / (options.workers * run.seconds):.1%}",
        "claims": f"{many['claims']:,}, {many['claims'] / run.seconds:.1f}/s; half within {seconds(half)}, 95 % within "
        f"{seconds(most)}",
        "renewals of leases": f"{many['renewals']:,}, {many['renewals'] / run.seconds:.0f}/s",
        "workers killed": f"{many['killed']:,}",
        "frozen beyond their lease": f"{many['frozen']:,}; {many['late_results_refused']:,} late results refused, "
        f"{many['leases_lost']:,} leases lost by others",
        "slow": f"{many['slow']:,}",
        "messages": f"{many['messages']:,}; {many['messages_lost']:,} lost, {many['messages_doubled']:,} doubled, "
        f"{many['messages_for_nothing']:,} found nothing to do",
        "clocks": "right" if options.no_faults else f"each wrong by up to {Faults().skew_seconds / 3600:g} h",
        "the simulation's own lag": seconds(run.late),
        "CPU of the workers' processes": f"{run.cpu:.0f} s, {1000 * run.cpu / max(1, many['claims']):.1f} ms a claim",
        "database": f"{run.database / 1e6:.0f} MB",
        "memory at most": f"{run.memory / 1e6:,.0f} MB",
    }
    print()
    for name, words in rows.items():
        print(f"  {name:<32}{words}")
    kept = whole and run.seconds <= LONGEST and run.memory <= MOST_MEMORY
    promise = "each shard counted exactly once, within two hours and 8 GB"
    print(f"\n{'Kept' if kept else 'NOT kept'}: {promise}.")
    return 0 if kept else 1


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make rehearse", description=__doc__)
    parser.add_argument("--frames", type=float, default=1e9, help="in the lake")
    parser.add_argument("--shard", type=int, default=65_536, help="frames of a shard")
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--pace", type=float, default=1000.0, help="frames that a GPU scores in a second")
    parser.add_argument("--clock", type=float, default=2.0, help="how many times faster GPUs are waited for")
    parser.add_argument("--processes", type=int, default=2, help="that the simulated workers are spread over")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-faults", action="store_true", help="nothing is killed, frozen, lost or doubled")
    parser.add_argument("--postgres", metavar="URL", default=SERVER)
    parser.add_argument("--broker", metavar="URL", default=BROKER)
    parser.add_argument("--limit", type=float, default=LONGEST, help="seconds after which it is given up")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
