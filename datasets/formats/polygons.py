"""Polygons: an outline of one part, or of several parts that are one object.

A ring has at least three points [x, y] in pixels of the upright image, the first not repeated last. A polygon of a
label has either `points`, one ring, or `parts`, two or more rings.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from math import dist
from typing import Any, TypeVar

MIN_POINTS = 3
MIN_AREA = 1e-6  # in pixels: rounding can give points on a line this much
SAME = 1e-6  # in pixels: points closer than this are equal
MAX_POINTS = 10_000  # of all rings of a polygon
OUTLINE = frozenset({"points", "parts"})  # the fields of a label's polygon that hold its rings

Point = Sequence[float]
P = TypeVar("P", bound=Point)


def rings_of(polygon: Mapping[str, Any]) -> Sequence[Sequence[Point]]:
    """Return the rings of a label's polygon: one, or one for each of its parts."""
    rings: Sequence[Sequence[Point]] = polygon["parts"] if "parts" in polygon else [polygon["points"]]
    return rings


def outline(rings: Sequence[Sequence[Point]]) -> dict[str, Any]:
    """Return the field of a label's polygon with these rings: `points` for one, `parts` for several."""
    return {"points": rings[0]} if len(rings) == 1 else {"parts": list(rings)}


def bounds_of(polygon: Mapping[str, Any]) -> list[float]:
    """Return the box [x1, y1, x2, y2] around all parts of a label's polygon."""
    return bounds(list(chain.from_iterable(rings_of(polygon))))


def area_of(polygon: Mapping[str, Any]) -> float:
    """Return the area of a polygon in square pixels: the sum of its parts, at most that of the box around them, which
    parts that overlap would exceed."""
    x1, y1, x2, y2 = bounds_of(polygon)
    return min(sum(map(area, rings_of(polygon))), (x2 - x1) * (y2 - y1))


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
