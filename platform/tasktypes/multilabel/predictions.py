"""A model's predictions for samples of any number of classes. NumPy only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.predictions import DIGEST, EvaluationError, Predictions, check_numbers

EVEN = 0.5
"""The threshold of a class for which none was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPredictions(Predictions):
    """Predictions for N samples and K classes."""

    label: NDArray[np.bool_]
    """Which classes each sample has (N, K)."""
    said: NDArray[np.bool_]
    """Which classes the model predicts: those at their threshold or above (N, K)."""
    probabilities: NDArray[np.float32]
    """The probability of each class (N, K)."""

    @classmethod
    def of(
        cls, probabilities: NDArray[np.float32], labels: NDArray[Any], thresholds: NDArray[np.float32] | None = None
    ) -> "SetPredictions":
        """Make predictions from probabilities and labels (N, K), N >= 1, and the thresholds (K,) of the classes, by
        default 0.5. Raises EvaluationError if they do not fit."""
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
        """Which classes the model predicts (N, K)."""
        return self.said

    @property
    def losses(self) -> NDArray[np.float64]:
        """Binary cross-entropies, the mean over the classes (N,)."""
        likelihood = np.where(self.label, self.probabilities, 1 - self.probabilities.astype(np.float64))
        found: NDArray[np.float64] = -np.log(np.clip(likelihood, 1e-12, None)).mean(axis=1)
        return found
