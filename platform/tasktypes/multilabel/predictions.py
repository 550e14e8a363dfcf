"""What a model said of samples of any number of classes. NumPy only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.predictions import DIGEST, EvaluationError, Predictions, check_numbers

EVEN = 0.5
"""The threshold of a class for which none was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPredictions(Predictions):
    """N samples, K classes."""

    label: NDArray[np.bool_]
    """Which classes each sample has (N, K)."""
    said: NDArray[np.bool_]
    """Which classes the model names: those at their threshold or above (N, K)."""
    probabilities: NDArray[np.float32]
    """(N, K)."""

    @classmethod
    def of(
        cls, probabilities: NDArray[np.float32], labels: NDArray[Any], thresholds: NDArray[np.float32] | None = None
    ) -> "SetPredictions":
        """From probabilities and labels (N, K), N >= 1, and the thresholds (K,) of the classes, 0.5 where there are
        none. Raises EvaluationError where they do not fit."""
        if not len(labels) or probabilities.shape != labels.shape:
            words = f"labels of shape {labels.shape} and probabilities of shape {probabilities.shape} do not fit"
            raise EvaluationError(words)
        check_numbers(probabilities)
        bars = np.full(probabilities.shape[1], EVEN, np.float32) if thresholds is None else thresholds
        return cls(
            label=labels > EVEN,
            said=probabilities >= bars,
            probabilities=probabilities.astype(np.float32),
            md5=np.zeros(len(labels), DIGEST),
        )

    @property
    def asked(self) -> NDArray[Any]:
        """Which classes each sample has (N, K)."""
        return self.label

    @property
    def answered(self) -> NDArray[Any]:
        """Which classes the model names (N, K)."""
        return self.said

    @property
    def losses(self) -> NDArray[np.float64]:
        """Binary cross-entropies, the mean over the classes (N,)."""
        likelihood = np.where(self.label, self.probabilities, 1 - self.probabilities.astype(np.float64))
        found: NDArray[np.float64] = -np.log(np.clip(likelihood, 1e-12, None)).mean(axis=1)
        return found
