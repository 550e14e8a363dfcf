"""Polygons: one ring of at least three points [x, y] in pixels of the upright image, the first not repeated last."""

from collections.abc import Sequence
from itertools import pairwise
from math import dist
from typing import TypeVar

MIN_POINTS = 3
MIN_AREA = 1e-6  # in pixels: rounding can give points on a line this much
SAME = 1e-6  # in pixels: points closer than this are equal

Point = Sequence[float]
P = TypeVar("P", bound=Point)


def opened(points: Sequence[P]) -> list[P]:
    """Return the ring without last points that repeat the first, up to rounding."""
    ring = list(points)
    while len(ring) > 1 and dist(ring[0], ring[-1]) < SAME:
        ring.pop()
    return ring


def area(points: Sequence[Point]) -> float:
    """Return the area of the ring in square pixels, for either direction."""
    x0, y0 = points[0]
    ring = [(x - x0, y - y0) for x, y in [*points, points[0]]]  # relative to its first point, to keep precision
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise(ring))) / 2


def is_flat(points: Sequence[Point]) -> bool:
    """Whether the ring encloses nothing: it has too few points, or all are on a line."""
    return len(points) < MIN_POINTS or area(points) <= MIN_AREA


def bounds(points: Sequence[Point]) -> list[float]:
    """Return the box [x1, y1, x2, y2] around the points."""
    xs, ys = zip(*points, strict=True)
    return [min(xs), min(ys), max(xs), max(ys)]
