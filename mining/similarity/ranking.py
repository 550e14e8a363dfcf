"""Find the rows of a matrix of unit vectors nearest to a vector: exactly, in blocks, with a result that does not depend
on them.

A first pass multiplies in float32 at the speed of the memory. It leaves the rows that may be among the best. A second
pass computes these in float64, each by itself, and rounds: no digit depends on what lies beside a row, and equal
vectors have equal similarities.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from acquisition.kernels.threads import sliced

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
Keys = Callable[[Rows], Sequence[str]]
"""Returns the keys of some places; equal similarities are ordered by them."""

BLOCK = 1 << 15
"""Rows of one product: with fewer, the threads wait for Python between products."""
SPARSE = 4
"""Where fewer than one row in this many of a block is wanted, only those rows are read."""
LOOKED_AGAIN = 2048
DECIMALS = 6


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Scale vectors (N, D) to length 1, float32; zeros for a vector of length 0, NaN for one that is not finite."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):
        made: Floats = (wide / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return made


def cosines(matrix: Floats, query: Floats, rows: Rows) -> NDArray[np.float64]:
    """Return the similarities (n,), rounded, of these rows (n,) with the query (D,), both of length 1."""
    wide, found = query.astype(np.float64), np.empty(len(rows))
    for at in range(0, len(rows), LOOKED_AGAIN):
        chosen = rows[at : at + LOOKED_AGAIN]
        found[at : at + LOOKED_AGAIN] = (matrix[chosen].astype(np.float64) * wide).sum(axis=1)
    return np.round(found, DECIMALS) + 0.0  # no -0.0


def products(matrix: Floats, query: Floats, rows: Rows) -> Floats:
    """Return the products (n,) of rows (n,) of the matrix (T, D) with the query (D,), in float32, on all cores."""
    wanted = np.zeros(len(matrix), bool)
    wanted[rows] = True
    found = np.empty(len(matrix), np.float32)

    def work(block: slice) -> None:
        count = np.count_nonzero(wanted[block])
        if count * SPARSE >= block.stop - block.start:
            np.dot(matrix[block], query, out=found[block])
        elif count:
            few = np.flatnonzero(wanted[block]) + block.start
            found[few] = matrix[few] @ query

    sliced(work, len(matrix), BLOCK)
    return found[rows]


def margin(width: int) -> float:
    """Return twice the largest difference between a float32 product of two unit vectors and their rounded
    similarity."""
    return 2 * (1.01 * width * 2.0**-24 + 10.0**-DECIMALS)


def best(matrix: Floats, query: Floats, rows: Rows, count: int, keys: Keys) -> list[tuple[int, float]]:
    """Return (place in `rows`, similarity) of the `count` nearest rows, nearest first, equal ones by key."""
    if not len(rows) or count < 1:
        return []
    places: Rows = np.arange(len(rows))
    if count < len(rows):
        near = products(matrix, query, rows)
        bar = np.partition(near, len(near) - count)[len(near) - count]
        places = np.flatnonzero(near >= bar - np.float32(margin(matrix.shape[1])))
    similar = cosines(matrix, query, rows[places])
    if count < len(places):
        last = np.partition(similar, len(similar) - count)[len(similar) - count]
        places, similar = places[similar >= last], similar[similar >= last]
    named = keys(places)
    ordered = sorted(zip((-similar).tolist(), named, places.tolist(), strict=True))
    return [(place, 0.0 - negated) for negated, _, place in ordered[:count]]
