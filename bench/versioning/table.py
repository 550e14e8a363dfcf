"""What was measured, beside what was promised."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison. `ratio` is how many times better ours is than `theirs`; it must be at least `target`."""

    what: str
    theirs: str
    ours: str
    ratio: float | None = None
    target: float | None = None

    @property
    def verdict(self) -> str:
        """`yes`, `NO`, or nothing where nothing was promised."""
        if self.target is None or self.ratio is None:
            return ""
        return "yes" if self.ratio >= self.target else "NO"


def against(what: str, theirs: float, ours: float, *, target: float | None = None) -> Line:
    """A line of two durations in seconds."""
    return Line(what, seconds(theirs), seconds(ours), theirs / ours, target)


def show(title: str, lines: Iterable[Line]) -> None:
    """Print a table."""
    print(f"\n{title}\n\n  {'':<46}{'before':>14}{'ours':>14}{'ratio':>9}{'target':>9}  kept")
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.3g}"
        target = "" if line.target is None else f">= {line.target:g}"
        print(f"  {line.what:<46}{line.theirs:>14}{line.ours:>14}{ratio:>9}{target:>9}  {line.verdict}", flush=True)


def seconds(value: float) -> str:
    """A duration a person can read."""
    if value < 0.1:
        return f"{1000 * value:.1f} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """(p50, p95) of at least two values."""
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return cuts[9], cuts[18]
