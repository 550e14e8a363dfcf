"""What a dataset version offers each class to learn from, and what to say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from catalog.models import Split, Version
from catalog.versions import tallies
from registry.models import ModelVersion
from tasktypes.baseline import Baseline
from worker_programs.wording import plural

FEW = 5
"""Fewer labelled training samples of a class than these are a warning."""
NAMED = 10
"""The most classes that a warning names."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning about a training or a version: a stable code, and a sentence that says what to do."""

    code: str
    detail: str

    def document(self) -> dict[str, str]:
        return asdict(self)


def few_samples(version: Version, classes: Sequence[str]) -> dict[str, int]:
    """Return the labelled samples in split train of each class that has fewer than FEW."""
    counts = {name: n for (name,), n in tallies.count(version, {"split": Split.TRAIN}, "class_name").items()}
    return {name: counts.get(name, 0) for name in classes if counts.get(name, 0) < FEW}


def untrained(few: Mapping[str, int]) -> list[str]:
    """Return the classes without any sample."""
    return [name for name, samples in few.items() if not samples]


def training_warnings(few: Mapping[str, int], *, of: str) -> list[Warned]:
    """Return the warnings about classes with few samples in split train of `of`, a dataset version."""
    found = []
    if none := untrained(few):
        detail = (
            f"{plural(len(none), 'class has', 'classes have')} no labelled sample in split train of {of}, so the model "
            f"can't learn {'it' if len(none) == 1 else 'them'}: {_listed(none)}. Label some there"
        )
        found.append(Warned("class_without_samples", f"{detail}; the default gates refuse such a model."))
    if rare := [f"{name} ({samples})" for name, samples in few.items() if samples]:
        detail = f"{plural(len(rare), 'class has', 'classes have')} fewer than {FEW} labelled samples in split train"
        found.append(Warned("class_with_few_samples", f"{detail} of {of}: {_listed(rare)}. Label more."))
    return found


def baseline_words(found: Baseline) -> str:
    """Describe a model beside the commonest answer: `right on 50.0 % of 8 test samples, the commonest answer on ..`."""
    low, high = found.interval or (found.model - found.commonest,) * 2
    return (
        f"right on {100 * found.model:.1f} % of {plural(found.samples, 'test sample')}; always giving the commonest "
        f"answer is right on {100 * found.commonest:.1f} % (difference "
        f"{100 * (found.model - found.commonest):+.1f} points, 95 % interval {100 * low:.1f} to {100 * high:.1f})"
    )


def baseline_warnings(found: Baseline | None) -> list[Warned]:
    """Return the warning about a model that is no better than always giving the commonest answer, or not surely."""
    if found is None:
        return []
    if not found.beaten:
        detail = f"The model is no better than always giving the commonest answer: {baseline_words(found)}"
        return [Warned("no_better_than_commonest", f"{detail}; the default gates refuse it.")]
    if found.interval is not None and found.interval[0] <= 0:
        detail = f"By this test split the model may be no better than the commonest answer: {baseline_words(found)}."
        return [Warned("maybe_no_better_than_commonest", detail)]
    return []


def version_warnings(version: ModelVersion) -> list[Warned]:
    """Return what a version's page says of its training data and of its evaluation. Those of earlier releases say
    nothing: the gates look at their data."""
    told = version.metrics.get("baseline")
    few = stored_few(version.metrics) or {}
    return [
        *training_warnings(few, of=str(version.dataset_version)),
        *baseline_warnings(Baseline(**told) if told else None),
    ]


def stored_few(metrics: Mapping[str, Any]) -> dict[str, int] | None:
    """Return what a version's metrics say of classes with few samples; None for those of earlier releases and
    uploads."""
    return metrics.get("few_samples")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
