"""Greedy k-center: the point farthest from all centres, again and again; exact, and mostly matrix products."""

import math
from collections.abc import Iterator

import numpy as np

from acquisition.kernels.grid import Whole, squared
from acquisition.kernels.points import SLICE, Points
from acquisition.kernels.products import Products, upper_bounds
from acquisition.pool import Indices
from acquisition.registry import Watch, highest

TAKEN = -math.inf
"""The bound of a point that is picked already."""


def farthest(
    points: Points, labelled: Points | None, count: int, *, products: Products, block: int, watch: Watch
) -> list[tuple[int, float]]:
    """(row, distance to the nearest labelled or picked) of `count` greedy picks; ties go to the lower row.

    Distances only shrink, so the last known ones are upper bounds. The `block` largest bounds are made exact; a point
    of the block that still beats the largest bound outside beats every point, whatever the outside distances really
    are. When none of the block does, the next block is looked at: its bounds have become smaller. All picks of a block
    reach the other points' bounds by one product. Without `labelled` the first pick is the farthest from the mean,
    and its distance is that. The picks do not depend on `block` or `products`.
    """
    count = min(count, len(points))
    picks: list[tuple[int, float]] = []
    bounds = np.full(len(points), math.inf)
    for centres in _starts(points, labelled) if count else ():
        np.minimum(bounds, upper_bounds(points, centres, products), out=bounds)
    while len(picks) < count:
        top = highest(bounds, block + 1)
        inside = np.sort(top[:block][bounds[top[:block]] > TAKEN])
        outside = (bounds[top[block]], -int(top[block])) if len(top) > block else (TAKEN, 0)
        whole = points.whole(inside)
        bounds[inside] = _exact(points, labelled, whole, [row for row, _ in picks])
        found = _greedy(whole, bounds[inside], inside, count - len(picks), outside)
        if found:
            rows = np.array([row for row, _ in found])
            np.minimum(bounds, upper_bounds(points, points.whole(rows), products), out=bounds)
            bounds[rows] = TAKEN
            picks += [(row, math.sqrt(distance) * points.grid.step) for row, distance in found]
            watch(len(picks), count)
    return picks


def _starts(points: Points, labelled: Points | None) -> Iterator[Whole]:
    if labelled is None:
        yield points.mean()
        return
    for at in range(0, len(labelled), SLICE // 4):
        yield labelled.whole(slice(at, at + SLICE // 4))


def _exact(points: Points, labelled: Points | None, whole: Whole, picked: list[int]) -> Whole:
    """(n,) squared distances of a block (n, D) to the nearest of all centres."""
    nearest = np.full(len(whole), math.inf)
    for centres in _starts(points, labelled):
        np.minimum(nearest, squared(whole, centres).min(axis=1), out=nearest)
    for at in range(0, len(picked), SLICE // 4):
        centres = points.whole(np.array(picked[at : at + SLICE // 4]))
        np.minimum(nearest, squared(whole, centres).min(axis=1), out=nearest)
    return nearest


def _greedy(
    whole: Whole, nearest: Whole, rows: Indices, count: int, outside: tuple[float, int]
) -> list[tuple[int, float]]:
    """Greedy picks of one block, (row, squared distance), while no point outside can win. `rows` ascend."""
    between = squared(whole, whole)
    nearest = nearest.copy()
    found: list[tuple[int, float]] = []
    while len(found) < min(count, len(rows)):
        best = int(nearest.argmax())
        if (nearest[best], -int(rows[best])) < outside:
            break
        found.append((int(rows[best]), float(nearest[best])))
        np.minimum(nearest, between[best], out=nearest)
        nearest[best] = TAKEN
    return found
