"""Forecast how many labels a target needs, from thousands of power laws weighted by how well they fit the points.

The error falls as e(n) = f + a (n + d)^-b (Hestness et al. 2017), with a floor f and an offset d. A few noisy points
fit many such laws about equally well, but beyond the points, where it matters, these differ widely: one best fit would
mislead. So all laws of a grid of (f, b, d) are kept, each with the least-squares a, and weighted by the likelihood of
its residuals times a prior. The quantile q of the labels needed is the number that suffices by a share q of the weight.
Quantiles never fall as the target rises.

The prior says that b is about 0.5 and that floors far below the present error are likelier than those near it, as
people set targets that they think can be reached. Its numbers were chosen on one half of the data sets of the bench
(`python -m bench.forecast`); the figures in docs/benchmarks.md are of the other half, which was held out.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

EXPONENTS = np.geomspace(0.05, 3.0, 24)
FLOORS = np.linspace(0.0, 0.98, 40)
"""Floors of the error, as shares of the lowest error so far."""
OFFSETS = np.array([0.0, 0.1, 0.3, 1.0])
"""Offsets of the labels, as shares of the most labels so far."""
USUAL_EXPONENT, EXPONENT_SPREAD = 0.5, 0.8
"""Prior of b: its middle, and its deviation in natural logarithms."""
LOW_FLOORS = 4.0
"""Prior of the floor: the power of (1 - floor / present error); the smallest whole number with which nine of ten
trials, on the half it was chosen on, collected at most 1.5 times what was needed."""
NOISE = 0.004
"""Least standard deviation of a score: that of 2,000 test samples at 97 %."""
MOST_LABELS = 10**12
"""Most labels: a law that has not reached the target by then counts as never reaching it."""
STAGES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Quantiles to collect up to, one after another, each with a new forecast: first what is surely needed, the rest when
more is known."""


class Growth:
    """The laws that fit `points`: (labels, score in 0..1) of at least 3 different numbers of labels."""

    def __init__(self, points: Sequence[tuple[int, float]]) -> None:
        labels = np.array([labels for labels, _ in points], np.float64)
        errors = 1 - np.array([score for _, score in points], np.float64)
        self._last = float(labels.max())
        self._reached = 1 - float(errors[labels == self._last].min())
        lowest = max(float(errors.min()), 1e-6)
        exponents, offsets = (axis.ravel() for axis in np.meshgrid(EXPONENTS, OFFSETS * self._last, indexing="ij"))
        # The last point is the unit of labels: powers neither overflow nor vanish.
        shapes = ((labels + offsets[:, None]) / (self._last + offsets[:, None])) ** -exponents[:, None]
        floors = FLOORS * lowest
        above = errors - floors[:, None]
        self._scales = np.maximum(shapes @ above.T / (shapes**2).sum(axis=1)[:, None], 1e-9)
        squares = ((above - self._scales[:, :, None] * shapes[:, None, :]) ** 2).sum(axis=2)
        noise = max(float(squares.min()) / max(1, len(labels) - 2), NOISE**2)
        prior = -((np.log(exponents / USUAL_EXPONENT) / EXPONENT_SPREAD) ** 2) / 2
        weights = -squares / (2 * noise) + prior[:, None] + LOW_FLOORS * np.log(1 - FLOORS)
        self._weights = np.exp(weights - weights.max())
        self._exponents, self._offsets, self._floors = exponents[:, None], offsets[:, None], floors

    def labels(self, target: float, *quantiles: float) -> list[int | None]:
        """Return, for each quantile, the total labels with which the score reaches `target` (0..1): never fewer than
        there are, and more than those if no score at the most labels has reached it; None if that much of the weight is
        on laws that never do."""
        over = 1 - target - self._floors
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            times = (self._scales / over) ** (1 / self._exponents)
            needed = np.where(over > 0, (self._last + self._offsets) * times - self._offsets, np.inf)
        needed = np.maximum(needed, self._last + (self._reached < target)).ravel()
        order = np.argsort(needed)
        sums = np.cumsum(self._weights.ravel()[order])
        places = np.searchsorted(sums, np.array(quantiles) * sums[-1])
        found = needed[order[np.minimum(places, len(order) - 1)]]
        return [ceil(count) if count <= MOST_LABELS else None for count in found.tolist()]
