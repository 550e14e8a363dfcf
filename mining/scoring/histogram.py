"""The score histogram that is there while scoring still goes on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 40


def margin_histogram(probabilities: NDArray[np.floating[Any]]) -> dict[str, list[float] | list[int]]:
    """`{edges, counts}` of 1 - (p1 - p2) over probabilities (N, K), in 40 equal bins of 0..1: those of several shards
    add up. The highest is the most uncertain; with one class there is no p2, and it counts as 0."""
    counts, edges = np.histogram(_margins(probabilities), bins=BINS, range=(0.0, 1.0))
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _margins(probabilities: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    if not probabilities.size:
        return np.empty(0, np.float32)
    padded = np.pad(probabilities, ((0, 0), (0, 1))) if probabilities.shape[1] == 1 else probabilities
    top = np.partition(padded, -2, axis=1)
    return np.asarray(np.clip(1 - (top[:, -1] - top[:, -2]), 0, 1))
