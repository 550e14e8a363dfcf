"""k-means on the grid: exact distances and integer sums, so the clusters do not depend on blocks or machines."""

from collections.abc import Sequence

import numpy as np

from acquisition.kernels.grid import Whole, squared, squared_lengths
from acquisition.kernels.points import MEGABYTE, SLICE, Points
from acquisition.kernels.threads import sliced
from acquisition.pool import Indices

ROUNDS = 50
"""Most iterations of Lloyd's algorithm."""


def centres_of(sets: Sequence[Points], k: int, rng: np.random.Generator, *, sample: int, memory_mb: float) -> Whole:
    """Return (k, D) centres in steps: Lloyd's k-means from k-means++ centres, over at most `sample` of the sets'
    points.

    The sets share a grid, to which centres are rounded. A point between two centres goes to the lower one; a cluster
    that loses all its points keeps its centre. Fewer than `k` when there are fewer different points.
    """
    fitted = _sample(sets, sample, rng)
    centres = _plus_plus(fitted, k, rng)
    members = np.full(len(fitted), -1, dtype=np.intp)
    for _ in range(ROUNDS):
        before, members = members, nearest_centre(fitted, centres, memory_mb)
        if np.array_equal(before, members):
            break
        centres = _means(fitted, members, centres)
    return centres


def assigned(points: Points, centres: Whole, memory_mb: float) -> Indices:
    """Return the nearest centre (N,) of each point; of equally near ones the lower."""
    found = np.empty(len(points), dtype=np.intp)

    def work(rows: slice) -> None:
        found[rows] = _nearest(points.whole(rows), centres)

    sliced(work, len(points), _rows_at_once(centres, memory_mb))
    return found


def nearest_centre(whole: Whole, centres: Whole, memory_mb: float) -> Indices:
    """Return the nearest centre of each of (n, D) points in steps; of equally near ones the lower."""
    found = np.empty(len(whole), dtype=np.intp)

    def work(rows: slice) -> None:
        found[rows] = _nearest(whole[rows], centres)

    sliced(work, len(whole), _rows_at_once(centres, memory_mb))
    return found


def _nearest(whole: Whole, centres: Whole) -> Indices:
    product = whole @ centres.T
    product *= -2.0
    product += squared_lengths(centres)
    nearest: Indices = product.argmin(axis=1)
    return nearest


def _rows_at_once(centres: Whole, memory_mb: float) -> int:
    return max(1, min(SLICE, int(memory_mb * MEGABYTE / (32 * 8 * max(centres.shape)))))


def _sample(sets: Sequence[Points], sample: int, rng: np.random.Generator) -> Whole:
    total = sum(len(points) for points in sets)
    rows = np.arange(total) if total <= sample else np.sort(rng.choice(total, sample, replace=False))
    starts = np.cumsum([0, *(len(points) for points in sets)])
    parts = [
        points.whole(rows[(rows >= start) & (rows < start + len(points))] - start)
        for points, start in zip(sets, starts[:-1], strict=True)
    ]
    return np.concatenate(parts)


def _plus_plus(whole: Whole, k: int, rng: np.random.Generator) -> Whole:
    """Choose centres by k-means++ (Arthur and Vassilvitskii 2007), one at a time: exact squared distances, so exact
    weights."""
    chosen = [int(rng.integers(len(whole)))]
    weights = np.full(len(whole), np.inf)
    while True:
        np.minimum(weights, squared(whole, whole[chosen[-1:]])[:, 0], out=weights)
        totals = np.cumsum(weights)
        if len(chosen) == min(k, len(whole)) or totals[-1] == 0:
            return whole[chosen]
        row = int(np.searchsorted(totals, rng.random() * totals[-1], side="right"))
        chosen.append(min(row, int(np.flatnonzero(weights)[-1])))


def _means(whole: Whole, members: Indices, centres: Whole) -> Whole:
    """Return the means of the clusters, on the grid. Integer sums below 2^53 are exact in any order."""
    counts = np.bincount(members, minlength=len(centres))
    order = np.argsort(members, kind="stable")
    held = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[held]
    sums = np.add.reduceat(whole[order], starts, axis=0)
    means = centres.copy()
    means[held] = np.rint(sums / counts[held, None])
    return means
