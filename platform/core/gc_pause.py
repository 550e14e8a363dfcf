"""When a process looks for garbage in cycles. What is in no cycle goes at once, whatever is said here."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_waiting = 0


def freeze() -> None:
    """Call this once all is imported: what is there stays for good and is not looked through again."""
    gc.collect()
    gc.freeze()


@contextmanager
def paused() -> Iterator[None]:
    """No search while this lasts, in any thread: for what makes a hundred thousand objects without a cycle, of whose
    time a third would go into it. Never around image bytes: pictures do lie in cycles."""
    global _waiting
    with _guard:
        _waiting += 1
        gc.disable()
    try:
        yield
    finally:
        with _guard:
            _waiting -= 1
            if not _waiting:
                gc.enable()
