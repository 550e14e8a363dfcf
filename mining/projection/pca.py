"""Principal components of vectors that need not fit into memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 8192
"""Number of vectors in memory at a time."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Components:
    """`mean` (D,), `axes` (k, D) with the widest spread first, and each axis' `share` (k,) of all variance."""

    mean: NDArray[np.float64]
    axes: NDArray[np.float64]
    share: NDArray[np.float64]

    def of(self, vectors: NDArray[Any]) -> Floats:
        """Return the coordinates (N, k) of vectors along the axes."""
        made = np.empty((len(vectors), len(self.axes)), np.float32)
        for at in range(0, len(vectors), BLOCK):
            made[at : at + BLOCK] = (vectors[at : at + BLOCK].astype(np.float64) - self.mean) @ self.axes.T
        return made


def components(vectors: NDArray[Any], count: int) -> Components:
    """Return the first `count` components of vectors (N, D), or as many as there are; exact, block by block, and each
    with its largest weight positive, so that equal vectors give equal axes."""
    size, width = vectors.shape
    total, products = np.zeros(width), np.zeros((width, width))
    shift = vectors[0].astype(np.float64)  # keeps the sums small: the spread counts, not where the vectors lie
    for at in range(0, size, BLOCK):
        block = vectors[at : at + BLOCK].astype(np.float64) - shift
        total += block.sum(axis=0)
        products += block.T @ block
    mean = total / size
    spread, axes = np.linalg.eigh(products / size - np.outer(mean, mean))
    spread, axes = np.maximum(spread[::-1], 0), axes.T[::-1]
    chosen = axes[:count]
    signs = np.sign(chosen[np.arange(len(chosen)), np.abs(chosen).argmax(axis=1)])
    whole = spread.sum()
    share = spread[:count] / whole if whole > 0 else np.zeros(len(chosen))
    return Components(mean + shift, chosen * np.where(signs == 0, 1, signs)[:, None], share)
