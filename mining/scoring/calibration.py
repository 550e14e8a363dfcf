"""Confidence that means what it says: temperature scaling of stored probabilities. NumPy only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.metrics import calibration_error

SMALLEST = np.finfo(np.float32).tiny
"""Stands for a probability of 0, of which there is no logarithm."""


def calibrate(probabilities: NDArray[np.floating[Any]], temperature: float) -> NDArray[np.float32]:
    """softmax(log p / T) over the last axis (Guo et al., On Calibration of Modern Neural Networks, 2017).

    Of probabilities (..., K) it is the same as softmax(logits / T), because softmax forgets what was added to all
    logits: so the temperature that was fitted on a model's logits serves for its stored scores. The order of the
    classes stays. Raises ValueError unless T > 0.
    """
    if not temperature > 0:
        raise ValueError(f"a temperature is above 0, not {temperature}")
    logs = np.log(np.maximum(probabilities, SMALLEST, dtype=np.float32)) / np.float32(temperature)
    logs -= logs.max(axis=-1, keepdims=True)
    raised = np.exp(logs, out=logs)
    raised /= raised.sum(axis=-1, keepdims=True)
    return np.asarray(raised, np.float32)


def calibration_errors(
    probabilities: NDArray[np.float32], labels: NDArray[np.integer[Any]], temperature: float
) -> tuple[float, float]:
    """The expected calibration error of probabilities (N, K) against labels (N,), before and after `calibrate`; N >= 1.

    15 equal bins of confidence (Guo et al. 2017, eq. 3).
    """
    before, after = (
        calibration_error(one.max(axis=1), one.argmax(axis=1) == labels)
        for one in (probabilities, calibrate(probabilities, temperature))
    )
    return before, after
