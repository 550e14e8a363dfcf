"""The size of the pieces of long work: as many rows as take a quarter of a second to write."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

PIECE_SECONDS = 0.25
FIRST, LEAST, MOST = 500, 50, 20_000
GAP_SECONDS = 0.01
"""Between two pieces: SQLite's other writers, who look every few milliseconds, get in."""


class Pace:
    """Adapts `size` to what the pieces took so far."""

    def __init__(self) -> None:
        self.size = FIRST

    @contextmanager
    def piece(self) -> Iterator[None]:
        """Measure one piece, then leave others room."""
        began = time.monotonic()
        yield
        seconds = max(time.monotonic() - began, 1e-4)
        wanted = self.size * PIECE_SECONDS / seconds
        self.size = round(max(LEAST, self.size / 4, min(wanted, 2 * self.size, MOST)))
        time.sleep(GAP_SECONDS)
