"""What a version got right and wrong on its evaluation samples, one by one: a cell of its confusion matrix, missed
classes or objects, wrong predictions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from catalog.filtering.meta_sql import DigestIn
from catalog.models import RevisionQuerySet, Split, Version
from core.errors import Conflict, Invalid, Unprocessable
from core.list_parameters import listed
from core.parameters import probability
from registry.evidence import Evidence, Uncomputable
from registry.models import Model, ModelVersion
from tasktypes.outcomes import CELL, KINDS, MISSED, NOTHING, SAID, WRONG, Kind, Outcomes
from tasktypes.predictions import Predictions, told_right_by

BINS = 10
MOST_SAMPLES = 10_000
"""The most samples in a list: mining and queues take as many keys."""
BACKGROUND_NAMES = ("background", str(NOTHING))
"""Names of the background, unless a class has the same name."""
BY_SCORE: Literal["score"] = "score"
BY_CLASS: Literal["class"] = "class"
ORDERS = (BY_SCORE, BY_CLASS)
FIELDS = {CELL: ("label", "predicted"), MISSED: ("class",), WRONG: ("class",), SAID: ("class",)}
"""The query parameters for classes that each kind takes."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which outcomes to list: those of a cell, or those of a `kind` for one class or all; at the version's thresholds
    or at one for all classes; in one slice or everywhere."""

    kind: Kind
    label: int | None = None
    predicted: int | None = None
    threshold: float | None = None
    slice: str | None = None
    order: str = BY_SCORE
    bounds: tuple[float, float] = (0.0, 1.0)
    """The range of scores: from the first, below the second, which is included if it is 1."""

    @classmethod
    def of(cls, model: Model, asked: Mapping[str, str]) -> "Wanted":
        """Parse query parameters. Raises Invalid naming the faulty parameter."""
        kind = asked.get("kind", "")
        if kind not in KINDS:
            raise Invalid.field("kind", f"must be one of {', '.join(KINDS)}")
        for name in ("label", "predicted", "class"):
            if name in asked and name not in FIELDS[kind]:
                raise Invalid.field(name, f"{kind} takes {' and '.join(FIELDS[kind])} instead")
        order = asked.get("order", BY_SCORE)
        if order not in ORDERS:
            raise Invalid.field("order", f"must be one of {', '.join(ORDERS)}")
        classes = {name: _index(model, name, asked[name]) for name in FIELDS[kind] if name in asked}
        if kind == CELL:
            for name in FIELDS[CELL]:
                if name not in classes:
                    raise Invalid.field(name, "name the class: a cell has a true and a predicted one")
            if set(classes.values()) == {NOTHING}:
                raise Invalid.field(
                    "predicted", "is the background like the label: nothing is counted there", code="no_cell"
                )
        elif classes.get("class") == NOTHING:
            raise Invalid.field("class", f"the background is never {kind}: name a class, or none for all")
        one = classes.get("class")
        return cls(
            kind=kind,
            label=classes.get("label", one),
            predicted=classes.get("predicted", one),
            threshold=probability("threshold", asked["threshold"]) if "threshold" in asked else None,
            slice=asked.get("slice"),
            order=order,
            bounds=_bounds(asked),
        )

    def among(self, outcomes: Outcomes) -> Outcomes:
        """The wanted ones among `outcomes`, in the wanted order."""
        if self.kind == CELL:
            assert self.label is not None and self.predicted is not None  # noqa: S101, PT018 - `of` has seen to it
            found = outcomes.cell(self.label, self.predicted)
        else:
            listed = {MISSED: outcomes.missed, WRONG: outcomes.wrong, SAID: outcomes.answers}
            found = listed[self.kind](self.predicted)
        return found.surest_first(by_class=self.order == BY_CLASS)

    def counts(self, outcomes: Outcomes) -> dict[str, int] | None:
        """Count the right, wrong and missed outcomes of the class (or of all); None for a cell."""
        if self.kind == CELL:
            return None
        one = self.label
        found = {"right": outcomes.told_right(one), "wrong": outcomes.wrong(one), "missed": outcomes.missed(one)}
        return {name: len(part) for name, part in found.items()}


def calibration(version: ModelVersion) -> list[dict[str, Any]]:
    """Bin a version's predictions by confidence: `{low, high, said, right, confidence}` of BINS equal bins, the mean
    confidence None in an empty bin. Raises like `OutcomeList`."""
    found = version.model.task_type.metrics.outcomes(_predictions(version), None)
    if found is None:
        words = f"the task type {version.model.task} does not tell what was right one by one"
        raise Unprocessable(words, code="task_unsuited")
    said, bins = found.answers(), []
    for place in range(BINS):
        low, high = place / BINS, (place + 1) / BINS
        inside = said.take(_within(said.score, (low, high)))
        mean = float(inside.score.mean(dtype=np.float64)) if len(inside) else None
        right = int(inside.right.sum())
        bins.append({"low": low, "high": high, "said": len(inside), "right": right, "confidence": mean})
    return bins


@dataclass(frozen=True, slots=True)
class EvaluatedSample:
    """The sample behind a row of predictions; `sample` is None if it is no longer in the dataset's head."""

    sample: int | None
    key: str
    width: int | None
    height: int | None


class OutcomeList:
    """The wanted outcomes of a version.

    Raises Conflict where its predictions are not kept, Unprocessable for a task type that has no such list, and Invalid
    (`slice`) for a slice that the version was not evaluated on.
    """

    def __init__(self, version: ModelVersion, wanted: Wanted, right_in: ModelVersion | None = None) -> None:
        """With `right_in`, only outcomes of samples that this other version predicted right in every part."""
        self.version, self.wanted = version, wanted
        self._metrics, self._said, self.asked = version.model.task_type.metrics, _predictions(version), _asked(version)
        found = self._metrics.outcomes(self._said, wanted.threshold)
        if found is None:
            words = f"the task type {version.model.task} does not tell what was right one by one"
            raise Unprocessable(words, code="task_unsuited")
        if wanted.kind == CELL and not self._metrics.has_confusion:
            words = f"kind: {version.model.task} has no confusion matrix, ask for missed or wrong"
            raise Unprocessable(words, code="task_unsuited")
        if wanted.slice is not None:
            found = found.take(_members(self._said, wanted.slice)[found.sample])
        if right_in is not None:
            found = found.take(told_right_by(self._said, _predictions(right_in))[found.sample])
        found = found.take(_within(found.score, wanted.bounds))
        self.outcomes, self.counts = wanted.among(found), wanted.counts(found)
        labelled = self.asked.revisions.exclude(label=None)
        in_test = labelled.filter(split=Split.TEST)
        # The same choice as in `prove_phase.evaluated_on`.
        self.split = Split.TEST if in_test.exists() else Split.VAL
        self._evaluated = in_test if self.split == Split.TEST else labelled.filter(split=Split.VAL)

    def document(self, rows: slice) -> dict[str, Any]:
        """The list with its total and counts, and the given page of its rows."""
        shown = self.outcomes.take(np.arange(len(self.outcomes))[rows])
        known = self._samples(shown.sample)
        places = self._metrics.places(self._said, shown, self.wanted.threshold)
        return self._head() | {
            "total": len(self.outcomes),
            "counts": self.counts,
            "results": [
                {"md5": self._md5(row), "key": None, "sample": None, "width": None, "height": None}
                | _facts(known.get(row))
                | {"label": self._name(label), "predicted": self._name(predicted), "score": score}
                | {"box": None, "object": None, "overlap": None} | place
                for row, label, predicted, score, place in zip(
                    *(getattr(shown, name).tolist() for name in ("sample", "label", "predicted", "score")), places,
                    strict=True,
                )
            ],
        }  # fmt: skip

    def samples_document(self) -> dict[str, Any]:
        """The samples behind the whole list, each once, in the list's order: of the first MOST_SAMPLES, those that are
        still in the dataset's head."""
        rows, first = np.unique(self.outcomes.sample, return_index=True)
        ordered = rows[np.argsort(first)]
        known = self._samples(ordered[:MOST_SAMPLES])
        there = [known[row] for row in ordered[:MOST_SAMPLES].tolist() if row in known]
        kept = [{"id": one.sample, "key": one.key} for one in there if one.sample is not None]
        return self._head() | {"total": len(ordered), "samples": kept}

    def _head(self) -> dict[str, Any]:
        return {"dataset": self.asked.dataset.name, "version": self.asked.number, "split": self.split}

    def _name(self, index: int) -> str | None:
        return None if index == NOTHING else self.version.model.classes[index]

    def _md5(self, row: int) -> str:
        return _hex(self._said.md5[row])

    def _samples(self, rows: NDArray[np.intp]) -> dict[int, EvaluatedSample]:
        """Map rows of the predictions to their samples. Where several samples have the same bytes, they and their rows
        are in the order of their keys; a row whose sample was erased is left out."""
        chosen = np.unique(rows)
        places, sharing = _among_equals(self._said.md5, chosen)
        known = self._by_digest([self._md5(row) for row in chosen.tolist()])
        found = {}
        for row, place, count in zip(chosen.tolist(), places.tolist(), sharing.tolist(), strict=True):
            samples = known.get(self._md5(row), ())
            if samples:
                found[row] = samples[place if len(samples) == count else min(place, len(samples) - 1)]
        return found

    def _by_digest(self, digests: Sequence[str]) -> dict[str, list[EvaluatedSample]]:
        names = ("blob__md5", "sample_id", "sample__key", "blob__width", "blob__height")
        rows = list(self._evaluated.filter(DigestIn(list(digests))).values_list(*names))
        there = _at_head(self.asked, [row[1] for row in rows])
        found = defaultdict(list)
        for md5, sample, key, width, height in sorted(rows, key=lambda row: row[2]):
            found[md5].append(EvaluatedSample(sample if sample in there else None, key, width, height))
        return found


def _facts(known: EvaluatedSample | None) -> dict[str, Any]:
    if known is None:
        return {}
    return {"key": known.key, "sample": known.sample, "width": known.width, "height": known.height}


def _at_head(asked: Version, samples: Sequence[int]) -> set[int]:
    head = asked.dataset.head
    rows: RevisionQuerySet = head.revisions if head is not None else asked.revisions
    return set(rows.filter(sample__in=listed(samples)).values_list("sample_id", flat=True))


def _among_equals(md5: NDArray[np.bytes_], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each row's place among the rows with the same digest, and how many of these there are."""
    order = np.argsort(md5, kind="stable")
    ranked, place = md5[order], np.empty(len(md5), np.intp)
    place[order] = np.arange(len(md5))
    first, end = (np.searchsorted(ranked, md5[rows], side) for side in ("left", "right"))
    return place[rows] - first, end - first


def _hex(digest: bytes) -> str:
    return digest.ljust(16, b"\0").hex()


def _predictions(version: ModelVersion) -> Predictions:
    try:
        return Evidence(version).file()
    except Uncomputable as reason:
        raise Conflict(f"{reason}: train it again to keep what it says.", code="predictions_missing") from reason


def _asked(version: ModelVersion) -> Version:
    if version.dataset_version is None:
        raise Conflict(f"{version} was not trained here: its test images are not known.", code="predictions_missing")
    return version.dataset_version


def _members(said: Predictions, name: str) -> NDArray[np.bool_]:
    if name not in said.slices:
        known = f"; there are {', '.join(said.slices)}" if said.slices else ": it was evaluated on none"
        raise Invalid.field("slice", f"the version was not evaluated on a slice {name!r}{known}", code="unknown_slice")
    return said.slices[name]


def _within(scores: NDArray[np.float32], bounds: tuple[float, float]) -> NDArray[np.bool_]:
    low, high = (np.float32(bound) for bound in bounds)
    return (scores >= low) & ((scores <= high) if high == 1 else (scores < high))


def _index(model: Model, field: str, name: str) -> int:
    """The index of a class, or NOTHING for the background."""
    if name in model.classes:
        return int(model.classes.index(name))
    if model.task_type.metrics.background and name in BACKGROUND_NAMES:
        return NOTHING
    raise Invalid.field(field, f"unknown class {name!r}", code="unknown_class")


def _bounds(asked: Mapping[str, str]) -> tuple[float, float]:
    low, high = (probability(name, asked.get(name, usual)) for name, usual in (("score_from", "0"), ("score_to", "1")))
    return low, high
