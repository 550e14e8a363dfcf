"""Coordinates in the wrong unit: shares of the image (0..1) where pixels belong, pixels where shares belong.

A box of shares read as pixels is a box of less than a pixel in the corner of its image, without any error: so what can
be either is refused, with what to do.
"""

from collections.abc import Iterable, Sequence

from formats.errors import FormatError
from formats.samples import Size

SMALLEST = 8
"""Sides of an image in pixels from which on objects within its first pixel are taken for shares."""
LARGEST_SHARE = 2.0
"""A share beyond it is of no box that anybody drew: its middle, or its size, would be twice the image away."""


class UnitGuard:
    """Looks at the coordinates of one image's objects as their file has them, before they are cut to the image."""

    def __init__(self) -> None:
        self._objects, self._beyond = 0, False

    def see(self, points: Iterable[Sequence[float]]) -> None:
        """Look at an object: the points of its outline, or two corners of its box, in pixels."""
        xs, ys = zip(*points, strict=True) if (points := list(points)) else ((), ())
        if not xs or min(xs) == max(xs) or min(ys) == max(ys):
            return  # it encloses nothing, in whatever unit
        self._objects += 1
        self._beyond = self._beyond or min(*xs, *ys) < 0 or max(*xs, *ys) > 1

    @property
    def suspicious(self) -> bool:
        """Whether there are objects and all of them are within 0..1."""
        return self._objects > 0 and not self._beyond

    def check(self, size: Size | None, key: str) -> None:
        """Raise FormatError if all objects are within 0..1 though the image is larger than that."""
        if not self.suspicious or size is None or min(size) < SMALLEST:
            return
        width, height = size
        raise FormatError(
            f"{key!r}: all its objects ({self._objects}) are within 0..1, which are shares of the image, and pixels "
            f"belong there (it has {width} x {height}): multiply each x and width by {width}, each y and height by "
            f"{height}"
        )


def check_shares(values: Sequence[float], where: str) -> None:
    """Raise FormatError if these shares of an image, such as `x y width height`, can only be pixels."""
    if (beyond := next((value for value in values if abs(value) > LARGEST_SHARE), None)) is not None:
        raise FormatError(
            f"{where}: {beyond:g} is not a share of the image, which are 0..1; if it is pixels, divide each x and "
            "width by the image's width, each y and height by its height"
        )
