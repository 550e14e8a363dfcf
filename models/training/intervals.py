"""Bootstrap intervals of the figures of one model, and of the difference of two on the same samples. NumPy only.

Percentile bootstrap over samples (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; paired: both
models are judged on the same resample). Drawing N of N samples with replacement and counting how often each *kind* of
sample came is one draw from Multinomial(N, n_kind / N), exactly; so a figure that depends on the samples only through
the counts of a few kinds (right or wrong; the pair of true and predicted class) costs the kinds, not the samples.
Losses and confidences are brought into kinds first: cells of equal width, each standing for the mean of its samples.
The figure itself stays exact; an interval of a mean is narrower for it by less than 3 % of its width.

The draws come from a fixed seed: equal predictions give equal intervals. Limits to know: samples of which all agree
have an interval without width, however few they are; and resampled calibration errors lie above the figure they belong
to, because noise only adds to a sum of absolute gaps.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.metrics import BINS, calibration_error
from training.predictions import Predictions

DRAWS, SEED, CONFIDENCE = 1000, 20260, 0.95
FINE, FEW_CELLS = 8, 1 << 12
BLOCK = 1 << 21
"""Counts in memory at a time."""

Interval = tuple[float, float]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of two models on their common samples; None where it can't be told."""

    samples: int
    value: float | None
    base: float | None
    interval: Interval | None
    """Of value - base."""


def interval(
    metric: str, predictions: Predictions, *, index: int | None = None, confidence: float = CONFIDENCE,
    draws: int = DRAWS,
) -> Interval | None:  # fmt: skip
    """The interval of `metric`, one of FIGURES (of class `index` for PER_CLASS); None where it has no value."""
    kinds = FIGURES[metric]([predictions], index)
    return ends(kinds.drawn(draws)[0], confidence)


def difference(
    metric: str, new: Predictions, base: Predictions, *, index: int | None = None, confidence: float = CONFIDENCE,
    draws: int = DRAWS,
) -> Difference:  # fmt: skip
    """`metric` of two models and the interval of new - base, row by row on the same samples (see `common`)."""
    if not len(new):
        return Difference(0, None, None, None)
    value, old = figure(metric, new, index=index), figure(metric, base, index=index)
    if metric == "loss":
        drawn = _values([new.losses - base.losses]).drawn(draws)[0]
    else:
        ours, theirs = FIGURES[metric]([new, base], index).drawn(draws)
        drawn = ours - theirs
    return Difference(len(new), value, old, ends(drawn, confidence))


def figure(metric: str, predictions: Predictions, *, index: int | None = None) -> float | None:
    """The metric itself, None where nothing was asked or answered."""
    if metric == "loss":
        return float(predictions.losses.mean())
    if metric == "ece":
        return calibration_error(predictions.confidence, predictions.right)
    kinds = FIGURES[metric]([predictions], index)
    found = float(kinds.statistic(kinds.counts[None], 0)[0])
    return None if np.isnan(found) else found


def ends(drawn: Floats, confidence: float) -> Interval | None:
    """The outer order statistics that hold `confidence` of the drawn figures; those that have no value don't count."""
    ordered = np.sort(drawn[~np.isnan(drawn)])
    if not len(ordered):
        return None
    last = len(ordered) - 1
    low, high = np.floor((1 - confidence) / 2 * last), np.ceil((1 + confidence) / 2 * last)
    return float(ordered[int(low)]), float(ordered[int(high)])


def class_intervals(hits: int, support: int, answered: int, *, total: int) -> dict[str, Interval | None]:
    """The intervals of PER_CLASS for one class, from its counts: those that `interval` gives from the samples."""
    told = np.array([total - support - answered + hits, answered - hits, support - hits, hits])
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[told > 0]
    (drawn,) = resampled(told[told > 0], DRAWS)
    hit, has, said = drawn @ codes.prod(1), drawn @ codes[:, 0], drawn @ codes[:, 1]
    return {name: ends(share(hit, has, said), CONFIDENCE) for name, share in SHARES.items()}


@dataclass(frozen=True, slots=True)
class Kinds:
    """Samples counted by kind: `counts` (C,), and a figure of each side as a function of counts (D, C)."""

    counts: Ints
    sides: int
    statistic: Callable[[Ints, int], Floats]

    def drawn(self, draws: int) -> list[Floats]:
        """The figure of each side over the same resamples: (draws,) each."""
        made = [[self.statistic(block, side) for side in range(self.sides)] for block in resampled(self.counts, draws)]
        return [np.concatenate([block[side] for block in made]) for side in range(self.sides)]


def resampled(counts: Ints, draws: int) -> Iterator[Ints]:
    """How often each kind came, in blocks of (some draws, C)."""
    rng, total = np.random.default_rng(SEED), int(counts.sum())
    shares = counts / total
    step = max(1, BLOCK // len(counts))
    for at in range(0, draws, step):
        yield rng.multinomial(total, shares, size=min(step, draws - at))


def _counted(codes: list[Ints]) -> tuple[list[Ints], Ints, Ints]:
    """The kinds of samples that differ in any of `codes`: each code per kind, the counts, and each sample's kind."""
    widths = [int(code.max()) + 1 for code in codes]
    whole = np.zeros(len(codes[0]), np.int64)
    for code, width in zip(codes, widths, strict=True):
        whole = whole * width + code
    if (cells := int(np.prod(widths, dtype=np.float64))) <= FEW_CELLS:  # counting is quicker than sorting
        all_counts = np.bincount(whole, minlength=cells)
        found = np.flatnonzero(all_counts)
        kind, counts = np.searchsorted(found, np.arange(cells))[whole], all_counts[found]
    else:
        found, kind, counts = np.unique(whole, return_inverse=True, return_counts=True)
    parts: list[Ints] = []
    for width in reversed(widths):
        found, part = np.divmod(found, width)
        parts.insert(0, part)
    return parts, counts, kind


def _rate(marks: list[NDArray[np.bool_]]) -> Kinds:
    codes, counts, _ = _counted([mark.astype(np.int64) for mark in marks])
    total = counts.sum()
    return Kinds(counts, len(marks), lambda drawn, side: drawn @ codes[side] / total)


def _accuracy(sides: list[Predictions], _: int | None) -> Kinds:
    return _rate([side.right for side in sides])


def _top5(sides: list[Predictions], _: int | None) -> Kinds:
    return _rate([side.top5 for side in sides])


def _values(columns: list[Floats]) -> Kinds:
    """Means of columns of numbers."""
    codes = [_cells(column) for column in columns]
    _, counts, kind = _counted(codes)
    means = [np.bincount(kind, column) / counts for column in columns]
    return Kinds(counts, len(columns), lambda drawn, side: drawn @ means[side] / counts.sum())


def _cells(values: Floats) -> Ints:
    """Cells of 1 / (3 √N) of the range R. Inside one the variance is at most R² / 36 N, and N values whose range is R
    have one of at least R² / 2 N: no more than 1 / 18 of the variance is lost."""
    low, high, count = float(values.min()), float(values.max()), int(np.ceil(3 * np.sqrt(len(values))))
    width = (high - low) / count or 1.0
    return np.minimum(((values - low) / width).astype(np.int64), count - 1)


def _loss(sides: list[Predictions], _: int | None) -> Kinds:
    return _values([side.losses for side in sides])


def _ece(sides: list[Predictions], _: int | None) -> Kinds:
    """Each bin of the calibration error in eight cells, right and wrong apart."""
    fine = [np.minimum((side.confidence * BINS).astype(np.int64), BINS - 1) * FINE
            + ((side.confidence * BINS * FINE).astype(np.int64) % FINE) for side in sides]  # fmt: skip
    codes, counts, kind = _counted([cell * 2 + side.right for cell, side in zip(fine, sides, strict=True)])
    gaps = []
    for code, side in zip(codes, sides, strict=True):
        gap = np.zeros((len(counts), BINS))
        mean = np.bincount(kind, side.right - side.confidence.astype(np.float64)) / counts
        gap[np.arange(len(counts)), code // (2 * FINE)] = mean
        gaps.append(gap)
    return Kinds(counts, len(sides), lambda drawn, side: np.abs(drawn @ gaps[side]).sum(1) / counts.sum())


def _macro_f1(sides: list[Predictions], _: int | None) -> Kinds:
    labels = sides[0].label.astype(np.int64)
    (label, *answers), counts, _kind = _counted([labels, *(side.predicted.astype(np.int64) for side in sides)])
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


def _of_class(share: Callable[[Ints, Ints, Ints], Floats]) -> Callable[[list[Predictions], int | None], Kinds]:
    """A figure of one class: `share` of (told right, that have it, said to have it), each (D,)."""

    def kinds(sides: list[Predictions], index: int | None) -> Kinds:
        (has, *said), counts, _ = _counted(
            [(sides[0].label == index).astype(np.int64), *((s.predicted == index).astype(np.int64) for s in sides)]
        )

        def statistic(drawn: Ints, side: int) -> Floats:
            return share(drawn @ (has * said[side]), drawn @ has, drawn @ said[side])

        return Kinds(counts, len(sides), statistic)

    return kinds


def _precision(hit: Ints, has: Ints, said: Ints) -> Floats:  # noqa: ARG001 - one signature for the three
    return _ratio(hit, said)


def _recall(hit: Ints, has: Ints, said: Ints) -> Floats:  # noqa: ARG001 - as above
    return _ratio(hit, has)


def _f1(hit: Ints, has: Ints, said: Ints) -> Floats:
    return _ratio(2 * hit, has + said)


def _ratio(part: Ints, whole: Ints) -> Floats:
    """Part of whole, NaN of nothing."""
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


SHARES = {"precision": _precision, "recall": _recall, "f1": _f1}
PER_CLASS = {name: _of_class(share) for name, share in SHARES.items()}
FIGURES: Mapping[str, Callable[[list[Predictions], int | None], Kinds]] = {
    "accuracy": _accuracy,
    "top5": _top5,
    "macro_f1": _macro_f1,
    "loss": _loss,
    "ece": _ece,
    **PER_CLASS,
}
