"""Run slices of the rows on all cores at once, each with a single-threaded matrix product.

BLAS's own threads split every small product anew and wait for one another; on a busy machine they mostly wait.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it ships no types


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which a matrix product runs on one thread: faster for many small ones."""
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


def sliced(work: Callable[[slice], object], total: int, size: int) -> None:
    """Call `work` for every slice of `size` rows of `total`, several at once; an exception from it is raised."""
    spans = [slice(at, min(at + size, total)) for at in range(0, total, size)]
    cores = min(len(os.sched_getaffinity(0)), len(spans))
    with one_thread():
        if cores < 2:
            for span in spans:
                work(span)
            return
        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(work, spans))
