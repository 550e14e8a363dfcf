"""A pool of a million rows: what mining asks of one machine, and that a page costs the same whatever the pool's size.

The samples have no bytes and their scores are numbers alone (`bench.mining.generated`), on SQLite and an object store
of this run's own. It works in a process of its own, for that becomes a platform.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench.versioning.table import Line, percentiles, seconds, show

SIZES, QUICK = (10_000, 1_000_000), (2_000, 10_000)
DIMENSIONS, QUICK_DIMENSIONS = 512, 32
PICKS, ASKED = 1000, 40
LOOK_SECONDS = 0.05
GROWTH, NOISE_SECONDS = 1.5, 0.003  # a median may be so many times the one at the smallest size, and this much more
ROOM_MB = 600
"""What the worker and its program may take for themselves. The columns of the pool are files that they map: the machine
keeps of those in memory what it has room for."""
COMPOSE = {
    "quotas": [{"class": "class-3", "min_share": 0.2}, {"class": "class-0", "max_share": 0.1}],
    "gap": {"seconds": 3, "group": "drive", "time": "t"},
    "distance": {"cosine": 0.01},
    "objectives": [{"name": "uncertainty", "strength": 0.5}],
}
JOBS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("margin", {"strategy": "margin"}),
    ("margin, composed", {"strategy": "margin", "compose": COMPOSE}),
)


@dataclass(slots=True)
class Measured:
    """Of one size: seconds of what was done once, the most memory in MB, and the seconds of each page asked for."""

    size: int
    once: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, float] = field(default_factory=dict)
    pages: dict[str, list[float]] = field(default_factory=dict)


def run(quick: bool) -> list[Line]:  # noqa: FBT001 - what every part is asked
    """Measure at two sizes and show the table."""
    sizes, dimensions = (QUICK, QUICK_DIMENSIONS) if quick else (SIZES, DIMENSIONS)
    with tempfile.TemporaryDirectory(prefix="bench-pool-") as folder:
        command = [sys.executable, "-m", "bench.mining.pool", folder, str(dimensions), *map(str, sizes)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found = [Measured(**one) for one in json.loads(done.stdout.splitlines()[-1])]
    lines = _lines(found, promised=None if quick else 1.0)
    show(f"A pool of {sizes[-1]:,} x {dimensions}, {PICKS:,} picks", lines)
    return lines


def _lines(found: Sequence[Measured], *, promised: float | None) -> list[Line]:
    small, large = found
    lines = [Line(what, seconds(took), seconds(large.once[what])) for what, took in small.once.items()]
    for what, peak in large.peak_mb.items():
        held = f"{small.peak_mb[what]:.0f} MB"
        lines.append(Line(f"{what}: memory of its own", held, f"{peak:.0f} MB", ROOM_MB / peak, promised))
    for what, times in large.pages.items():
        before, after = percentiles(small.pages[what])[0], percentiles(times)[0]
        lines.append(Line(what, seconds(before), seconds(after), (GROWTH * before + NOISE_SECONDS) / after, promised))
    return lines


def measure(sizes: Sequence[int], dimensions: int) -> list[Measured]:
    """Make a dataset of each size, mine it, ask for pages. Needs a database and an object store."""
    from accounts.models import User

    author = User.objects.create(username="bench", is_owner=True)
    return [_measure(size, dimensions, author) for size in sizes]


def _measure(size: int, dimensions: int, author: Any) -> Measured:
    from bench.mining.generated import generate
    from mining_jobs.services import MiningSpec, start_mining

    found = Measured(size)
    with _timed(found, f"make {size}"):
        version, model = generate(size, author=author, dimensions=dimensions, name=f"pool-{size}")
    found.once.clear()
    for name, spec in JOBS:
        with _timed(found, f"{name}: start"):
            job = start_mining(version, model, MiningSpec(count=PICKS, **spec), author=author)
        with _timed(found, f"{name}: find that all is scored"):
            _work(job.job_id, shards=job.job.shards.count() - 1)
        with _timed(found, f"{name}: select"), _watched(found, f"{name}: select"):
            _work(job.job_id, shards=1)
        _ask(found, name, job.pk, author)
    return found


@contextmanager
def _timed(found: Measured, what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    found.once[what] = time.perf_counter() - started
    print(f"{found.size:,}: {what} took {seconds(found.once[what])}", file=sys.stderr)


def _work(job: int, *, shards: int) -> None:
    from jobs import runner
    from jobs.models import Job

    for _ in range(shards):
        runner.work_on(job)
    if (state := Job.objects.get(pk=job).state) in {"failed", "cancelled"}:
        raise SystemExit(f"job {job} is {state}: {Job.objects.get(pk=job).error}")


@contextmanager
def _watched(found: Measured, what: str) -> Iterator[None]:
    """The most that this process and the programs it starts held in no file, beside what it held before, in MB."""
    process, done = psutil.Process(), threading.Event()
    before = most = _anonymous(process)

    def watch() -> None:
        nonlocal most
        while not done.wait(LOOK_SECONDS):
            with suppress(psutil.NoSuchProcess, OSError):
                family = [process, *process.children(recursive=True)]
                most = max(most, sum(_anonymous(one) for one in family))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    found.peak_mb[what] = (most - before) / 2**10


def _anonymous(process: psutil.Process) -> int:
    """KiB in memory that no file backs; 0 of a process that has ended but is still listed."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) if "RssAnon:" in status else 0


def _ask(found: Measured, name: str, job: int, author: Any) -> None:
    from rest_framework.test import APIClient

    client = APIClient()
    client.force_authenticate(author)

    def pages() -> Iterator[str]:
        address = f"/mining/jobs/{job}/picks?limit=20"
        while address:
            yield address
            following = client.get(address).json()["next"]
            address = following.removeprefix("http://testserver") if following else ""

    asked = {
        f"{name}: page of picks": list(pages())[:ASKED],
        f"{name}: one pick": [f"/mining/jobs/{job}/picks/{rank}" for rank in range(1, ASKED + 1)],
        f"{name}: histogram": [f"/mining/jobs/{job}/histogram"] * ASKED,
    }
    for what, addresses in asked.items():
        times = found.pages.setdefault(what, [])
        for address in addresses:
            started = time.perf_counter()
            answer = client.get(address)
            times.append(time.perf_counter() - started)
            if answer.status_code != 200:
                raise SystemExit(f"{address} answered {answer.status_code}")


@contextmanager
def _store(folder: Path) -> Iterator[None]:
    """An object store of our own for as long as it is needed, named to the environment."""
    from blobs.settings import StoreConfig
    from embedded import seaweed
    from embedded.ports import HOST

    config = seaweed.SeaweedConfig.on_free_ports(folder / "data", access_key="bench", secret_key=secrets.token_hex(16))
    argv, env, cwd = seaweed.command(config)
    with (folder / "s3.log").open("wb") as log:
        process = subprocess.Popen(argv, env=env, cwd=cwd, stdout=log, stderr=log)
    try:
        seaweed.wait_ready(config)
        address = f"{HOST}:{config.s3_port}"
        store = StoreConfig(address, config.access_key, config.secret_key, "bench-pool", secure=False)
        os.environ |= store.to_env() | {"MOTHERLODE_CACHE_DIR": str(folder / "cache")}
        yield
    finally:
        process.terminate()
        process.wait()


def main(arguments: Sequence[str]) -> None:
    """`FOLDER DIMENSIONS SIZE...`: measure there; the last line says what, as JSON."""
    from bench.versioning.rows import use_database

    folder, dimensions, sizes = Path(arguments[0]), int(arguments[1]), [int(size) for size in arguments[2:]]
    with _store(folder):
        use_database(folder, None)
        from blobs.services import store

        store().ensure_bucket()
        print(json.dumps([asdict(one) for one in measure(sizes, dimensions)]))


if __name__ == "__main__":
    main(sys.argv[1:])
