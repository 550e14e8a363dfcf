"""How probable it is that a box is right, fitted on labelled images: a logistic regression for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices

CLASS, SCORE, CELLS, RIGHT = range(4)
"""The columns of a pool's `evidence`."""
LEAST = 10
"""Right boxes, and wrong ones, that a regression is fitted on at least."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Logits of being right are linear in (1, score, log(1 + cells)): `weights` (K, 3) by class; NaN where nothing
    could be fitted."""

    weights: NDArray[np.float64]

    def right(self, score: Floats, cells: NDArray[Any], classes: Indices) -> NDArray[np.float64]:
        """(..) of boxes with scores, cells and classes (..): how probably each is right; where nothing could be fitted,
        its score."""
        weights = self.weights[classes]
        logits = (_features(score, cells) * weights).sum(axis=-1)
        return np.where(np.isnan(logits), score, 1 / (1 + np.exp(-logits)))


def fitted(evidence: Floats, classes: int) -> Odds:
    """On the boxes (J, 4) of labelled images: class, score, cells, and 1 for a right one. Features are brought to mean
    0 and deviation 1, weights are held near 0 by half their square (scikit-learn's usual C = 1).

    A class with fewer than 10 right or wrong boxes takes the regression of all classes together, and where those have
    fewer, none.
    """
    weights = np.full((classes, 3), np.nan)
    if _enough(evidence):
        weights[:] = _regressed(evidence)
    for index in alone(evidence, classes):
        weights[index] = _regressed(evidence[evidence[:, CLASS] == index])
    return Odds(weights)


def alone(evidence: Floats, classes: int) -> Sequence[int]:
    """The classes that have evidence enough for a regression of their own."""
    return [index for index in range(classes) if _enough(evidence[evidence[:, CLASS] == index])]


def _enough(evidence: Floats) -> bool:
    right = int((evidence[:, RIGHT] > 0).sum())
    return min(right, len(evidence) - right) >= LEAST


def _features(score: Floats, cells: NDArray[Any]) -> NDArray[np.float64]:
    numbers = np.asarray(score, np.float64)
    return np.stack([np.ones_like(numbers), numbers, np.log1p(np.asarray(cells, np.float64))], axis=-1)


def _regressed(evidence: Floats) -> NDArray[np.float64]:
    from sklearn.linear_model import LogisticRegression  # half a second and 40 MB, which the web's processes are spared

    features = _features(evidence[:, SCORE], evidence[:, CELLS])[:, 1:]
    mean, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread == 0] = 1
    found = LogisticRegression().fit((features - mean) / spread, evidence[:, RIGHT] > 0)
    slopes = found.coef_[0] / spread
    return np.concatenate([found.intercept_ - slopes @ mean, slopes])
