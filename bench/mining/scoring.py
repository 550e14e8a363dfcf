"""Scoring from the object store, by the program that workers run, beside the model and the decoder alone."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, cast

import numpy as np
import psutil

from bench.mining.bucket import Pool, boxes, bucket, mnist, photos
from bench.versioning.table import Line, show
from blobs.decoding import load
from blobs.settings import StoreConfig
from export.runtime import INPUT, Session
from scoring.pipeline import sensible_batch
from worker_programs.manifest import write_manifest

SHARE = 0.9
"""Of the bare loop's or the decoder's images per second."""
SCALING = 1.8
FLAT = 0.9
"""What the memory of a small pool must at least be of a large one's."""
THREADS = 1
WARM = 64
"""Images that are scored before the clock runs: models and connections are then open."""
BARE_SECONDS = 5.0
_loops: list["Bare"] = []  # of a process that runs bare loops


@dataclass(frozen=True, slots=True)
class Sizes:
    """Images of each pool, and in a shard of it."""

    digits: tuple[int, int] = (60_000, 10_000)
    photos: tuple[int, int] = (5000, 500)
    boxes: tuple[int, int] = (2000, 200)
    promised: bool = True
    """Small pools prove nothing."""


QUICK = Sizes((2000, 500), (60, 20), (60, 20), promised=False)


class Scorer:
    """`python -m scoring` as a worker keeps it: one shard after another, each read from the object store."""

    def __init__(self, store: StoreConfig, folder: Path, *, core: int | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        environment = {**os.environ, **store.to_env(), "MOTHERLODE_CACHE_DIR": "", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scoring"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            encoding="utf-8",
        )
        if core is not None:
            psutil.Process(self._process.pid).cpu_affinity([core])

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        cast(IO[str], self._process.stdin).close()
        self._process.wait()

    def shard(self, pool: Pool, first: int, last: int) -> float:
        """Seconds that samples first..last took, from the manifest to the score file."""
        manifest = write_manifest(self._folder / "samples.jsonl", pool.samples[first:last])
        started = time.perf_counter()
        config = {"model": str(pool.model), "samples": str(manifest), "out": str(self._folder / "out.npz")}
        (self._folder / "config.json").write_text(json.dumps(config | {"threads": THREADS}))
        asked, told = cast(IO[str], self._process.stdin), cast(IO[str], self._process.stdout)
        asked.write(f"{self._folder / 'config.json'}\n")
        asked.flush()
        events = (json.loads(line) for line in told)
        result = next(event for event in events if event["event"] in {"result", "error"})
        assert result.get("scored") == last - first, result
        return time.perf_counter() - started

    @property
    def busy(self) -> float:
        """Seconds of CPU that it has taken, in all its threads."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    @property
    def peak_mb(self) -> int:
        """Most memory that it held so far."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) >> 10


def run(*, quick: bool) -> list[Line]:
    """All tables."""
    sizes, lines = QUICK if quick else Sizes(), list[Line]()
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name, bucket(Path(name)) as store:
        for make, (count, shard) in ((mnist, sizes.digits), (photos, sizes.photos), (boxes, sizes.boxes)):
            folder = Path(name)
            pool = make(store, folder, count)
            spans = [(at, min(at + shard, count)) for at in range(0, count, shard)]
            found = throughput(pool, store, folder, spans) + scaling(pool, store, folder, spans)
            title = f"Scoring {count:,} {pool.name} out of the object store, {THREADS} thread of ONNX Runtime"
            shown = found if sizes.promised else [Line(line.what, line.theirs, line.ours, line.ratio) for line in found]
            show(title, shown)
            lines += shown
    return lines


def throughput(pool: Pool, store: StoreConfig, folder: Path, spans: Sequence[tuple[int, int]]) -> list[Line]:
    """The best of each, in turn: what else runs here hits all alike. The memory of two shards and of all."""
    bare, decoder, ours = Bare(pool), list[float](), list[float]()
    rates = list[float]()
    started = time.perf_counter()
    with Scorer(store, folder) as scorer:
        scorer.shard(pool, 0, min(WARM, len(pool.samples)))
        start = time.perf_counter() - started
        small, busy = 0, scorer.busy
        for number, (first, last) in enumerate(spans):
            rates.append(bare.rate(last - first))
            decoder.append(decode_rate(pool, last - first))
            ours.append((last - first) / scorer.shard(pool, first, last))
            small = small or (scorer.peak_mb if number else 0)
        whole, busy = scorer.peak_mb, scorer.busy - busy
    alone, ours_busy = bare.images / bare.busy, len(pool.samples) / busy
    bound = min(max(rates), max(decoder))
    name = "the bare loop" if bound == max(rates) else "the decoder alone"
    return [
        Line(f"images per second beside {name}", f"{bound:,.0f}/s", f"{max(ours):,.0f}/s", max(ours) / bound, SHARE),
        Line("images per second of CPU, in all its threads", f"{alone:,.0f}", f"{ours_busy:,.0f}", ours_busy / alone),
        Line("the bare loop, tensors in memory", f"{max(rates):,.0f}/s", ""),
        Line("the decoder alone, bytes in memory", f"{max(decoder):,.0f}/s", ""),
        Line("first start, once per worker", "", f"{start:.1f} s"),
        Line("peak memory: two shards, and all", f"{small} MB", f"{whole} MB", small / whole, FLAT),
    ]


def scaling(pool: Pool, store: StoreConfig, folder: Path, spans: Sequence[tuple[int, int]]) -> list[Line]:
    """All shards by one process on one core, and by two on two."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        print("  two processes were left out: there is one core")
        return []
    one, two = (pinned(pool, store, folder, spans, used) for used in (cores[:1], cores))
    alone, both = (side_by_side(pool, used) for used in (cores[:1], cores))
    return [
        Line("two processes on two cores beside one on one", f"{one:,.0f}/s", f"{two:,.0f}/s", two / one, SCALING),
        Line("  two bare loops on two cores beside one on one", f"{alone:,.0f}/s", f"{both:,.0f}/s", both / alone),
    ]


def pinned(
    pool: Pool, store: StoreConfig, folder: Path, spans: Sequence[tuple[int, int]], cores: Sequence[int]
) -> float:
    """Images per second of a scorer on each of these cores, which take shards as they are free."""
    waiting = deque(spans)

    def work(scorer: Scorer) -> None:
        while waiting:
            scorer.shard(pool, *waiting.popleft())

    with ExitStack() as stack:
        scorers = [stack.enter_context(Scorer(store, folder, core=core)) for core in cores]
        with ThreadPoolExecutor(len(cores)) as threads:
            list(threads.map(lambda scorer: scorer.shard(pool, 0, min(WARM, len(pool.samples))), scorers))
            started = time.perf_counter()
            list(threads.map(work, scorers))
            return len(pool.samples) / (time.perf_counter() - started)


def side_by_side(pool: Pool, cores: Sequence[int]) -> float:
    """Images per second of a bare loop on each of these cores, all at once: what the machine itself gives."""
    spawn = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        loops = [stack.enter_context(spawn.Pool(1)) for _ in cores]
        for loop, core in zip(loops, cores, strict=True):
            loop.apply(_bare_on, (replace(pool, samples=[]), core))
        return sum(rate.get() for rate in [loop.apply_async(_bare_for, (BARE_SECONDS,)) for loop in loops])


def _bare_on(pool: Pool, core: int) -> None:
    """Make this process's bare loop, on one core."""
    psutil.Process().cpu_affinity([core])
    _loops.append(Bare(pool))


def _bare_for(seconds: float) -> float:
    """Images per second of this process's bare loop."""
    started, images = time.perf_counter(), 0
    while (took := time.perf_counter() - started) < seconds:
        images += _loops[0].batch
        _loops[0].rate(_loops[0].batch)
    return images / took


class Bare:
    """The same file with as many threads on float tensors that lie ready, and nothing else."""

    def __init__(self, pool: Pool) -> None:
        session = Session(pool.model.read_bytes(), threads=THREADS)
        self._session, self._names = session._session, session.names[1:]  # noqa: SLF001 - bare on purpose
        self.batch = sensible_batch(pool.size)
        shape = (self.batch, *pool.size)
        self._pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.float32)
        self.images, self.busy = 0, 0.0
        self.rate(self.batch)  # the first call allocates
        self.images, self.busy = 0, 0.0

    def rate(self, images: int) -> float:
        """Images per second of about so many."""
        started, busy, calls = time.perf_counter(), time.process_time(), -(-images // self.batch)
        for _ in range(calls):
            self._session.run(list(self._names), {INPUT: self._pixels})
        self.images += calls * self.batch
        self.busy += time.process_time() - busy
        return calls * self.batch / (time.perf_counter() - started)


def decode_rate(pool: Pool, images: int) -> float:
    """Images per second that the program's own decoder makes of bytes in memory, in one thread."""
    started = time.perf_counter()
    for number in range(images):
        load(pool.some[number % len(pool.some)], pool.size)
    return images / (time.perf_counter() - started)
