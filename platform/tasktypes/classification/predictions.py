"""A model's predictions for samples of one class each. NumPy only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.predictions import DIGEST, EvaluationError, Predictions, check_numbers

TOP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPredictions(Predictions):
    """Predictions for N samples of one class each."""

    label: NDArray[np.int32]
    """Index of the true class."""
    predicted: NDArray[np.int32]
    confidence: NDArray[np.float32]
    """Probability of the predicted class."""
    likelihood: NDArray[np.float32]
    """Probability of the true class."""
    top5: NDArray[np.bool_]
    """Whether the true class is among the five most probable."""

    @classmethod
    def of(cls, probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> "ClassPredictions":
        """Make predictions from probabilities (N, K), N >= 1, and labels (N,). Raises EvaluationError if they do not
        fit."""
        if not len(labels) or probabilities.ndim != 2 or len(probabilities) != len(labels):
            raise EvaluationError(f"{len(labels)} labels and probabilities of shape {probabilities.shape} do not fit")
        check_numbers(probabilities)
        true = probabilities[np.arange(len(labels)), labels]
        predicted = probabilities.argmax(1)
        return cls(
            label=labels.astype(np.int32),
            predicted=predicted.astype(np.int32),
            confidence=probabilities.max(1).astype(np.float32),
            likelihood=true.astype(np.float32),
            top5=((probabilities > true[:, None]).sum(1) < TOP),
            md5=np.zeros(len(labels), DIGEST),
        )

    @property
    def asked(self) -> NDArray[Any]:
        """The index of the true class (N,)."""
        return self.label

    @property
    def answered(self) -> NDArray[Any]:
        """The index of the predicted class (N,)."""
        return self.predicted

    @property
    def losses(self) -> NDArray[np.float64]:
        """Negative log-likelihoods (N,)."""
        return -np.log(np.clip(self.likelihood.astype(np.float64), 1e-12, None))
