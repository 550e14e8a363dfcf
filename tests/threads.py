"""Several threads at the same time, each with its own database connection."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def in_thread(work: Callable[[], None]) -> threading.Thread:
    """A thread that has begun this."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """The results of `work(0..count-1)`, all started together."""
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        try:
            barrier.wait(timeout=10)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
