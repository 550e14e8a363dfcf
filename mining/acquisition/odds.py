"""The probability that a box is right, fitted on labelled images: a logistic regression for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices

CLASS, SCORE, CELLS, RIGHT = range(4)
"""The columns of a pool's `evidence`."""
LEAST = 10
"""Least number of right boxes, and of wrong ones, to fit a regression on."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Logits of a box being right, linear in (1, score, log(1 + cells)): `weights` (K, 3) by class; NaN where nothing
    could be fitted."""

    weights: NDArray[np.float64]

    def right(self, score: Floats, cells: NDArray[Any], classes: Indices) -> NDArray[np.float64]:
        """Return the probability (..) that each box, with scores, cells and classes (..), is right; its score where
        nothing could be fitted."""
        weights = self.weights[classes]
        logits = (_features(score, cells) * weights).sum(axis=-1)
        return np.where(np.isnan(logits), score, 1 / (1 + np.exp(-logits)))


def fitted(evidence: Floats, classes: int) -> Odds:
    """Fit the regressions on the boxes (J, 4) of labelled images: class, score, cells, and 1 for a right one. Features
    are scaled to mean 0 and deviation 1, weights are penalised by half their square (scikit-learn's default C = 1).

    A class with fewer than 10 right or wrong boxes takes the regression of all classes together, or none if those have
    fewer.
    """
    weights = np.full((classes, 3), np.nan)
    if _enough(evidence):
        weights[:] = _regressed(evidence)
    for index in alone(evidence, classes):
        weights[index] = _regressed(evidence[evidence[:, CLASS] == index])
    return Odds(weights)


def alone(evidence: Floats, classes: int) -> Sequence[int]:
    """Return the classes with enough evidence for a regression of their own."""
    return [index for index in range(classes) if _enough(evidence[evidence[:, CLASS] == index])]


def _enough(evidence: Floats) -> bool:
    right = int((evidence[:, RIGHT] > 0).sum())
    return min(right, len(evidence) - right) >= LEAST


def _features(score: Floats, cells: NDArray[Any]) -> NDArray[np.float64]:
    numbers = np.asarray(score, np.float64)
    return np.stack([np.ones_like(numbers), numbers, np.log1p(np.asarray(cells, np.float64))], axis=-1)


def _regressed(evidence: Floats) -> NDArray[np.float64]:
    from sklearn.linear_model import LogisticRegression  # imported late: half a second and 40 MB that the web saves

    features = _features(evidence[:, SCORE], evidence[:, CELLS])[:, 1:]
    mean, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread == 0] = 1
    found = LogisticRegression().fit((features - mean) / spread, evidence[:, RIGHT] > 0)
    slopes = found.coef_[0] / spread
    return np.concatenate([found.intercept_ - slopes @ mean, slopes])
