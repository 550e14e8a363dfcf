"""The time that verifying and drawing took in a queue, and what people did with suggested objects."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from labeling.models import Answer, Queue
from tasktypes.label_parts import OUTCOMES

DIGITS = 2


@dataclass(slots=True)
class _Verified:
    """Suggested objects that people were asked about: their outcomes, and the seconds of each question."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, one: Mapping[str, Any]) -> None:
        self.outcomes[one["outcome"]] += 1
        self.seconds.append(one["seconds"])

    def document(self) -> dict[str, Any]:
        counts = {name: self.outcomes[name] for name in OUTCOMES}
        return {"asked": len(self.seconds)} | counts | {"median_seconds": _median(self.seconds)}


@dataclass(slots=True)
class _Counted:
    """Statistics of a queue's labels. `drawing` has the seconds of each drawn object: an image's time is split
    equally."""

    answers: int = 0
    verified: int = 0
    all_objects: _Verified = field(default_factory=_Verified)
    by_class: dict[str, _Verified] = field(default_factory=lambda: defaultdict(_Verified))
    missing: Counter[str] = field(default_factory=Counter)
    drawn: Counter[str] = field(default_factory=Counter)
    found: list[bool] = field(default_factory=list)
    looking: list[float] = field(default_factory=list)
    drawing: list[float] = field(default_factory=list)

    def add_verified(self, told: Mapping[str, Any], *, shown: bool) -> None:
        """Count a verified answer. Drawn objects count as missed by the model only where a suggestion was shown."""
        self.verified += 1
        for one in told["objects"]:
            self.all_objects.add(one)
            self.by_class[one["class"]].add(one)
        if shown:
            self.found.append(told["missing"]["found"])
            self.looking.append(told["missing"]["seconds"])
            self.missing.update(told["drawn"]["counts"])
        self.add_drawn(told["drawn"]["counts"], told["drawn"]["seconds"])

    def add_drawn(self, counts: Mapping[str, int], seconds: float) -> None:
        self.drawn.update(counts)
        objects = sum(counts.values())
        self.drawing += [seconds / objects] * objects if objects else []


def statistics(queue: Queue) -> dict[str, Any]:
    """Return a queue's verification statistics as the API shows them. Of labels that were not verified, only those
    drawn without a suggestion count: the drawing time of the others is unknown."""
    counted, labels = _Counted(), queue.dataset.task_type.labels
    rows = Answer.objects.verdicts().filter(task__queue=queue, value__isnull=False)
    columns: Iterable[tuple[Any, bool, Any, float]] = rows.values_list(
        "verification", "shown_suggestion", "value", "seconds"
    )
    for told, shown, value, seconds in columns:
        counted.answers += 1
        if told is not None:
            counted.add_verified(told, shown=shown)
        elif labels.has_objects and not shown:
            counted.add_drawn(labels.class_counts(value), seconds)
    return {
        "mode": queue.mode,
        "answers": counted.answers,
        "verified": counted.verified,
        "objects": counted.all_objects.document(),
        "missing": {
            "asked": len(counted.found),
            "found": sum(counted.found),
            "median_seconds": _median(counted.looking),
        },
        "drawn": {"objects": len(counted.drawing), "median_seconds": _median(counted.drawing)},
        "by_class": _by_class(counted, queue.dataset.classes),
    }


def _by_class(counted: _Counted, classes: Sequence[str]) -> list[dict[str, Any]]:
    """Return statistics by class, in the dataset's order; classes that it no longer has come last."""
    named = set(counted.by_class) | set(counted.drawn)
    order = [name for name in classes if name in named]
    order += sorted(named - set(order))
    return [
        {"class": name}
        | counted.by_class[name].document()
        | {"missing": counted.missing[name], "drawn": counted.drawn[name]}
        for name in order
    ]


def _median(seconds: Sequence[float]) -> float | None:
    return round(median(seconds), DIGITS) if seconds else None
