"""Learners of a replay: they are trained on more labels round after round, and predict the other candidates."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from worker_programs.events import Listener


class Answers(NamedTuple):
    """A model's predictions for n candidates: probabilities, as the task type has them (of classes (n, K), of boxes (n,
    M, 6)), embeddings (n, D), and of boxes `cells` (n, M), the number of places of the raw maps that support each."""

    probabilities: Floats
    embeddings: Floats
    cells: NDArray[np.int32] | None = None


class Learned(Protocol):
    """A model trained on some labels."""

    def accuracy(self) -> float:
        """The headline metric of the task type on the test samples, 0..1: accuracy of classes, mAP of boxes."""
        ...

    def answers(self, rows: Indices) -> Answers:
        """Return the predictions for these candidates."""
        ...

    def evidence(self, rows: Indices) -> Floats:
        """Return evidence (J, 4): predictions for labelled samples and whether they are right
        (`tasktypes.model_parts.Mining.evidence`); of validation samples where there are any, else of these candidates,
        which are labelled."""
        ...


class Learner(Protocol):
    """Trains models on a part of the candidates. Equal rows and seeds give an equal model."""

    labels: NDArray[Any]
    """The targets (N, ..) of the candidates: of classes an index each."""
    classes: list[str]
    task: str
    """The task type of the targets."""

    def learn(self, rows: Indices, *, seed: int, listener: Listener) -> Learned:
        """Train a new model on the labels of these candidates, at least one. The listener receives its progress."""
        ...
