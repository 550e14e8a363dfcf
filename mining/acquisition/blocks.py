"""Compute a number per row of large arrays, block by block, so that a block stays in the caches and memory is
bounded."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

BLOCK = 1 << 19
"""Numbers in a block: 2 MiB in single precision. In smaller ones, which fit the second-level cache, threads wait longer
for the interpreter's lock between NumPy's calls than they compute."""
AHEAD = 4
"""Blocks that a thread takes at once: passing each one separately halves the speed of a quick score. A cancel waits for
at most these."""


def by_blocks(
    score: Callable[..., Floats],
    *arrays: NDArray[Any],
    width: int = 0,
    between: Callable[[], None] | None = None,
) -> Floats:
    """Return (N,) the values of `score`, which gets the same rows of each of `arrays` (N, ...) and returns one number
    for each.

    Half precision is passed as single. `width` is how many numbers `score` holds per row, if more than a row of the
    first array. `between` is called before every few blocks; an exception from it ends the work. Blocks are shared
    among as many threads as OMP_NUM_THREADS says, or the process has cores; no value depends on any of this.
    """
    rows = len(arrays[0])
    size = max(1, BLOCK // max(1, width, arrays[0][:1].size))

    def work(first: int) -> list[Floats]:
        starts = range(first, min(first + size * AHEAD, rows), size)
        return [score(*(_single(array[at : at + size]) for array in arrays)) for at in starts]

    found: list[Floats] = []
    workers = threads()
    step = size * AHEAD * workers
    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, rows, step):
            if between is not None:
                between()
            shares = range(first, min(first + step, rows), size * AHEAD)
            for share in pool.map(work, shares) if len(shares) > 1 else map(work, shares):
                found += share
    return np.concatenate(found) if found else np.empty(0)


def threads() -> int:
    """Return the number of threads for numeric work."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, int(wanted)) if wanted.isdigit() else len(os.sched_getaffinity(0))


def _single(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.float32) if values.dtype == np.float16 else values
