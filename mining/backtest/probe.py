"""The linear probe: a linear classifier in closed form (`training.ridge`) on embeddings. NumPy only."""

import io
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from backtest.learners import Answers
from tasktypes import DEFAULT
from training.ridge import Doubles, Fit, fit
from worker_programs.events import Listener, Silent

SILENT = Silent()


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
