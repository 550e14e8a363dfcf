"""Shapes of other tools converted to polygons: ellipses, rotated rectangles."""

from collections.abc import Sequence
from math import cos, pi, radians, sin

ELLIPSE_POINTS = 64  # its polygon encloses 99.8 % of it

Point = Sequence[float]


def ellipse(centre: Point, radii: Point, *, degrees: float = 0) -> list[list[float]]:
    """Return an ellipse, rotated clockwise about its centre."""
    (x, y), (across, down) = centre, radii
    steps = (2 * pi * step / ELLIPSE_POINTS for step in range(ELLIPSE_POINTS))
    return turned([[x + across * cos(angle), y + down * sin(angle)] for angle in steps], centre, degrees)


def rectangle(corners: Sequence[float], *, about: Point, degrees: float) -> list[list[float]]:
    """Return a box x1, y1, x2, y2 rotated clockwise about a point."""
    x1, y1, x2, y2 = corners
    return turned([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], about, degrees)


def turned(points: Sequence[Point], about: Point, degrees: float) -> list[list[float]]:
    """Rotate the points clockwise (y goes down)."""
    (x0, y0), cosine, sine = about, cos(radians(degrees)), sin(radians(degrees))
    return [[x0 + (x - x0) * cosine - (y - y0) * sine, y0 + (x - x0) * sine + (y - y0) * cosine] for x, y in points]
