"""The linear probe: regularised least squares on embeddings, tuned and calibrated by leaving one out. NumPy only.

Rifkin & Lippert, Notes on Regularized Least Squares (2007): one singular value decomposition gives the solutions of all
penalties, and each one's leave-one-out answers in closed form (Allen's PRESS, 1974). No random numbers are drawn.
"""

import io
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from backtest.learners import Answers
from tasktypes import DEFAULT
from tasktypes.calibration import fit_temperature
from worker_programs.events import Listener, Silent

PENALTIES = tuple(np.logspace(-4, 3, 15).tolist())
"""Penalties to try, as multiples of the mean squared singular value."""
TINY = 1e-12
SILENT = Silent()

Doubles = NDArray[np.float64]


class DataFault(ValueError):  # noqa: N818 - a verdict on a file, named as elsewhere
    """The arrays of a file don't fit each other; the message names the field."""

    code = "backtest_data_invalid"


@dataclass(frozen=True)
class Embedded:
    """N >= 1 labelled candidates and T >= 1 test samples: `embedding` (N, D) and `test_embedding` (T, D), finite;
    `labels` (N,) and `test_labels` (T,), class indices."""

    embedding: NDArray[np.floating[Any]]
    labels: NDArray[np.int64]
    test_embedding: NDArray[np.floating[Any]]
    test_labels: NDArray[np.int64]

    def __post_init__(self) -> None:
        for prefix in ("", "test_"):
            vectors, labels = getattr(self, f"{prefix}embedding"), getattr(self, f"{prefix}labels")
            if vectors.ndim != 2 or not len(labels) or labels.shape != (len(vectors),):
                raise DataFault(f"{prefix}embedding: expected one row per label, got {vectors.shape}, {labels.shape}")
            if not np.isfinite(vectors).all():
                raise DataFault(f"{prefix}embedding: holds numbers that are not finite")
        if self.embedding.shape[1] != self.test_embedding.shape[1]:
            raise DataFault("test_embedding: another width than embedding")

    def to_bytes(self) -> bytes:
        """Return the file: uncompressed `.npz`, no pickles; equal arrays give equal bytes."""
        stream = io.BytesIO()
        np.savez(stream, **{field.name: getattr(self, field.name) for field in fields(self)})
        return stream.getvalue()

    @classmethod
    def read(cls, file: Path) -> "Embedded":
        """Read a file that `to_bytes` has written. Raises DataFault for another one."""
        try:
            with np.load(file, allow_pickle=False) as columns:
                return cls(**{field.name: columns[field.name] for field in fields(cls)})
        except (OSError, KeyError, ValueError) as fault:
            raise DataFault(f"data: {file.name} can't be read: {fault}") from fault


class Probe:
    """Learns a linear map from embeddings to classes, one class an image."""

    def __init__(self, data: Embedded, classes: list[str], *, task: str = DEFAULT) -> None:
        self.labels, self.classes, self.task = data.labels, classes, task
        self.embedding = data.embedding.astype(np.float32)
        self.test_labels = data.test_labels
        self._centre = self.embedding.mean(axis=0, dtype=np.float64)
        self._scale = float(self.embedding.std(axis=0, dtype=np.float64).mean()) or 1.0
        self.test = self.scaled(data.test_embedding)

    def scaled(self, embedding: NDArray[np.floating[Any]]) -> Doubles:
        """Centre embeddings and scale them to a mean deviation of one, measured on all candidates, which needs no
        labels. One scale for all dimensions: those that hardly vary would be noise (a dead ReLU, a corner of an
        image)."""
        scaled: Doubles = (embedding.astype(np.float64) - self._centre) / self._scale
        return scaled

    def learn(
        self,
        rows: Indices,
        *,
        seed: int,  # noqa: ARG002 - it draws nothing
        listener: Listener = SILENT,  # noqa: ARG002 - it takes a moment
    ) -> "Linear":
        """Fit the map with the smallest leave-one-out loss at its best temperature."""
        return Linear(self, fit(self.scaled(self.embedding[rows]), self.labels[rows], len(self.classes)))


@dataclass(frozen=True)
class Fit:
    """Scores are `x @ weights + offset`, (D, K) and (K,); probabilities their softmax at `temperature`."""

    weights: Doubles
    offset: Doubles
    temperature: float

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


class Linear:
    """A fitted probe on its learner's data."""

    def __init__(self, probe: Probe, fitted: Fit) -> None:
        self._probe, self._fit = probe, fitted

    def accuracy(self) -> float:
        """The accuracy on the test samples."""
        return float((self._fit.scores(self._probe.test).argmax(axis=1) == self._probe.test_labels).mean())

    def answers(self, rows: Indices) -> Answers:
        """Return the predictions for these candidates."""
        embedding = self._probe.embedding[rows]
        return Answers(self._fit.probabilities(self._probe.scaled(embedding)), embedding)

    def evidence(self, rows: Indices) -> Floats:  # noqa: ARG002 - a class has no place
        """Return no evidence: a class has no place in the image."""
        return np.empty((0, 4), np.float32)


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


def fit(points: Doubles, labels: NDArray[np.int64], classes: int) -> Fit:
    """Fit n >= 1 points (n, D) with the penalty whose leave-one-out predictions, at the best temperature, have the
    smallest log loss; of two equal ones the larger."""
    ridge = Ridge(points, labels, classes)
    answers = {share: ridge.left_out(ridge.strength * share).astype(np.float32) for share in PENALTIES}
    tried = {share: fit_temperature(said, labels) for share, said in answers.items()}
    best = min(tried, key=lambda share: (tried[share].loss_after, -share))
    weights, offset = ridge.solution(ridge.strength * best)
    return Fit(weights, offset, tried[best].temperature)
