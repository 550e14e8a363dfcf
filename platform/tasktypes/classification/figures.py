"""The figures of one class a sample, as the bootstrap draws them (`tasktypes.bootstrap`). NumPy only."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tasktypes.bootstrap import SHARES, Counts, Floats, Ints, Kinds, counted, means, rate
from tasktypes.classification.predictions import ClassPredictions
from tasktypes.rates import BINS

FINE = 8
"""Cells in each bin of the calibration error."""

Sides = Sequence[ClassPredictions]


def _accuracy(sides: Sides, _: int | None) -> Kinds:
    return rate([side.right for side in sides])


def _top5(sides: Sides, _: int | None) -> Kinds:
    return rate([side.top5 for side in sides])


def _loss(sides: Sides, _: int | None) -> Kinds:
    return means([side.losses for side in sides])


def _ece(sides: Sides, _: int | None) -> Kinds:
    """Return the kinds for the calibration error: each of its bins in eight cells, right and wrong apart."""
    fine = [np.minimum((side.confidence * BINS).astype(np.int64), BINS - 1) * FINE
            + ((side.confidence * BINS * FINE).astype(np.int64) % FINE) for side in sides]  # fmt: skip
    codes, counts, kind = counted([cell * 2 + side.right for cell, side in zip(fine, sides, strict=True)])
    gaps = []
    for code, side in zip(codes, sides, strict=True):
        gap = np.zeros((len(counts), BINS))
        mean = np.bincount(kind, side.right - side.confidence.astype(np.float64)) / counts
        gap[np.arange(len(counts)), code // (2 * FINE)] = mean
        gaps.append(gap)
    return Kinds(counts, len(sides), lambda drawn, side: np.abs(drawn @ gaps[side]).sum(1) / counts.sum())


def _macro_f1(sides: Sides, _: int | None) -> Kinds:
    labels = sides[0].label.astype(np.int64)
    (label, *answers), counts, _kind = counted([labels, *(side.predicted.astype(np.int64) for side in sides)])
    classes = 1 + int(max(label.max(), *(answer.max() for answer in answers)))

    def mean(drawn: Ints, side: int) -> Floats:
        answer, found = answers[side], np.empty(len(drawn))
        right = label == answer
        for row, weights in enumerate(drawn):
            has = np.bincount(label, weights, classes)
            both = has + np.bincount(answer, weights, classes)
            hits = np.bincount(label[right], weights[right], classes)
            found[row] = (2 * hits[has > 0] / both[has > 0]).mean()
        return found

    return Kinds(counts, len(sides), mean)


def _of_class(share: Callable[[Counts, Counts, Counts], Floats]) -> Callable[[Sides, int | None], Kinds]:
    """Build a figure of one class: `share` of the samples (predicted rightly, that have it, predicted to have it), each
    (D,)."""

    def kinds(sides: Sides, index: int | None) -> Kinds:
        (has, *said), counts, _ = counted(
            [(sides[0].label == index).astype(np.int64), *((s.predicted == index).astype(np.int64) for s in sides)]
        )

        def statistic(drawn: Ints, side: int) -> Floats:
            return share(drawn @ (has * said[side]), drawn @ has, drawn @ said[side])

        return Kinds(counts, len(sides), statistic)

    return kinds


PER_CLASS = {name: _of_class(share) for name, share in SHARES.items()}
FIGURES: Mapping[str, Callable[[Sides, int | None], Kinds]] = {
    "accuracy": _accuracy,
    "top5": _top5,
    "macro_f1": _macro_f1,
    "loss": _loss,
    "ece": _ece,
    **PER_CLASS,
}
