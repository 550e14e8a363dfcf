"""Statistics over paired seeds: intervals, censored medians, the paired test. NumPy and scipy.special only.

A seed decides the first labels and all random choices; the candidates and the test samples are those of one dataset.
Intervals and tests hold for other draws on this dataset, not for other datasets.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Band:
    """A mean over `n` seeds with its interval; no interval for a single seed."""

    mean: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class CensoredMedian:
    """The median of `n` times of which `reached` were observed; None: it lies beyond the end of observation.

    `low` is None where there are too few seeds for an interval, `high` also where it lies beyond the end of
    observation.
    """

    median: float | None
    low: float | None
    high: float | None
    reached: int
    n: int


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean of `n` paired differences with its interval, the two-sided p-value, and how many are positive."""

    difference: float
    low: float
    high: float
    p: float
    wins: int
    n: int


def mean_band(values: Sequence[float], confidence: float = CONFIDENCE) -> Band:
    """Return the mean of at least one value with Student's t interval (Student 1908)."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Band(mean, None, None, len(values))
    half = _t(len(values), confidence) * _standard_error(values)
    return Band(mean, mean - half, mean + half, len(values))


def paired_t_test(ours: Sequence[float], theirs: Sequence[float], confidence: float = CONFIDENCE) -> PairedTest:
    """Test for equal means by Student's paired t-test; ValueError for fewer than two pairs.

    Differences that are all the same have no spread: p is 1 where they are 0, else 0.
    """
    if len(ours) != len(theirs) or len(ours) < 2:
        raise ValueError(f"a paired test needs two or more pairs, not {len(ours)} and {len(theirs)} values")
    differences = np.subtract(ours, theirs)
    mean, error = float(differences.mean()), _standard_error(differences.tolist())
    half = _t(len(differences), confidence) * error
    wins = int((differences > 0).sum())
    if error == 0:
        return PairedTest(mean, mean, mean, float(mean == 0), wins, len(differences))
    p = float(2 * stdtr(len(differences) - 1, -abs(mean) / error))
    return PairedTest(mean, mean - half, mean + half, p, wins, len(differences))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number, in the same order: comparing each with alpha keeps the chance of any false
    rejection below alpha (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979)."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(np.argsort(p_values, kind="stable").tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def censored_median(values: Sequence[float | None], confidence: float = CONFIDENCE) -> CensoredMedian:
    """Return the median of at least one time to reach a target; None: not reached by the end, which is the same for
    all.

    With one end for all, the Kaplan-Meier median (1958) is that of the sample with the unobserved placed last. The
    interval runs between order statistics and holds for any distribution (David & Nagaraja, Order Statistics, 7.1); 95
    % need six values.
    """
    ordered = sorted(math.inf if value is None else value for value in values)
    count, reached = len(ordered), sum(value is not None for value in values)
    median = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    outside = (1 - confidence) / 2
    cut = sum(bdtr(number, count, 0.5) <= outside for number in range(count // 2))
    ends = (ordered[cut - 1], ordered[count - cut]) if cut else (math.inf, math.inf)
    return CensoredMedian(_finite(median), _finite(ends[0]), _finite(ends[1]), reached, count)


def first_reached(labels: Sequence[float], accuracy: Sequence[float], target: float) -> float | None:
    """Return the labels at which a curve first reaches `target`, interpolated between rounds; None if it never does."""
    for at, value in enumerate(accuracy):
        if value < target:
            continue
        if at == 0:
            return float(labels[0])
        share = (target - accuracy[at - 1]) / (value - accuracy[at - 1])
        return labels[at - 1] + share * (labels[at] - labels[at - 1])
    return None


def mean_accuracy(labels: Sequence[int], accuracy: Sequence[float]) -> float:
    """Return the mean height of a learning curve: the area under it (trapezoids) divided by its width."""
    return float(np.trapezoid(accuracy, labels) / (labels[-1] - labels[0]))


def _t(count: int, confidence: float) -> float:
    return float(stdtrit(count - 1, (1 + confidence) / 2))


def _standard_error(values: Sequence[float]) -> float:
    if min(values) == max(values):  # no spread, whatever the mean was rounded to
        return 0.0
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
