"""Few threads over many items, with few of them in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
THREADS = 4
AHEAD = 2 * THREADS


def in_parallel(work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """Each item with what `work` makes of it, in order. Who stops asking, or is interrupted, waits only for what has
    begun. Threads have no database."""
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="objects")
    under_way: deque[tuple[T, Future[R]]] = deque()
    try:
        for item in items:
            under_way.append((item, pool.submit(work, item)))
            if len(under_way) > AHEAD:
                first, future = under_way.popleft()
                yield first, future.result()
        while under_way:
            first, future = under_way.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
