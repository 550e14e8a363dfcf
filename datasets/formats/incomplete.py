"""Annotated objects that a label can't hold. An image that has one stays unlabelled: a label without it would teach a
model that nothing is there."""

from collections.abc import Mapping
from typing import Any

EXAMPLES = 5
REASONS: Mapping[str, str] = {
    "brush": "brush strokes, which are no outline",
    "cuboid": "cuboids",
    "keypoints": "keypoints without a box",
    "line": "lines, which enclose nothing",
    "mask_unreadable": "masks that can't be decoded, or are of another size than their image",
    "no_area": "boxes and polygons without area inside their image",
    "no_box": "objects without a box or an outline",
    "no_class": "regions without a class",
    "points": "points",
    "shape_unknown": "shapes of a kind that is not known",
    "size_differs": "objects of images that have another size than the annotations were made for",
    "turned_image": "objects of images that were turned while they were labelled",
}


class Incomplete:
    """Counts objects that labels can't hold by reason, and remembers their images."""

    def __init__(self) -> None:
        self._objects: dict[str, int] = {}
        self._images: dict[str, dict[str, None]] = {}

    def add(self, reason: str, key: str, count: int = 1) -> None:
        """Record `count` objects of the image `key`; `reason` is one of REASONS."""
        self._objects[reason] = self._objects.get(reason, 0) + count
        self._images.setdefault(reason, {})[key] = None

    @property
    def images(self) -> set[str]:
        """Every image with such an object."""
        return {key for keys in self._images.values() for key in keys}

    def reasons(self) -> list[dict[str, Any]]:
        """Return one row for each reason: its code, its text, the numbers of objects and images, and the first few
        images."""
        return [
            {"code": code, "reason": REASONS[code], "objects": self._objects[code], "images": len(keys),
             "examples": list(keys)[:EXAMPLES]}
            for code, keys in sorted(self._images.items())
        ]  # fmt: skip
