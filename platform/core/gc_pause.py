"""Pause Python's search for reference cycles. Objects in no cycle are freed at once all the same."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_paused = 0


def freeze() -> None:
    """Call this once everything is imported: objects that exist now stay, and are not searched again."""
    gc.collect()
    gc.freeze()


@contextmanager
def paused() -> Iterator[None]:
    """No search inside of this block, in any thread: for code that makes a hundred thousand objects without a cycle and
    would spend a third of its time on the search. Never around image bytes: pictures do lie in cycles."""
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
