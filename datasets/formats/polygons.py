"""Polygons: one ring of at least three points [x, y] in pixels of the upright image, the first not repeated last."""

from collections.abc import Sequence
from itertools import pairwise
from math import dist
from typing import TypeVar

MIN_POINTS = 3
MIN_AREA = 1e-6  # in pixels: rounding makes as much of points on a line
SAME = 1e-6  # in pixels: points so near are one

Point = Sequence[float]
P = TypeVar("P", bound=Point)


def opened(points: Sequence[P]) -> list[P]:
    """The ring without a last point that repeats the first, but for what rounding does."""
    ring = list(points)
    while len(ring) > 1 and dist(ring[0], ring[-1]) < SAME:
        ring.pop()
    return ring


def area(points: Sequence[Point]) -> float:
    """What the ring encloses, in square pixels, whichever way it turns."""
    x0, y0 = points[0]
    ring = [(x - x0, y - y0) for x, y in [*points, points[0]]]  # about a point of its own, so that digits last
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(ring))) / 2


def is_flat(points: Sequence[Point]) -> bool:
    """Too few points, or all on a line: nothing is enclosed."""
    return len(points) < MIN_POINTS or area(points) <= MIN_AREA


def bounds(points: Sequence[Point]) -> list[float]:
    """The box [x1, y1, x2, y2] around it."""
    xs, ys = zip(*points, strict=True)
    return [min(xs), min(ys), max(xs), max(ys)]
