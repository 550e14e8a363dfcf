"""Forecast how many labels a target needs, with a range.

The forecast is the median of many power laws, its range the middle four fifths of them (`acquisition.growth`). Beside
it are four learning curves, each fitted alone, which show how much the choice of a curve matters: those of Mahmood
et al., "How much more data do I need?" (CVPR 2022), in per cent of the score:

- power        t1 n^t2 + t3, with t1, t2 <= 0 (Hestness et al. 2017: the error falls as a power of the data)
- arctan       200/pi atan(t1 pi/2 n + t2) + t3
- logarithmic  t1 log(n + t2) + t3
- algebraic    100 n / (1 + (t1 n)^t2)^(1/t2) + t3

Each is fitted by least squares under the bounds that make it rise. A forecast from few points errs towards too few
labels: collect in stages and repeat the forecast after each (`growth.STAGES`); `python -m bench.forecast` shows the
result.

>>> forecast = labels_to_reach([(20, .61), (40, .70), (80, .78), (160, .84), (320, .88)], .90)
>>> forecast.low <= forecast.labels
True
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acquisition.growth import MOST_LABELS, Growth

Points = Sequence[tuple[int, float]]
Doubles = NDArray[np.float64]

FEWEST_POINTS = 3
"""The fewest points of a fit: a curve has three parameters."""
LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
"""Quantiles of the low end, the forecast and the high end."""


class ForecastError(ValueError):
    """The points or the target can't be used; the message names the field and the fix."""

    code = "forecast_impossible"


@dataclass(frozen=True, slots=True)
class Fit:
    """The forecast of one curve: total `labels` to reach the target (None: never), `rmse` in the unit of the scores."""

    name: str
    labels: int | None
    rmse: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The total labels needed, including existing ones: the median of the laws, and the quantiles 0.1 and 0.9; None:
    never. `fits` are those of the four curves."""

    labels: int | None
    low: int | None
    high: int | None
    fits: tuple[Fit, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A family of curves: value in per cent at `n` labels, bounds of (t1, t2, t3), grids of t1 and t2 to start from."""

    name: str
    value: Callable[[Doubles, Doubles], Doubles]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    grids: tuple[Doubles, Doubles]


def _power(t: Doubles, n: Doubles) -> Doubles:
    value: Doubles = t[0] * n ** t[1] + t[2]
    return value


def _arctan(t: Doubles, n: Doubles) -> Doubles:
    value: Doubles = 200 / np.pi * np.arctan(t[0] * np.pi / 2 * n + t[1]) + t[2]
    return value


def _logarithmic(t: Doubles, n: Doubles) -> Doubles:
    value: Doubles = t[0] * np.log(n + t[1]) + t[2]
    return value


def _algebraic(t: Doubles, n: Doubles) -> Doubles:
    # 100 / t1 (1 + (t1 n)^-t2)^(-1/t2), which does not overflow for large n
    value: Doubles = 100 / t[0] * np.exp(-np.log1p((t[0] * n) ** -t[1]) / t[1]) + t[2]
    return value


RISES, SHAPES = np.geomspace(1e-2, 1e4, 60), np.geomspace(5e-2, 20, 40)
CURVES = (
    Curve("power", _power, (-1e6, -5, -100), (0, -1e-3, 100), (-100 * RISES, -SHAPES / 4)),
    Curve("arctan", _arctan, (0, -100, -200), (10, 100, 200), (RISES / 1e5, np.linspace(-5, 20, 26))),
    Curve("logarithmic", _logarithmic, (0, 0, -1e4), (1e4, 1e7, 100), (RISES, np.geomspace(0.1, 1e7, 40))),
    Curve("algebraic", _algebraic, (1e-2, 5e-2, -1e4), (1e4, 20, 100), (RISES, SHAPES)),
)


def labels_to_reach(points: Points, target: float) -> Forecast:
    """Forecast the total labels at which the score reaches `target`, and the same by each of four curves; never fewer
    than there are.

    `points` are (labels, score in 0..1) of at least 3 different numbers of labels. Raises ForecastError.
    """
    if not 0 < target < 1:
        raise ForecastError(f"target: must lie between 0 and 1, got {target}")
    labels, scores = _checked(points)
    fitted = [(curve, *_fit(curve, labels, scores)) for curve in CURVES]
    reached = [_reaches(curve, found, 100 * target, int(labels.max())) for curve, found, _ in fitted]
    low, middle, high = Growth(points).labels(target, LOW, MIDDLE, HIGH)
    return Forecast(
        labels=middle,
        low=low,
        high=high,
        fits=tuple(Fit(curve.name, count, rmse / 100) for (curve, _, rmse), count in zip(fitted, reached, strict=True)),
    )


def gain(points: Points, count: int) -> float:
    """Forecast how much (0..1) `count` more labels raise the score: the median of the four curves.

    Raises ForecastError.
    """
    labels, scores = _checked(points)
    now = float(labels.max())
    ends = np.array([now, now + count])
    rises = [np.diff(curve.value(_fit(curve, labels, scores)[0], ends))[0] for curve in CURVES]
    return float(np.median(rises)) / 100


def _checked(points: Points) -> tuple[Doubles, Doubles]:
    """Check the points and return labels, and scores in per cent. Raises ForecastError."""
    labels = np.array([labels for labels, _ in points], dtype=np.float64)
    scores = np.array([score for _, score in points], dtype=np.float64)
    if len(np.unique(labels)) < FEWEST_POINTS:
        there = len(np.unique(labels))
        raise ForecastError(f"points: need at least {FEWEST_POINTS} different numbers of labels, got {there}")
    if not (np.isfinite(labels).all() and (labels >= 1).all()):
        raise ForecastError("points: labels must be whole numbers from 1")
    if not ((scores >= 0) & (scores <= 1)).all():
        raise ForecastError("points: scores must lie between 0 and 1")
    return labels, 100 * scores


def _fit(curve: Curve, labels: Doubles, scores: Doubles) -> tuple[Doubles, float]:
    """Fit (t1, t2, t3) by least squares, starting from the best cell of the grids; return them and the root mean square
    error in %."""

    from scipy.optimize import least_squares  # imported late: half a second and 20 MB that the web saves

    def residuals(t: Doubles) -> Doubles:
        return curve.value(t, labels) - scores

    low, high = np.array(curve.low), np.array(curve.high)
    first, second = (axis.reshape(-1, 1) for axis in np.meshgrid(*curve.grids))
    rest = scores - curve.value(np.stack([first, second, np.zeros_like(first)]), labels)
    offsets = np.clip(rest.mean(axis=1), low[2], high[2])
    best = int(((rest - offsets[:, None]) ** 2).sum(axis=1).argmin())
    start = np.clip([first[best, 0], second[best, 0], offsets[best]], low + 1e-9, high - 1e-9)
    found = least_squares(residuals, start, bounds=(low, high), x_scale="jac")
    return found.x, math.sqrt(2 * found.cost / len(labels))


def _reaches(curve: Curve, t: Doubles, target: float, labels: int) -> int | None:
    """Return the smallest whole number, at least `labels`, at which the curve reaches `target` per cent, by
    bisection."""

    def at(count: int) -> float:
        return float(curve.value(t, np.array([float(count)]))[0])

    if at(labels) >= target:
        return labels
    if at(MOST_LABELS) < target:
        return None
    below, reached = labels, MOST_LABELS
    while reached - below > 1:
        middle = (below + reached) // 2
        below, reached = (below, middle) if at(middle) >= target else (middle, reached)
    return reached
