"""Prefetching and mapping in threads, with the order and the errors of a plain loop."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, Queue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
DEPTH = 4
"""The most items that wait for their consumer."""
CHUNK = 16
"""Items that a thread takes at a time: handing over one small image costs more than decoding it."""


@dataclass(frozen=True, slots=True)
class _End:
    """Marks the end of a producer: it is done, or failed with `fault`."""

    fault: BaseException | None = None


def prefetched(items: Generator[T, None, None], *, depth: int = DEPTH) -> Generator[T, None, None]:
    """Yield `items`, made in a separate thread at most `depth` ahead; their errors are raised here, in order.

    To stop early, close the iterator (or drop it): this ends the thread and closes `items`.
    """
    queue: Queue[T | _End] = Queue(depth)
    stopped = threading.Event()
    thread = threading.Thread(target=_produce, args=(items, queue, stopped), name="prefetch", daemon=True)
    thread.start()
    try:
        while not isinstance(item := queue.get(), _End):
            yield item
        if item.fault is not None:
            raise item.fault
    finally:
        stopped.set()
        while thread.is_alive():
            with suppress(Empty):  # it may be waiting for room
                queue.get(timeout=0.01)
        thread.join()


def _produce(items: Generator[T, None, None], queue: "Queue[T | _End]", stopped: threading.Event) -> None:
    end = _End()
    try:
        for item in items:
            queue.put(item)
            if stopped.is_set():
                break
    except BaseException as fault:  # noqa: BLE001 - it is the consumer's to handle, whatever it is
        end = _End(fault)
    finally:
        items.close()
        queue.put(end)


def mapped(work: Callable[[T], R], items: Iterable[T], *, threads: int) -> Iterator[R]:
    """Apply `work` to each item with `threads` threads, in order; at most a few chunks per thread are held."""
    source = iter(items)
    waiting: deque[Future[list[R]]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="mapped") as pool:
        try:
            while chunk := list(islice(source, CHUNK)):
                waiting.append(pool.submit(_all, work, chunk))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _all(work: Callable[[T], R], chunk: list[T]) -> list[R]:
    return [work(item) for item in chunk]
