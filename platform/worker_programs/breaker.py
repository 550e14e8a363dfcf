"""A circuit breaker: fails calls at once for a while after a service did not answer."""

import threading
import time


class Breaker:
    """After a timeout, no call to the service is let through for `rest` seconds; then one call tries, and the others
    still fail at once until it has ended. One per process, shared by its threads."""

    def __init__(self, *, rest: float) -> None:
        self.rest = rest
        self._lock = threading.Lock()
        self._until: float | None = None

    def lets_through(self) -> bool:
        """Whether the service may be called now. The caller reports the outcome by `silent` or `heard`."""
        with self._lock:
            if self._until is None:
                return True
            if time.monotonic() < self._until:
                return False
            self._until = time.monotonic() + self.rest  # this call tries; the others fail until its outcome is known
            return True

    def silent(self) -> None:
        """Report that the service did not answer in time."""
        self._until = time.monotonic() + self.rest

    def heard(self) -> None:
        """Report that the service answered, whatever the answer."""
        self._until = None
