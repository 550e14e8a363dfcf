"""Process many items with few threads, keeping few items in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
THREADS = 4
AHEAD = 2 * THREADS


def in_parallel(work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """Yield each item with the result of `work`, in order. If the caller stops early or is interrupted, it waits only
    for calls that have begun. The threads must not use the database."""
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
