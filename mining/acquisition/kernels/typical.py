"""TypiClust's choice: the most typical point of each cluster that holds no label yet (Hacohen et al., ICML 2022)."""

import numpy as np

from acquisition.kernels.grid import squared
from acquisition.kernels.points import MEGABYTE, SLICE, Points
from acquisition.kernels.threads import sliced
from acquisition.pool import Floats, Indices
from acquisition.registry import Watch


def typicality(points: Points, rows: Indices, among: Indices, neighbours: int, memory_mb: float) -> Floats:
    """Return the typicality (n,) of `rows`: 1 / mean distance to the nearest `neighbours` of the points `among`, itself
    left out.

    0 where there are no others; infinite for a point that coincides with all its neighbours.
    """
    inside = np.isin(rows, among)
    neighbours = min(neighbours, len(among) - 1)
    if neighbours < 1:
        return np.zeros(len(rows))
    others = points.whole(among)
    found = np.empty(len(rows))
    size = max(1, min(SLICE, int(memory_mb * MEGABYTE / (32 * 8 * max(len(among), points.dimensions)))))

    def work(which: slice) -> None:
        distances = squared(points.whole(rows[which]), others)
        near = np.sqrt(np.sort(np.partition(distances, neighbours, axis=1)[:, : neighbours + 1], axis=1))
        # A row that is one of `among` has its own distance, 0, among these: then one more neighbour counts.
        total = near[:, :neighbours].sum(axis=1) + np.where(inside[which], near[:, neighbours], 0.0)
        with np.errstate(divide="ignore"):
            found[which] = neighbours / (total * points.grid.step)

    sliced(work, len(rows), size)
    return found


def typical(
    points: Points,
    members: Indices,
    labelled: Indices,
    count: int,
    *,
    neighbours: int,
    limit: int,
    rng: np.random.Generator,
    memory_mb: float,
    watch: Watch,
) -> list[tuple[int, int, float]]:
    """Return (row, its cluster, its typicality) of `count` picks.

    `members` (N,) and `labelled` (M,) are cluster numbers. Each pick is from the cluster with the fewest labels and
    picks, of these the largest, of these the lowest number; in it the most typical point that is not picked, of equal
    ones the lower row. Neighbours are searched among at most `limit` points of the cluster, drawn at random.
    """
    size = int(max(members.max(initial=-1), labelled.max(initial=-1))) + 1
    left = np.bincount(members, minlength=size)
    sizes = left.copy()
    labels = np.bincount(labelled, minlength=size)
    ranked: dict[int, list[tuple[int, float]]] = {}
    picks: list[tuple[int, int, float]] = []
    while len(picks) < min(count, len(points)):
        open_ones = np.flatnonzero(left)
        cluster = int(open_ones[np.lexsort((open_ones, -sizes[open_ones], labels[open_ones]))[0]])
        if cluster not in ranked:
            rows = np.flatnonzero(members == cluster)
            ranked[cluster] = _ranked(points, rows, neighbours, limit, rng, memory_mb)
        row, value = ranked[cluster].pop()
        picks.append((row, cluster, value))
        left[cluster] -= 1
        labels[cluster] += 1
        watch(len(picks), count)
    return picks


def _ranked(
    points: Points, rows: Indices, neighbours: int, limit: int, rng: np.random.Generator, memory_mb: float
) -> list[tuple[int, float]]:
    """Return the rows of one cluster with their typicality per unit of distance, the most typical last."""
    among = rows if len(rows) <= limit else np.sort(rng.choice(rows, limit, replace=False))
    values = typicality(points, rows, among, neighbours, memory_mb)
    order = np.lexsort((rows, -values))[::-1]
    return [(int(rows[at]), float(values[at])) for at in order]
