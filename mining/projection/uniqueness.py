"""Uniqueness, how unlike all others a vector is: the mean distance to its three nearest ones, 0 for four equal vectors.

Source: the weight of a point in Angiulli and Pizzuti 2002 (outliers by the distances to the k nearest neighbours),
divided by k.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from projection.landmarks import PRODUCTS, chosen

Floats = NDArray[np.float32]
NEIGHBOURS = 3
PAIRS = 4_000_000_000
"""Most distances to compute: up to 63,000 vectors are each compared with all others, larger sets with fewer."""
FEWEST = 5_000
"""Least number of others that each vector is compared with."""


def compared_with(size: int) -> int:
    """Return how many vectors each of `size`, at least one, is compared with."""
    return min(size, max(FEWEST, PAIRS // size))


def uniqueness(vectors: Floats, others: int, seed: int, watch: Callable[[float], None] = lambda _: None) -> Floats:
    """Return the mean Euclidean distance (N,) of vectors (N, D) to their three nearest ones, without itself, among
    `others` of them, drawn by the seed where these are not all. 0 for a single vector."""
    size = len(vectors)
    rows = chosen(size, others, seed)
    reference = vectors[rows]
    count = min(NEIGHBOURS, len(rows) - 1)
    made = np.zeros(size, np.float32)
    if count < 1:
        return made
    lengths = np.einsum("ij,ij->i", reference, reference)
    own = np.full(size, -1)
    own[rows] = np.arange(len(rows))
    step = max(1, PRODUCTS // len(rows))
    for at in range(0, size, step):
        block = vectors[at : at + step]
        distances = lengths - 2 * (block @ reference.T)
        places = own[at : at + step]
        known = np.flatnonzero(places >= 0)
        distances[known, places[known]] = np.inf
        near = np.argpartition(distances, count - 1, axis=1)[:, :count]
        apart = block[:, None, :] - reference[near]  # recomputed: the products above are too coarse for near-equals
        made[at : at + step] = np.sqrt(np.einsum("nkd,nkd->nk", apart, apart)).mean(axis=1)
        watch(min(at + step, size) / size)
    return made
