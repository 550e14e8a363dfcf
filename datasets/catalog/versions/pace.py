"""The size of the pieces of long work: as many rows as are written in a fraction of a second."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

FIRST, LEAST, MOST = 500, 50, 20_000


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How long a piece should take, and the pause after it, in seconds."""

    piece: float
    pause: float


RHYTHMS = {"sqlite": Rhythm(0.1, 0.03), "postgresql": Rhythm(0.25, 0.0)}
"""SQLite has one lock for all: whoever waits for it looks every few milliseconds, and gets in while nobody has it."""


class Pace:
    """Adapts `size` to what the pieces took so far."""

    def __init__(self) -> None:
        self.size = FIRST
        self._rhythm = RHYTHMS[connection.vendor]

    @contextmanager
    def piece(self) -> Iterator[None]:
        """Measure one piece, then leave others room."""
        began = time.monotonic()
        yield
        seconds = max(time.monotonic() - began, 1e-4)
        wanted = self.size * self._rhythm.piece / seconds
        self.size = round(max(LEAST, self.size / 4, min(wanted, 2 * self.size, MOST)))
        time.sleep(self._rhythm.pause)
