"""What learns in a replay: it is given labels round after round, and answers for the rest."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices


class Answers(NamedTuple):
    """What a model says of n candidates: probabilities (n, K), embeddings (n, D)."""

    probabilities: Floats
    embeddings: Floats


class Learned(Protocol):
    """A model of some labels."""

    def accuracy(self) -> float:
        """On the test samples, 0..1."""
        ...

    def answers(self, rows: Indices) -> Answers:
        """For these candidates."""
        ...


class Learner(Protocol):
    """Learns from a part of the candidates. Equal rows and seeds give an equal model."""

    labels: NDArray[np.int64]
    """(N,) class index of each candidate."""
    classes: list[str]

    def learn(self, rows: Indices, *, seed: int) -> Learned:
        """A new model of these candidates' labels, at least one."""
        ...
