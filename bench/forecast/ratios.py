"""How well labels are foretold: collected by truly needed, as in Mahmood et al. 2022, "How much more data do I need?".

A curve is played back: a forecaster sees its first points and a target that the curve reaches later, labels are
collected as it says, the curve answers with its value there (between its points by interpolation, made rising by
isotonic regression), and so on for as many rounds as allowed, or until the target is reached. The ratio is that of the
labels collected at the end to those with which the curve first reaches the target: below 1 the target was missed, 1.5
is half as much again as needed. Where the forecast is that the target is never reached, ten times the labels needed
count as collected.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.forecast.curves import RealCurve

Points = Sequence[tuple[int, float]]
Forecaster = Callable[[Points, float, int], int | None]
"""Labels in all that a target needs by these points, as the round of this number should collect; None: never."""
SEEN, SEEN_LABELS = 5, 100
"""Points at the start: so many, and more until there are so many labels."""
AHEAD = (1.5, 2.0, 4.0, 8.0)
"""Targets: what the curve reaches with so many times the labels seen."""
SMALLEST_GAIN = 0.005
"""A target that lies nearer is noise."""
MOST = 10.0
"""Of the labels truly needed: beyond, a collection is stopped."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One curve, where it is cut off, and what is to be reached."""

    curve: RealCurve
    seen: Points
    target: float
    needed: float
    labels: NDArray[np.float64]
    values: NDArray[np.float64]

    def at(self, labels: float) -> float:
        """What the curve has there; beyond its end it stays."""
        return float(np.interp(labels, self.labels, self.values))


def trials(curve: RealCurve) -> Iterator[Trial]:
    """Each target that the curve reaches after what is seen of it."""
    labels = np.array([labels for labels, _ in curve.points], np.float64)
    values = rising(np.array([value for _, value in curve.points]))
    cut = max(SEEN, int(np.searchsorted(labels, SEEN_LABELS)) + 1)
    if len(labels) <= cut:
        return
    seen, last = curve.points[:cut], labels[cut - 1]
    for times in AHEAD:
        if last * times > labels[-1]:
            return
        target = float(np.interp(last * times, labels, values))
        if target < max(values[cut - 1], max(value for _, value in seen)) + SMALLEST_GAIN or target >= 1:
            continue
        yield Trial(curve, seen, target, reached(labels, values, target), labels, values)


def rising(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest values (least squares) that never fall: pool adjacent violators."""
    blocks: list[tuple[float, int]] = []
    for value in values.tolist():
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (right, many), (left, few) = blocks.pop(), blocks.pop()
            blocks.append(((left * few + right * many) / (few + many), few + many))
    return np.repeat([value for value, _ in blocks], [size for _, size in blocks])


def reached(labels: NDArray[np.float64], values: NDArray[np.float64], target: float) -> float:
    """The fewest labels at which the line between the points is at the target."""
    after = int(np.argmax(values >= target - 1e-12))
    if after == 0 or values[after] == values[after - 1]:
        return float(labels[after])
    share = (target - values[after - 1]) / (values[after] - values[after - 1])
    return float(labels[after - 1] + share * (labels[after] - labels[after - 1]))


def ratio(trial: Trial, forecaster: Forecaster, *, rounds: int) -> float:
    """Collected by needed after at most so many rounds; each collects what is foretold in full."""
    points, collected = list(trial.seen), float(trial.seen[-1][0])
    for stage in range(rounds):
        wanted = forecaster(points, trial.target, stage)
        most = min(float("inf") if wanted is None else float(wanted), MOST * trial.needed)
        collected = max(collected, most)
        value = trial.at(collected)
        if value >= trial.target - 1e-9:
            break
        if collected > points[-1][0]:
            points.append((int(collected), value))
    return collected / trial.needed


@dataclass(frozen=True, slots=True)
class Row:
    """Of many trials: quartiles of the ratio, shares of at most 1.5, of at least 1 (reached), and of both."""

    count: int
    quartiles: tuple[float, float, float]
    within: float
    enough: float
    both: float


def summed(ratios: Sequence[float]) -> Row:
    """Of at least one."""
    told = np.array(ratios)
    low, middle, high = np.percentile(told, [25, 50, 75])
    within, enough = told <= 1.5, told >= 1 - 1e-3
    return Row(len(told), (float(low), float(middle), float(high)), float(within.mean()), float(enough.mean()),
               float((within & enough).mean()))  # fmt: skip
