"""Progress bars in one form everywhere: the step, the progress, the rate and the time left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Column
from rich.text import Text

if TYPE_CHECKING:
    from motherlode.documents import Job, Progress


SECONDS_PER_MINUTE = 60
EVEN_FROM = 10
BYTES = "bytes"
LARGER = ("kB", "MB", "GB", "TB")


class Pace(ProgressColumn):
    """Units per second and the time that is left, as the platform measured them."""

    def render(self, task: Task) -> Text:
        rate, eta = task.fields.get("rate"), task.fields.get("eta")
        words = []
        if rate and task.fields.get("unit") == BYTES:
            words.append(f"{amount(rate)}/s")
        elif rate:
            words.append(f"{rate:,.0f} {task.fields.get('unit', '')}/s" if rate >= EVEN_FROM else f"{rate:.1f}/s")
        if eta:
            words.append(f"{duration(eta)} left")
        return Text(" · ".join(words), style="dim")


class Count(ProgressColumn):
    """Units done of the total; empty while the total is not known."""

    def render(self, task: Task) -> Text:
        if task.total and task.fields.get("unit") == BYTES:
            return Text(f"{amount(task.completed)} of {amount(task.total)}")
        return Text(f"{task.completed:,.0f}/{task.total:,.0f}" if task.total else "")


def progress_bars(console: Console) -> Bars:
    """Return an empty set of bars, to be used as a context manager."""
    whole = Column(no_wrap=True)
    words = TextColumn("{task.description}", markup=False, table_column=whole)
    columns = (words, BarColumn(bar_width=20), Count(table_column=whole),
               Pace(table_column=whole), TimeElapsedColumn())  # fmt: skip
    return Bars(*columns, console=console)


class JobBar:
    """One bar that shows a job."""

    def __init__(self, bars: Bars, *, words: str | None = None) -> None:
        self._bars = bars
        self._words = words
        self._task = bars.add_task(words or "", total=None)

    def show(self, job: Job) -> None:
        """Show the job's progress now."""
        words = self._words or f"{job['title']} ({job['state']})"
        self._bars.update(self._task, description=words, **bar_fields(job["progress"]))

    def finish(self, units: int) -> None:
        """Show the bar as complete, also when there was no job to show."""
        self._bars.update(self._task, completed=units, total=units, rate=None, eta=None)


class StepBars:
    """One bar for each step of work that runs in this process, which measures its rate."""

    WORDS = {"hash": ("Hashing", "files"), "send": ("Sending", BYTES),
             "check": ("Checking", "files"), "fetch": ("Fetching", BYTES)}  # fmt: skip

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, tuple[TaskID, float]] = {}

    def show(self, step: str, done: int, total: int) -> None:
        """Show `done` of `total` units of a step: files or bytes."""
        words, unit = self.WORDS[step]
        if step not in self._tasks:
            self._tasks[step] = (self._bars.add_task(words, total=None), time.monotonic())
        task, started = self._tasks[step]
        rate = done / max(time.monotonic() - started, 1e-3)
        eta = (total - done) / rate if rate else None
        self._bars.update(task, completed=done, total=total, rate=rate, eta=eta, unit=unit)


def bar_fields(progress: Progress) -> dict[str, Any]:
    """Convert a job's progress to the fields of a bar."""
    pace = {name: progress[name] for name in ("rate", "eta", "unit")}
    return {"completed": progress["done"], "total": progress["total"] or None} | pace


def amount(count: float) -> str:
    """Format bytes for people: `812 bytes`, `1.2 MB`."""
    unit = BYTES
    for larger in LARGER:
        if count < 999.5:  # else three digits would say 1e+03
            break
        count, unit = count / 1000, larger
    return f"{count:.3g} {unit}"


def duration(seconds: float) -> str:
    """Format seconds for people: `42 s`, `3 min 20 s`."""
    if seconds < SECONDS_PER_MINUTE:
        return f"{seconds:.0f} s" if seconds >= EVEN_FROM else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), SECONDS_PER_MINUTE)
    return f"{minutes} min {rest} s"
