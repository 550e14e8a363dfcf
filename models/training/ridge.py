"""A linear classifier in closed form: regularised least squares, tuned and calibrated by leaving one out. NumPy only.

Rifkin & Lippert, Notes on Regularized Least Squares (2007): one singular value decomposition gives the solutions of all
penalties, and each one's leave-one-out answers in closed form (Allen's PRESS, 1974). No random numbers are drawn.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasktypes.calibration import fit_temperature

PENALTIES = tuple(np.logspace(-4, 3, 15).tolist())
"""Penalties to try, as multiples of the mean squared singular value."""
TINY = 1e-12

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Scores are `x @ weights + offset`, (D, K) and (K,); probabilities their softmax at `temperature`."""

    weights: Doubles
    offset: Doubles
    temperature: float
    penalty: float
    """The penalty that it was solved with, as a multiple of the mean squared singular value."""

    def scores(self, points: Doubles) -> Doubles:
        """Return the scores (n, K) of points (n, D)."""
        scores: Doubles = points @ self.weights + self.offset
        return scores

    def probabilities(self, points: Doubles) -> Doubles:
        """Return the calibrated probabilities (n, K) of points (n, D)."""
        raised = self.scores(points) / self.temperature
        raised = np.exp(raised - raised.max(axis=1, keepdims=True))
        shares: Doubles = raised / raised.sum(axis=1, keepdims=True)
        return shares


class Ridge:
    """Least squares of one-hot targets (-1, 1) on n >= 1 points (n, D), with any penalty, which leaves out the
    offset."""

    def __init__(self, points: Doubles, labels: NDArray[np.int64], classes: int) -> None:
        self.targets = np.where(np.arange(classes) == labels[:, None], 1.0, -1.0)
        self._centre, self._level = points.mean(axis=0), self.targets.mean(axis=0)
        self._left, values, self._right = np.linalg.svd(points - self._centre, full_matrices=False)
        self._squares, self._values = values**2, values
        self._projected = self._left.T @ (self.targets - self._level)

    @property
    def strength(self) -> float:
        """The mean squared singular value: the unit of penalties."""
        return max(float(self._squares.mean()), TINY)

    def solution(self, penalty: float) -> tuple[Doubles, Doubles]:
        """Return weights (D, K) and offset (K,) for a penalty."""
        weights = self._right.T @ ((self._values / (self._squares + penalty))[:, None] * self._projected)
        return weights, self._level - self._centre @ weights

    def left_out(self, penalty: float) -> Doubles:
        """Return the scores (n, K) of each point by the solution without it."""
        shrunk = self._squares / (self._squares + penalty)
        leverage = 1 / len(self.targets) + (self._left**2) @ shrunk
        residual = self.targets - self._level - self._left @ (shrunk[:, None] * self._projected)
        answers: Doubles = self.targets - residual / np.maximum(1 - leverage, TINY)[:, None]
        return answers


def weighted(
    points: Doubles, labels: NDArray[np.int64], classes: int, *, weights: Doubles, penalty: float
) -> tuple[Doubles, Doubles]:
    """Return weights (D, K) and offset (K,) for points that count as often as `weights` (n,) says, and one penalty, a
    multiple of the mean squared singular value: without a singular value decomposition."""
    targets = np.where(np.arange(classes) == labels[:, None], 1.0, -1.0)
    centre, level = (np.average(part, axis=0, weights=weights) for part in (points, targets))
    roots = np.sqrt(weights)[:, None]
    held, asked = roots * (points - centre), roots * (targets - level)
    size = min(held.shape)
    added = penalty * max(float((held**2).sum()) / size, TINY) * np.eye(size)
    if len(held) <= held.shape[1]:
        found: Doubles = held.T @ np.linalg.solve(held @ held.T + added, asked)
    else:
        found = np.linalg.solve(held.T @ held + added, held.T @ asked)
    return found, level - centre @ found


def fit(points: Doubles, labels: NDArray[np.int64], classes: int) -> Fit:
    """Fit n >= 1 points (n, D) with the penalty whose leave-one-out predictions, at the best temperature, have the
    smallest log loss; of two equal ones the larger."""
    ridge = Ridge(points, labels, classes)
    answers = {share: ridge.left_out(ridge.strength * share).astype(np.float32) for share in PENALTIES}
    tried = {share: fit_temperature(said, labels) for share, said in answers.items()}
    best = min(tried, key=lambda share: (tried[share].loss_after, -share))
    weights, offset = ridge.solution(ridge.strength * best)
    return Fit(weights, offset, tried[best].temperature, best)
