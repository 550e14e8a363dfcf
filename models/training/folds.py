"""Cross-validation on the labels at hand: folds, and what was right in them. NumPy only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import CONFIDENCE, DRAWS, Interval, ends, means
from tasktypes.rates import wilson

Indices = NDArray[np.intp]
LIKELY = 0.8
"""The confidence of an interval of which a tenth of the resamples is below."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate's answers for samples that it has not learned from: how often each was `right`, 0..1."""

    name: str
    right: NDArray[np.float64]

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.right.mean())

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the accuracy."""
        return wilson(float(self.right.sum()), len(self.right))

    def beyond(self, other: "Judged", confidence: float = CONFIDENCE) -> Interval:
        """The interval of the difference to another candidate's accuracy, paired by sample."""
        drawn = means([self.right - other.right]).drawn(DRAWS)[0]
        interval = ends(drawn, confidence)
        assert interval is not None  # noqa: S101 - only NaN figures have none
        return interval

    def likely_beats(self, other: "Judged") -> bool:
        """Whether the difference is above zero in nine of ten resamples."""
        return self.beyond(other, LIKELY)[0] > 0

    def surely_beats(self, other: "Judged") -> bool:
        """Whether the whole interval of the difference is above zero."""
        return self.beyond(other)[0] > 0


def dealt(labels: NDArray[np.int64], blobs: Sequence[str], *, folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each sample: every class is dealt out evenly, and samples with the same bytes (`blobs`) are in
    one fold. It depends on the arguments alone."""
    first = {blob: row for row, blob in reversed(list(enumerate(blobs)))}
    rows = np.array(sorted(first.values()), np.intp)
    order = np.random.default_rng(seed).permutation(len(rows))
    by_class = rows[order][np.argsort(labels[rows[order]], kind="stable")]
    places = dict(zip(by_class.tolist(), (np.arange(len(rows)) % folds).tolist(), strict=True))
    return np.array([places[first[blob]] for blob in blobs], np.int64)


def splits(places: NDArray[np.int64]) -> Iterator[tuple[Indices, Indices]]:
    """Yield the samples to learn from, and those to judge on, of each fold."""
    for fold in np.unique(places):
        yield np.flatnonzero(places != fold), np.flatnonzero(places == fold)


def spread(labels: NDArray[np.int64], *, count: int, seed: int) -> Indices:
    """Return `count` rows at most, sorted, the classes in turn: a rare one is not lost."""
    order = np.random.default_rng(seed).permutation(len(labels))
    turn = np.empty(len(labels), np.int64)
    for name in np.unique(labels):
        rows = order[labels[order] == name]
        turn[rows] = np.arange(len(rows))
    place = np.empty(len(labels), np.int64)
    place[order] = np.arange(len(labels))
    return np.sort(np.lexsort((place, turn))[:count])
