"""The two tables at the end: what mining saved, and where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from motherlode.bars import duration

if TYPE_CHECKING:
    from motherlode.documents import CurvePoint, Round


STEPS = {
    "training": "train the first model",
    "scoring": "score the pool, select",
    "queueing": "fill the queue",
    "labelling": "label",
    "committing": "commit",
    "retraining": "train, export, check",
    "gating": "gates, promotion",
}
PROGRAM = "program_"
METRICS = {"map": "mAP", "map50": "mAP50"}
"""Display names of metrics, if they differ from the metric's name; mAP is the mean over IoU .5 to .95, mAP50 that at
.5."""
INSIDE = {"program_select": "scoring"}  # the other programs ran in the training step


@dataclass(frozen=True, slots=True)
class Loading:
    """Number of images sent and the seconds it took; 0 images if they were there already or came as a fork."""

    images: int
    seconds: float
    forked: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """All measurements of one arm."""

    title: str
    points: Sequence[CurvePoint]
    rounds: Sequence[Round]
    loading: Loading
    more: Sequence[Sequence[CurvePoint]] = ()
    """The curves of other metrics."""


@dataclass(frozen=True, slots=True)
class Saving:
    """The random arm's last value, and the number of labels with which mining was measured to be as good (None:
    never)."""

    metric: str
    target: float
    labels: int
    needed: int | None

    def words(self) -> str:
        """Describe the saving in a sentence."""
        goal = f"random's final {metric_name(self.metric)} ({self.target:.2%} with {self.labels} labels)"
        if self.needed is None:
            return f"Mined picks did not reach {goal} in this run."
        saved = self.labels - self.needed
        if saved <= 0:
            return f"Mined picks reach {goal} with as many labels: none saved in this run."
        share = saved / self.labels
        return f"Mined picks first reach {goal} with {self.needed} labels: {saved} labels saved ({share:.0%})."


def saving(mined: Sequence[CurvePoint], random: Sequence[CurvePoint]) -> Saving:
    """Find the labels that mining needs to be as good as random at its end, as measured, not interpolated."""
    last = max(random, key=lambda point: point["labels"])
    enough = [point["labels"] for point in mined if point["value"] >= last["value"]]
    return Saving(last["metric"], last["value"], last["labels"], min(enough, default=None))


def metric_name(metric: str) -> str:
    """Return the metric's name as written within a sentence."""
    return METRICS.get(metric, metric.replace("_", " "))


def curve_title(points: Sequence[CurvePoint]) -> str:
    """Return the title of a curve."""
    name = metric_name(points[0]["metric"])
    return f"{name.capitalize() if name.islower() else name} on the test split, by number of labels"


def other_point(point: CurvePoint, metric: str, figures: Mapping[str, Any]) -> CurvePoint:
    """Return the curve point of the same model for another metric of its evaluation."""
    low, high = (figures.get("intervals") or {}).get(metric) or (None, None)
    return {**point, "metric": metric, "value": figures[metric] or 0.0, "accuracy": None, "low": low, "high": high}


def print_curves(console: Console, mined: Outcome, random: Outcome) -> None:
    """Print each metric by number of labels, mined against random, the main metric first."""
    for ours, theirs in zip([mined.points, *mined.more], [random.points, *random.more], strict=True):
        _print_curve(console, ours, theirs)


def _print_curve(console: Console, mined: Sequence[CurvePoint], random: Sequence[CurvePoint]) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0))
    for column in ("labels", "mined", "random", "difference"):
        table.add_column(column, justify="right")
    ours = {point["labels"]: point["value"] for point in mined}
    theirs = {point["labels"]: point["value"] for point in random}
    for labels in sorted(ours | theirs):
        left, right = ours.get(labels), theirs.get(labels)
        difference = "-" if left is None or right is None else f"{(left - right) * 100:+.2f} points"
        table.add_row(f"{labels:,}", _percent(left), _percent(right), difference)
    console.print(f"[bold]{curve_title(random)}[/]")
    console.print(table)
    console.print(saving(mined, random).words(), highlight=False, soft_wrap=True)


def print_times(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Print seconds of each step over all rounds, and images per second; programs inside a step are indented."""
    table = Table(box=None, padding=(0, 3, 0, 0))
    table.add_column("step")
    for outcome in outcomes:
        table.add_column(outcome.title, justify="right")
        table.add_column("images/s", justify="right", style="dim")
    for step, words in _rows(outcomes):
        cells = [cell for outcome in outcomes for cell in _cells(outcome, step)]
        if any(cells):
            table.add_row(words, *cells)
    console.print("[bold]Where the time went[/]")
    console.print(table)


def _cells(outcome: Outcome, step: str) -> tuple[str, str]:
    """Format seconds and images per second of one step of one arm."""
    if step == "load":
        images, seconds = outcome.loading.images, outcome.loading.seconds
        if outcome.loading.forked:
            return f"{duration(seconds)}, a fork", ""
        return (duration(seconds), f"{images / seconds:,.0f}") if images else ("there already", "")
    seconds = sum(round_["timings"].get(step, 0.0) for round_ in outcome.rounds)
    return (duration(seconds), _rate(outcome, step, seconds)) if seconds else ("", "")


def _rate(outcome: Outcome, step: str, seconds: float) -> str:
    if step in {"labelling", "committing"}:
        labelled = sum(round_["queue_counts"]["done"] for round_ in outcome.rounds if round_["queue_counts"])
        return f"{labelled / seconds:,.0f}"
    name = {"scoring": "score"}.get(step, step.removeprefix(PROGRAM))
    rates = [rate for round_ in outcome.rounds if (rate := round_["images_per_second"].get(name))]
    return f"{sum(rates) / len(rates):,.0f}" if rates else ""


def _rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield the steps in order with their descriptions, each followed by the programs that ran in it."""
    yield "load", "load the images"
    timed = dict.fromkeys(name for outcome in outcomes for round_ in outcome.rounds for name in round_["timings"])
    programs = [name for name in timed if name.startswith(PROGRAM)]
    for step, words in STEPS.items():
        yield step, words
        for name in programs:
            if INSIDE.get(name, "retraining") == step:
                yield name, f"  of which {name.removeprefix(PROGRAM).replace('_', ' ')}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"
