"""Greedy k-center: pick the point farthest from all centres, again and again; exact, and mostly matrix products."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from acquisition.kernels.grid import Whole, squared
from acquisition.kernels.points import Points
from acquisition.kernels.products import Products, upper_bounds
from acquisition.kernels.threads import sliced
from acquisition.pool import Indices
from acquisition.registry import Watch, highest, unwatched

PART = 1024
"""Centres to compare with a block at a time."""
TAKEN = -math.inf
"""The bound of a point that is already picked."""


@dataclass(frozen=True, slots=True)
class Search:
    """The `points` (N, D) to pick from. The other fields do not change the picks: `products` says where matrix products
    run, `block` how many candidates are compared with one another at a time."""

    points: Points
    products: Products
    block: int
    watch: Watch


def farthest(search: Search, labelled: Points | None, count: int) -> list[tuple[int, float]]:
    """Return (row, distance to the nearest labelled or picked point) of `count` greedy picks; ties go to the lower row.

    Without `labelled` the first pick is the point farthest from the mean, with its distance to the mean.
    """
    count = min(count, len(search.points))
    if not count:
        return []
    if labelled is not None:
        return _continued(search, labelled, [], count)
    first = _continued(replace(search, watch=unwatched), search.points.mean(), [], 1)
    return _continued(search, None, first, count)


def _continued(
    search: Search, centres: Points | Whole | None, picks: list[tuple[int, float]], count: int
) -> list[tuple[int, float]]:
    """Extend `picks` to `count` picks.

    Distances only shrink, so the last known ones are upper bounds. The `block` largest bounds are made exact; a point
    of the block that still exceeds the largest bound outside is the farthest of all, whatever the true distances
    outside are. If no point of the block does, the next block is tried: its bounds have become smaller. All picks of a
    block update the other points' bounds by one product.
    """
    points, block = search.points, search.block
    bounds = np.full(len(points), math.inf)
    for part in _parts(points, centres, picks):
        np.minimum(bounds, upper_bounds(points, part, search.products), out=bounds)
    bounds[[row for row, _ in picks]] = TAKEN
    while len(picks) < count:
        top = highest(bounds, block + 1)
        inside = np.sort(top[:block][bounds[top[:block]] > TAKEN])
        outside = (bounds[top[block]], -int(top[block])) if len(top) > block else (TAKEN, 0)
        whole = points.whole(inside)
        bounds[inside] = _exact(whole, _parts(points, centres, picks))
        found = _greedy(whole, bounds[inside], inside, count - len(picks), outside)
        if found:
            picks = [*picks, *((row, math.sqrt(distance) * points.grid.step) for row, distance in found)]
            search.watch(len(picks), count)
        if found and len(picks) < count:
            rows = np.array([row for row, _ in found])
            np.minimum(bounds, upper_bounds(points, points.whole(rows), search.products), out=bounds)
            bounds[rows] = TAKEN
    return picks


def _parts(points: Points, centres: Points | Whole | None, picks: list[tuple[int, float]]) -> Iterator[Whole]:
    """Yield all centres and picks, in steps, a slice at a time."""
    if isinstance(centres, Points):
        for at in range(0, len(centres), PART):
            yield centres.whole(slice(at, at + PART))
    elif centres is not None:
        yield centres
    for at in range(0, len(picks), PART):
        yield points.whole(np.array([row for row, _ in picks[at : at + PART]]))


def _exact(whole: Whole, parts: Iterator[Whole]) -> Whole:
    """Return the squared distances (n,) of a block (n, D) to the nearest of all centres."""
    nearest = np.full(len(whole), math.inf)
    for centres in parts:
        np.minimum(nearest, _distances(whole, centres).min(axis=1), out=nearest)
    return nearest


def _distances(left: Whole, right: Whole) -> Whole:
    """Compute `squared` on all cores."""
    found = np.empty((len(left), len(right)))

    def work(rows: slice) -> None:
        found[rows] = squared(left[rows], right)

    sliced(work, len(left), 128)
    return found


def _greedy(
    whole: Whole, nearest: Whole, rows: Indices, count: int, outside: tuple[float, int]
) -> list[tuple[int, float]]:
    """Return greedy picks of one block, (row, squared distance), while no point outside can be farther. `rows`
    ascend."""
    between = _distances(whole, whole)
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
