"""Which rows of a matrix of unit vectors lie nearest to a vector: exact, in blocks, and the same whatever the blocks.

A first look multiplies in float32 at the speed of the memory. It leaves those rows that may be among the best. They are
looked at again in float64, each by itself, and rounded: no digit depends on what lies beside a row, and equal vectors
have equal similarities.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from acquisition.kernels.threads import sliced

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
Keys = Callable[[Rows], Sequence[str]]
"""The keys of what stands at some places; equal similarities are ordered by them."""

BLOCK = 1 << 15
"""Rows of one product: of smaller ones the threads wait for Python between each two."""
SPARSE = 4
"""Of a block of which less than one row in so many is asked for, only those are read."""
LOOKED_AGAIN = 2048
DECIMALS = 6


def unit(vectors: NDArray[np.floating]) -> Floats:
    """(N, D) of length 1, float32; of a vector without a length zeros, of one that is not finite NaN."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):
        made: Floats = (wide / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return made


def cosines(matrix: Floats, query: Floats, rows: Rows) -> NDArray[np.float64]:
    """(n,) of these rows (n,) with the query (D,), both unit: the similarities that are told."""
    wide, found = query.astype(np.float64), np.empty(len(rows))
    for at in range(0, len(rows), LOOKED_AGAIN):
        chosen = rows[at : at + LOOKED_AGAIN]
        found[at : at + LOOKED_AGAIN] = (matrix[chosen].astype(np.float64) * wide).sum(axis=1)
    return np.round(found, DECIMALS) + 0.0  # no -0.0


def products(matrix: Floats, query: Floats, rows: Rows) -> Floats:
    """(n,) of rows (n,) of the matrix (T, D) with the query (D,), in float32, on all cores."""
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
    """How far a float32 product of two unit vectors may lie from the similarity that is told, twice over."""
    return 2 * (1.01 * width * 2.0**-24 + 10.0**-DECIMALS)


def best(matrix: Floats, query: Floats, rows: Rows, count: int, keys: Keys) -> list[tuple[int, float]]:
    """(place in `rows`, similarity) of the `count` nearest, the nearest first; of equal ones the lower key."""
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
