"""Temperature scaling: one number that makes confidence mean what it says. NumPy only."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.model_parts import COLDEST, Calibration
from tasktypes.predictions import EvaluationError

HOTTEST = 20.0
"""The highest temperature; the lowest is that of the task type's outputs."""
SPREAD = math.log(2)
"""Standard deviation of the prior on log T, whose mean is 0 (T = 1: no change): 95 % of it is from 1/4 to 4."""
PSEUDO_ERRORS = 1.0
"""How many errors are added to those seen before a temperature below 1 is accepted."""
TOLERANCE = 1e-3
"""The relative tolerance of the temperature."""
COARSE = 13
"""Temperatures to try before the search closes in on the best."""
GOLDEN = (5**0.5 - 1) / 2
Loss = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Temperature(Calibration):
    """The most probable temperature by `samples` validation samples, between COLDEST and HOTTEST."""

    temperature: float
    samples: int
    loss_before: float
    """Mean negative log-likelihood of those samples before scaling."""
    loss_after: float

    def document(self) -> dict[str, Any]:
        """Return the losses on those samples."""
        return {"validation_loss_before": self.loss_before, "validation_loss_after": self.loss_after}


def fit_temperature(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> Temperature:
    """Fit on logits (N, K) and labels (N,), N >= 1 (Guo et al., On Calibration of Modern Neural Networks, 2017), as
    `most_probable` does; the pseudo-error takes the likeliest class but the true one for the right answer."""
    if not len(labels) or len(logits) != len(labels) or not np.isfinite(logits).all():
        raise EvaluationError(f"no temperature fits {len(labels)} labels and logits of shape {logits.shape}")
    raised = logits.astype(np.float64) - logits.max(1, keepdims=True)
    rows = np.arange(len(labels))
    true = raised[rows, labels]
    others = raised.copy()
    others[rows, labels] = -np.inf
    rival = others.max(1) if logits.shape[1] > 1 else true

    def loss_of(answers: NDArray[np.float64]) -> Loss:
        def loss(log_temperature: float) -> float:
            share = np.exp(-log_temperature)
            return float((np.log(np.exp(raised * share).sum(1)) - answers * share).mean())

        return loss

    loss = loss_of(true)
    best = most_probable(loss, loss_of(rival), decisions=len(labels))
    return Temperature(math.exp(best), len(labels), loss(0.0), loss(best))


def most_probable(loss: Loss, mistaken: Loss, *, decisions: int, coldest: float = COLDEST) -> float:
    """Return the logarithm of the most probable temperature (MAP) given the mean loss of `decisions` validation
    decisions, as a function of log T.

    The prior on log T is normal, with mean 0 and deviation SPREAD. Where a small split is all right, its likelihood
    alone rises without end as T falls. So below T = 1 the loss of PSEUDO_ERRORS further decisions counts as well, whose
    answers are wrong: `mistaken` is the mean loss if each decision were. This is the smoothing of Platt (Probabilistic
    Outputs for Support Vector Machines, 1999), who adds an example to each side because none seen is not none to come,
    on one side only: it limits how far a temperature sharpens, and never softens.
    """
    neutral = mistaken(0.0)

    def cost(log_temperature: float) -> float:
        prior = (log_temperature / SPREAD) ** 2 / 2
        wrong = max(0.0, mistaken(log_temperature) - neutral) if log_temperature < 0 else 0.0
        return decisions * loss(log_temperature) + PSEUDO_ERRORS * wrong + prior

    grid = np.linspace(math.log(coldest), math.log(HOTTEST), COARSE).tolist()
    at = min(range(COARSE), key=[cost(each) for each in grid].__getitem__)
    return minimised(cost, grid[max(at - 1, 0)], grid[min(at + 1, COARSE - 1)])


def minimised(loss: Loss, low: float, high: float) -> float:
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
