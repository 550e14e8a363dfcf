"""Temperature scaling: one number that makes confidence mean what it says. NumPy only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.model_parts import Calibration
from tasktypes.predictions import EvaluationError

COLDEST, HOTTEST = 0.05, 20.0
TOLERANCE = 1e-3
"""The relative tolerance of the temperature."""
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True)
class Temperature(Calibration):
    """The temperature that fits `samples` validation samples best, between 0.05 and 20."""

    temperature: float
    samples: int
    loss_before: float
    """Mean negative log-likelihood of those samples before scaling."""
    loss_after: float

    def document(self) -> dict[str, Any]:
        """Return the losses on those samples."""
        return {"validation_loss_before": self.loss_before, "validation_loss_after": self.loss_after}


def fit_temperature(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> Temperature:
    """Fit on logits (N, K) and labels (N,), N >= 1 (Guo et al., On Calibration of Modern Neural Networks, 2017).

    The loss is convex in 1 / T, so it has one valley between the bounds: golden sections close in on it. A model that
    is right on every sample ends at the coldest.
    """
    if not len(labels) or len(logits) != len(labels) or not np.isfinite(logits).all():
        raise EvaluationError(f"no temperature fits {len(labels)} labels and logits of shape {logits.shape}")
    raised = logits.astype(np.float64) - logits.max(1, keepdims=True)
    true = raised[np.arange(len(labels)), labels]

    def loss(log_temperature: float) -> float:
        share = np.exp(-log_temperature)
        return float((np.log(np.exp(raised * share).sum(1)) - true * share).mean())

    found = minimised(loss, float(np.log(COLDEST)), float(np.log(HOTTEST)))
    return Temperature(float(np.exp(found)), len(labels), loss(0.0), loss(found))


def minimised(loss: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function with one valley is lowest between `low` and `high`, by golden sections, to TOLERANCE."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = loss(left), loss(right)
    while high - low > TOLERANCE:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = loss(right)
    return (low + high) / 2


def confidences(logits: NDArray[np.float32], temperature: float) -> NDArray[np.float32]:
    """Return the confidence (N,) in each answer at a temperature."""
    raised = (logits.astype(np.float64) - logits.max(1, keepdims=True)) / temperature
    return np.asarray(1 / np.exp(raised).sum(1), np.float32)
