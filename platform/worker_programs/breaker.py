"""Lets nobody wait for a service that was silent a moment ago."""

import threading
import time


class Breaker:
    """After a silence nothing is asked of a service for `rest` seconds; then one call tries, and the others still fail
    at once until it has ended. Of one process; threads share it."""

    def __init__(self, *, rest: float) -> None:
        self.rest = rest
        self._lock = threading.Lock()
        self._until: float | None = None

    def lets_through(self) -> bool:
        """Whether the service may be asked now. Who asks says by `silent` or `heard` how that went."""
        with self._lock:
            if self._until is None:
                return True
            if time.monotonic() < self._until:
                return False
            self._until = time.monotonic() + self.rest  # this call tries; the others wait for what it finds
            return True

    def silent(self) -> None:
        """The service did not answer in time."""
        self._until = time.monotonic() + self.rest

    def heard(self) -> None:
        """The service answered, whatever it said."""
        self._until = None
