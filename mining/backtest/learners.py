"""What learns in a replay: it is given labels round after round, and answers for the rest."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from worker_programs.events import Listener


class Answers(NamedTuple):
    """What a model says of n candidates: probabilities, as the task type has them (of classes (n, K), of boxes
    (n, M, 6)), embeddings (n, D), and of boxes `cells` (n, M), how many places of the raw maps speak for each."""

    probabilities: Floats
    embeddings: Floats
    cells: NDArray[np.int32] | None = None


class Learned(Protocol):
    """A model of some labels."""

    def accuracy(self) -> float:
        """The headline of the task type on the test samples, 0..1: accuracy of classes, mAP of boxes."""
        ...

    def answers(self, rows: Indices) -> Answers:
        """For these candidates."""
        ...

    def evidence(self, rows: Indices) -> Floats:
        """(J, 4) what it says of labelled samples and whether that is right (`tasktypes.model_parts.Mining.evidence`):
        of validation samples where there are any, else of these candidates, whose labels it knows."""
        ...


class Learner(Protocol):
    """Learns from a part of the candidates. Equal rows and seeds give an equal model."""

    labels: NDArray[Any]
    """(N, ..) the targets of the candidates: of classes an index each."""
    classes: list[str]
    task: str
    """The task type that they are targets of."""

    def learn(self, rows: Indices, *, seed: int, listener: Listener) -> Learned:
        """A new model of these candidates' labels, at least one. The listener is told how far it is."""
        ...
