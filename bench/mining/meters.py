"""What the machine can do, and what a call takes of it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import psutil

from bench.mining.corpus import Array

T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """(seconds, what it answered)."""
    started = time.perf_counter()
    answer = run()
    return time.perf_counter() - started, answer


def best(run: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    return min(timed(run)[0] for _ in range(times))


def matrix_peak() -> float:
    """Floating-point operations per second of a large float32 product, all cores."""
    values = np.random.default_rng(0).standard_normal((4096, 4096), dtype=np.float32)
    return 2 * 4096**3 / best(lambda: values @ values)


def reading_peak(values: Array) -> float:
    """Bytes per second that all cores read of an array, for a sum of it."""
    cores = os.cpu_count() or 1
    parts = np.array_split(values.reshape(-1), 8 * cores)
    with ThreadPoolExecutor(cores) as pool:
        return values.nbytes / best(lambda: list(pool.map(np.max, parts)))


@contextmanager
def memory() -> Iterator[list[float]]:
    """A list that holds, at the end, by how many bytes the process grew at most inside."""
    process, stop, seen = psutil.Process(), threading.Event(), [0.0]
    before = process.memory_info().rss

    def look() -> None:
        while not stop.wait(0.02):
            seen[0] = max(seen[0], process.memory_info().rss - before)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        stop.set()
        watcher.join()
