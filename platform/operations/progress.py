"""The progress of a backup or a restore: bars on a terminal, a line for each step elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bars
from rich.progress import TaskID

from motherlode.bars import BYTES, progress_bars


class Step:
    """The progress bar of one step."""

    def __init__(self, bars: Bars, task: TaskID) -> None:
        self._bars = bars
        self._task = task
        self._started = time.monotonic()
        self._done = 0

    def show(self, done: int, total: int) -> None:
        """Show the bytes done and the total."""
        self._done = done
        rate = done / max(time.monotonic() - self._started, 1e-3)
        eta = (total - done) / rate if rate else None
        self._bars.update(self._task, completed=done, total=max(total, 1), rate=rate, eta=eta, unit=BYTES)

    def add(self, count: int, total: int) -> None:
        """Add to the bytes done of the total."""
        self.show(self._done + count, total)


class Progress:
    """The steps of one command."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)

    @contextmanager
    def step(self, words: str) -> Iterator[Step]:
        """Context that shows a step that takes a while."""
        if not self._console.is_terminal:
            self.say(f"{words} ..")
        with progress_bars(self._console) as bars:
            yield Step(bars, bars.add_task(words, total=None, visible=self._console.is_terminal))

    def say(self, words: str) -> None:
        """Print a line of text."""
        self._console.print(words, markup=False, highlight=False, soft_wrap=True)
