"""Rates with their intervals, and the calibration error. NumPy only."""

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
BINS = 15


def wilson(right: float, total: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a rate; 0..1."""
    rate, share = right / total, z * z / total
    middle = (rate + share / 2) / (1 + share)
    half = z / (1 + share) * float(np.sqrt(rate * (1 - rate) / total + share / (4 * total)))
    return max(0.0, middle - half), min(1.0, middle + half)


def calibration_error(confidence: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """Return the mean gap of confidence and accuracy over equal bins, weighted by their samples (Guo et al. 2017)."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    hits = np.bincount(bins, right, BINS)
    trust = np.bincount(bins, confidence.astype(np.float64), BINS)
    return float(np.abs(hits - trust).sum() / len(confidence))
