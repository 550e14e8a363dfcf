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

from acquisition.pool import Indices
from backtest.learners import Answers
from training.calibration import fit_temperature

PENALTIES = np.logspace(-4, 3, 15)
"""Tried penalties, as multiples of the mean squared singular value."""
TINY = 1e-12

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
        """The file: uncompressed `.npz`, no pickles; equal arrays give equal bytes."""
        stream = io.BytesIO()
        np.savez(stream, **{field.name: getattr(self, field.name) for field in fields(self)})
        return stream.getvalue()

    @classmethod
    def read(cls, file: Path) -> "Embedded":
        """Such a file. Raises DataFault for another one."""
        try:
            with np.load(file, allow_pickle=False) as columns:
                return cls(**{field.name: columns[field.name] for field in fields(cls)})
        except (OSError, KeyError, ValueError) as fault:
            raise DataFault(f"data: {file.name} can't be read: {fault}") from fault


class Probe:
    """Learns a linear map from embeddings to classes."""

    def __init__(self, data: Embedded, classes: list[str]) -> None:
        self.labels, self.classes = data.labels, classes
        self.embedding = data.embedding.astype(np.float32)
        self.test_labels = data.test_labels
        self._centre = self.embedding.mean(axis=0, dtype=np.float64)
        self._scale = np.maximum(self.embedding.std(axis=0, dtype=np.float64), TINY)
        self.test = self.scaled(data.test_embedding)

    def scaled(self, embedding: NDArray[np.floating[Any]]) -> Doubles:
        """Centred and brought to unit deviation by the candidates, whose labels that does not need."""
        scaled: Doubles = (embedding.astype(np.float64) - self._centre) / self._scale
        return scaled

    def learn(self, rows: Indices, *, seed: int) -> "Linear":  # noqa: ARG002 - it draws nothing
        """The map with the smallest leave-one-out error, its temperature fitted on the same answers."""
        return Linear(self, fit(self.scaled(self.embedding[rows]), self.labels[rows], len(self.classes)))


@dataclass(frozen=True)
class Fit:
    """Scores are `x @ weights + offset`, (D, K) and (K,); probabilities their softmax at `temperature`."""

    weights: Doubles
    offset: Doubles
    temperature: float

    def scores(self, points: Doubles) -> Doubles:
        """(n, K) of (n, D)."""
        scores: Doubles = points @ self.weights + self.offset
        return scores

    def probabilities(self, points: Doubles) -> Doubles:
        """(n, K) of (n, D), calibrated."""
        raised = self.scores(points) / self.temperature
        raised = np.exp(raised - raised.max(axis=1, keepdims=True))
        shares: Doubles = raised / raised.sum(axis=1, keepdims=True)
        return shares


class Linear:
    """A fitted probe on its learner's data."""

    def __init__(self, probe: Probe, fitted: Fit) -> None:
        self._probe, self._fit = probe, fitted

    def accuracy(self) -> float:
        """On the test samples."""
        return float((self._fit.scores(self._probe.test).argmax(axis=1) == self._probe.test_labels).mean())

    def answers(self, rows: Indices) -> Answers:
        """For these candidates."""
        embedding = self._probe.embedding[rows]
        return Answers(self._fit.probabilities(self._probe.scaled(embedding)), embedding)


def fit(points: Doubles, labels: NDArray[np.int64], classes: int) -> Fit:
    """Fit n >= 1 points (n, D) to one-hot targets. The penalty has the smallest squared leave-one-out error, and of two
    equal ones it is the larger."""
    targets = np.where(np.arange(classes) == labels[:, None], 1.0, -1.0)
    centre, level = points.mean(axis=0), targets.mean(axis=0)
    left, values, right = np.linalg.svd(points - centre, full_matrices=False)
    strength = max(float((values**2).mean()), TINY)
    projected = left.T @ (targets - level)

    def left_out(penalty: float) -> Doubles:
        shrunk = values**2 / (values**2 + penalty)
        leverage = 1 / len(points) + (left**2) @ shrunk
        residual = targets - level - left @ (shrunk[:, None] * projected)
        answers: Doubles = targets - residual / np.maximum(1 - leverage, TINY)[:, None]
        return answers

    tried = [(float(((left_out(p) - targets) ** 2).mean()), -p) for p in strength * PENALTIES]
    penalty = -min(tried)[1]
    weights = right.T @ ((values / (values**2 + penalty))[:, None] * projected)
    temperature = fit_temperature(left_out(penalty).astype(np.float32), labels).value
    return Fit(weights, level - centre @ weights, temperature)
