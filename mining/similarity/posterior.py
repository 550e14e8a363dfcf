"""From a backbone's features to vectors of words: the names of ImageNet's classes, weighted by how likely they are."""

import io
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Posterior:
    """A classifier over features: `weights` (K, F), `bias` (K,) and `temperature` give the classes' logits, `names` (K,
    D) the vectors of their names."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    names: NDArray[np.float32]
    temperature: float

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Read the file that `export.words.lexicon` writes."""
        with np.load(io.BytesIO(data), allow_pickle=False) as told:
            return cls(told["weights"], told["bias"], told["names"], float(told["temperature"]))

    def described(self, features: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the mean (N, D) of the names' vectors, weighted by the softmax of the logits of features (N, F)."""
        logits = (features.astype(np.float32) @ self.weights.T + self.bias) / self.temperature
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        made: NDArray[np.floating] = (likely / likely.sum(axis=1, keepdims=True)) @ self.names
        return made
