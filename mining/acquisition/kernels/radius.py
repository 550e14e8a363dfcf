"""Radii for coverage, the distance up to which a label covers other points, taken from the data."""

import math

import numpy as np

from acquisition.kernels.clusters import nearest_centre
from acquisition.kernels.grid import Whole, squared
from acquisition.kernels.points import Points
from acquisition.pool import Indices

LOOKED_AT = 2000
"""Most points that a radius is computed from; drawn at random."""


def reach(points: Points, labelled: Points | None, rng: np.random.Generator) -> float:
    """Return the median distance from a labelled sample to the nearest other one: it shrinks as labels become denser.

    This is the idea of UHerding's radius adaptation (Bae et al., ICLR 2025), with the median because the smallest
    distance would be that of one pair of near-duplicates. With fewer than two labels: the median distance between two
    points of the pool. 1 where all of these coincide.
    """
    few = labelled is None or len(labelled) < 2
    whole = _drawn(points if few or labelled is None else labelled, rng)
    between = squared(whole, whole)
    if few:
        found = between[np.triu_indices(len(whole), 1)]
    else:
        np.fill_diagonal(between, math.inf)
        found = between.min(axis=1)
    median = float(np.median(found)) if len(found) else 0.0
    return math.sqrt(median) * points.grid.step or 1.0


def pure(points: Points, centres: Whole, rng: np.random.Generator, *, purity: float, memory_mb: float) -> float:
    """Return the largest radius at which a share `purity` of balls holds points of only one cluster (Yehuda et al.,
    NeurIPS 2022).

    A ball is pure below the distance to the nearest point of another cluster, so the answer is a quantile of these
    distances, over a sample of the points. With one cluster: the median distance between two points.
    """
    whole = _drawn(points, rng)
    members = nearest_centre(whole, centres, memory_mb)
    between = squared(whole, whole)
    foreign = _other_cluster(between, members)
    if not np.isfinite(foreign).any():
        foreign, purity = between[np.triu_indices(len(whole), 1)], 0.5
    if not len(foreign):
        return 1.0
    # Just below the quantile: at the distance itself the ball would include the other cluster's point.
    squares = float(np.quantile(foreign, 1 - purity, method="lower"))
    return math.sqrt(max(squares - 1, 0.0)) * points.grid.step


def _other_cluster(between: Whole, members: Indices) -> Whole:
    same = members[:, None] == members[None, :]
    found: Whole = np.where(same, math.inf, between).min(axis=1, initial=math.inf)
    return found


def _drawn(points: Points, rng: np.random.Generator) -> Whole:
    rows = np.arange(len(points))
    return points.whole(rows if len(rows) <= LOOKED_AT else np.sort(rng.choice(rows, LOOKED_AT, replace=False)))
