"""Pause Python's search for reference cycles. Objects in no cycle are freed at once all the same."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_paused = 0


def freeze() -> None:
    """Exclude all objects that exist now from the search for cycles: call this once everything is imported."""
    gc.collect()
    gc.freeze()


@contextmanager
def paused() -> Iterator[None]:
    """Pause the search inside this block, in all threads: for code that makes a hundred thousand objects without a
    cycle and would spend a third of its time on the search. Never use it around image bytes: pictures do lie in
    cycles."""
    global _paused
    with _guard:
        _paused += 1
        gc.disable()
    try:
        yield
    finally:
        with _guard:
            _paused -= 1
            if not _paused:
                gc.enable()
