"""Bootstrap intervals of the figures of one model, and of the difference of two on the same samples. NumPy only.

Percentile bootstrap over samples (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; paired: both
models are judged on the same resample). Drawing N of N samples with replacement and counting how often each *kind* of
sample came is one draw from Multinomial(N, n_kind / N), exactly; so a figure that depends on the samples only through
the counts of a few kinds (right or wrong; the pair of true and predicted class) costs the kinds, not the samples.
Losses and confidences are grouped into kinds first: cells of equal width, each with the mean of its samples. The figure
itself stays exact; an interval of a mean is narrower for it by less than 3 % of its width.

The draws come from a fixed seed: equal predictions give equal intervals. Known limits: if all samples agree, the
interval has no width, however few they are; and resampled calibration errors lie above the figure they belong to,
because noise only adds to a sum of absolute gaps.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS, SEED, CONFIDENCE = 1000, 20260, 0.95
FEW_CELLS = 1 << 12
BLOCK = 1 << 21
"""The number of counts in memory at a time."""

Interval = tuple[float, float]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of two models on their common samples; None where it is undefined."""

    samples: int
    value: float | None
    base: float | None
    interval: Interval | None
    """The interval of value - base."""


def ends(drawn: Floats, confidence: float) -> Interval | None:
    """Return the outer order statistics that enclose `confidence` of the drawn figures; NaN figures don't count."""
    ordered = np.sort(drawn[~np.isnan(drawn)])
    if not len(ordered):
        return None
    last = len(ordered) - 1
    low, high = np.floor((1 - confidence) / 2 * last), np.ceil((1 + confidence) / 2 * last)
    return float(ordered[int(low)]), float(ordered[int(high)])


@dataclass(frozen=True, slots=True)
class Kinds:
    """Samples counted by kind: `counts` (C,), and a figure of each side as a function of counts (D, C)."""

    counts: Ints
    sides: int
    statistic: Callable[[Ints, int], Floats]

    def drawn(self, draws: int) -> list[Floats]:
        """Return the figure of each side over the same resamples: (draws,) each."""
        made = [[self.statistic(block, side) for side in range(self.sides)] for block in resampled(self.counts, draws)]
        return [np.concatenate([block[side] for block in made]) for side in range(self.sides)]


def resampled(counts: Ints, draws: int) -> Iterator[Ints]:
    """Yield how often each kind was drawn, in blocks of (some draws, C)."""
    rng, total = np.random.default_rng(SEED), int(counts.sum())
    shares = counts / total
    step = max(1, BLOCK // len(counts))
    for at in range(0, draws, step):
        yield rng.multinomial(total, shares, size=min(step, draws - at))


def counted(codes: list[Ints]) -> tuple[list[Ints], Ints, Ints]:
    """Group samples into kinds that are equal in all `codes`: returns each code per kind, the counts, and each sample's
    kind."""
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


def rate(marks: list[NDArray[np.bool_]]) -> Kinds:
    codes, counts, _ = counted([mark.astype(np.int64) for mark in marks])
    total = counts.sum()
    return Kinds(counts, len(marks), lambda drawn, side: drawn @ codes[side] / total)


def means(columns: list[Floats]) -> Kinds:
    """Return the kinds for means of columns of numbers."""
    codes = [_cells(column) for column in columns]
    _, counts, kind = counted(codes)
    means = [np.bincount(kind, column) / counts for column in columns]
    return Kinds(counts, len(columns), lambda drawn, side: drawn @ means[side] / counts.sum())


def _cells(values: Floats) -> Ints:
    """Assign values to cells of 1 / (3 √N) of the range R. Inside one the variance is at most R² / 36 N, and N values
    whose range is R have one of at least R² / 2 N: no more than 1 / 18 of the variance is lost."""
    low, high, count = float(values.min()), float(values.max()), int(np.ceil(3 * np.sqrt(len(values))))
    width = (high - low) / count or 1.0
    return np.minimum(((values - low) / width).astype(np.int64), count - 1)


def _precision(hit: Counts, has: Counts, said: Counts) -> Floats:  # noqa: ARG001 - one signature for the three
    return _ratio(hit, said)


def _recall(hit: Counts, has: Counts, said: Counts) -> Floats:  # noqa: ARG001 - as above
    return _ratio(hit, has)


def _f1(hit: Counts, has: Counts, said: Counts) -> Floats:
    return _ratio(2 * hit, has + said)


def _ratio(part: Counts, whole: Counts) -> Floats:
    """Return part / whole, NaN where the whole is 0."""
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


SHARES = {"precision": _precision, "recall": _recall, "f1": _f1}


def class_intervals(hits: int, support: int, answered: int, *, total: int) -> dict[str, Interval | None]:
    """Return the intervals of PER_CLASS for one class from its counts: the same as `interval` gives from the
    samples."""
    told = np.array([total - support - answered + hits, answered - hits, support - hits, hits])
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[told > 0]
    (drawn,) = resampled(told[told > 0], DRAWS)
    hit, has, said = drawn @ codes.prod(1), drawn @ codes[:, 0], drawn @ codes[:, 1]
    return {name: ends(share(hit, has, said), CONFIDENCE) for name, share in SHARES.items()}
