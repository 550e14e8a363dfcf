"""The figures of any number of classes a sample, as the bootstrap draws them. NumPy only.

A sample is a kind of its own here: average precision depends on the order of all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import SHARES, Counts, Floats, Ints, Kinds, counted, means, rate
from tasktypes.multilabel.predictions import SetPredictions
from tasktypes.rates import BINS

Sides = Sequence[SetPredictions]


def average_precision(scores: NDArray[np.float32], has: NDArray[np.bool_], weights: NDArray[np.generic]) -> Floats:
    """Return (D,) the average precision of one class: scores (N,), which samples have it (N,), and how often each
    sample counts (D, N).

    The sum over the distinct scores, highest first, of precision there x the gain of recall there (equal scores count
    as one step), the uninterpolated mean of Buckley and Voorhees (2000), as scikit-learn's; NaN without a sample.
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.append(ranked[1:] != ranked[:-1], True)  # of the samples with one score
    drawn = weights[:, order].astype(np.float64)
    found = np.cumsum(drawn * has[order], axis=1)[:, last]
    seen = np.cumsum(drawn, axis=1)[:, last]
    gained = np.diff(found, axis=1, prepend=0.0)
    total = found[:, -1]
    area = (gained * (found / np.maximum(seen, 1))).sum(axis=1)
    return np.where(total > 0, area / np.maximum(total, 1), np.nan)


def average_precisions(side: SetPredictions, weights: NDArray[np.generic]) -> Floats:
    """Return the average precisions (D, K), class by class."""
    columns = range(side.label.shape[1])
    return np.stack([average_precision(side.probabilities[:, k], side.label[:, k], weights) for k in columns], axis=1)


def mean_of_known(values: Floats) -> Floats:
    """Return the mean (D,) of (D, K) over the classes that have a value; NaN if none has."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0).sum(axis=1)
    return np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)


def _each(sides: Sides, statistic: Callable[[Ints, SetPredictions], Floats]) -> Kinds:
    """Return kinds in which every sample is its own kind."""
    return Kinds(np.ones(len(sides[0]), np.int64), len(sides), lambda drawn, side: statistic(drawn, sides[side]))


def _map(sides: Sides, _: int | None) -> Kinds:
    return _each(sides, lambda drawn, side: mean_of_known(average_precisions(side, drawn)))


def _ap(sides: Sides, index: int | None) -> Kinds:
    assert index is not None  # noqa: S101 - a figure of one class
    return _each(
        sides, lambda drawn, side: average_precision(side.probabilities[:, index], side.label[:, index], drawn)
    )


def _micro_f1(sides: Sides, _: int | None) -> Kinds:
    has = sides[0].label.sum(axis=1)
    codes = [one for side in sides for one in ((side.label & side.said).sum(axis=1), side.said.sum(axis=1))]
    (had, *told), counts, _kind = counted([has.astype(np.int64), *(one.astype(np.int64) for one in codes)])

    def f1(drawn: Ints, side: int) -> Floats:
        hit, said = told[2 * side : 2 * side + 2]
        return SHARES["f1"](drawn @ hit, drawn @ had, drawn @ said)

    return Kinds(counts, len(sides), f1)


def _macro_f1(sides: Sides, _: int | None) -> Kinds:
    def mean(drawn: Ints, side: SetPredictions) -> Floats:
        weights: NDArray[Any] = drawn.astype(np.float64)  # matrices of floats are multiplied by BLAS
        columns = (side.label & side.said, side.label, side.said)
        hit, has, said = (weights @ one.astype(np.float64) for one in columns)
        return mean_of_known(np.where(has > 0, SHARES["f1"](hit, has, said), np.nan))

    return _each(sides, mean)


def _exact_match(sides: Sides, _: int | None) -> Kinds:
    return rate([side.right for side in sides])


def _loss(sides: Sides, _: int | None) -> Kinds:
    return means([side.losses for side in sides])


def gaps(side: SetPredictions) -> Floats:
    """Return (N, BINS) for each sample: label minus probability by bins of probability, summed over its classes and
    divided by K."""
    rows, width = side.probabilities.shape
    bins = np.minimum((side.probabilities * BINS).astype(np.int64), BINS - 1) + BINS * np.arange(rows)[:, None]
    gap: Floats = side.label - side.probabilities.astype(np.float64)
    summed = np.bincount(bins.ravel(), gap.ravel(), rows * BINS).reshape(rows, BINS)
    return np.asarray(summed / width, np.float64)


def _ece(sides: Sides, _: int | None) -> Kinds:
    found: list[NDArray[Any]] = [gaps(side) for side in sides]
    counts = np.ones(len(sides[0]), np.int64)

    def error(drawn: Ints, side: int) -> Floats:
        return np.asarray(np.abs(drawn @ found[side]).sum(axis=1) / len(counts), np.float64)

    return Kinds(counts, len(sides), error)


def _of_class(share: Callable[[Counts, Counts, Counts], Floats]) -> Callable[[Sides, int | None], Kinds]:
    """Build a figure of one class: `share` of the samples (predicted rightly, that have it, predicted to have it), each
    (D,)."""

    def kinds(sides: Sides, index: int | None) -> Kinds:
        columns = [sides[0].label[:, index], *(side.said[:, index] for side in sides)]
        (has, *said), counts, _ = counted([column.astype(np.int64) for column in columns])

        def statistic(drawn: Ints, side: int) -> Floats:
            return share(drawn @ (has * said[side]), drawn @ has, drawn @ said[side])

        return Kinds(counts, len(sides), statistic)

    return kinds


FIGURES: Mapping[str, Callable[[Sides, int | None], Kinds]] = {
    "map": _map,
    "micro_f1": _micro_f1,
    "macro_f1": _macro_f1,
    "exact_match": _exact_match,
    "loss": _loss,
    "ece": _ece,
    "ap": _ap,
    **{name: _of_class(share) for name, share in SHARES.items()},
}
