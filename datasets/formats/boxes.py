"""Boxes and polygons as every format's reader and writer sees them, in pixels of the upright image: float corners x1,
y1, x2, y2, and points x, y."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from formats.notes import Notes
from formats.polygons import bounds, is_flat, opened
from formats.samples import Item, Size

SLACK = 1.0
DECIMALS = 9
CORNERS = 4
Corners = tuple[float, float, float, float]


def inside(corners: Corners, size: Size | None, *, notes: Notes, where: str) -> list[float] | None:
    """The box cut to its image, or None for one without area, which is noted. Rounding by a pixel is not noted.

    Digits that only come of computing with percents or widths are dropped: an unchanged box is the same again.
    """
    x1, y1, x2, y2 = (round(corner, DECIMALS) for corner in corners)
    width, height = size or (float("inf"), float("inf"))
    if x1 < -SLACK or y1 < -SLACK or x2 > width + SLACK or y2 > height + SLACK:
        notes.add("boxes reach beyond their image and were cut to it", where)
    x1, y1, x2, y2 = max(x1, 0.0), max(y1, 0.0), min(x2, float(width)), min(y2, float(height))
    if not (x1 < x2 and y1 < y2):
        notes.add("boxes without area inside their image were left out", where)
        return None
    return [x1, y1, x2, y2]


def ring_inside(
    points: Sequence[Sequence[float]], size: Size | None, *, notes: Notes, where: str
) -> list[list[float]] | None:
    """The polygon with its points moved into its image, or None for one without area, which is noted."""
    width, height = size or (float("inf"), float("inf"))
    if any(not (-SLACK <= x <= width + SLACK and -SLACK <= y <= height + SLACK) for x, y in points):
        notes.add("polygons reach beyond their image and were cut to it", where)
    rounded = ((round(x, DECIMALS), round(y, DECIMALS)) for x, y in points)
    ring = opened([[min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))] for x, y in rounded])
    if is_flat(ring):
        notes.add("polygons without area inside their image were left out", where)
        return None
    return ring


class Objects:
    """The objects of one image while it is read: boxes, their attributes, polygons, regions to ignore."""

    def __init__(self, size: Size | None, *, notes: Notes, where: str) -> None:
        self._size, self._notes, self._where = size, notes, where
        self._boxes: list[dict[str, Any]] = []
        self._attributes: list[Mapping[str, Any]] = []
        self._polygons: list[dict[str, Any]] = []
        self._ignore: list[dict[str, Any]] = []

    def add(
        self, name: str, corners: Corners, *, attributes: Mapping[str, Any] | None = None, ignore: bool = False
    ) -> None:
        """One more object."""
        box = inside(corners, self._size, notes=self._notes, where=self._where)
        if box is None:
            return
        if ignore:
            self._ignore.append({"class": name, "box": box})
        else:
            self._boxes.append({"class": name, "box": box})
            self._attributes.append(attributes or {})

    def add_polygon(self, name: str, points: Sequence[Sequence[float]]) -> None:
        """One more object, by its outline."""
        ring = ring_inside(points, self._size, notes=self._notes, where=self._where)
        if ring is not None:
            self._polygons.append({"class": name, "points": ring})

    def add_relative(self, name: str, centred: Sequence[float]) -> None:
        """One more object, given as centre x, y, width and height relative to the image, whose size must be known."""
        x, y, w, h = centred
        width, height = self._size or (1, 1)
        self.add(name, ((x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height))

    def label(self) -> dict[str, Any]:
        """The detection label."""
        return {"boxes": self._boxes} | ({"polygons": self._polygons} if self._polygons else {})

    def meta(self) -> dict[str, Any]:
        """What a label has no room for: `attributes` of each box and regions to `ignore`, where there are any."""
        meta: dict[str, Any] = {"attributes": self._attributes} if any(self._attributes) else {}
        return meta | ({"ignore": self._ignore} if self._ignore else {})


def attributes_of(item: Item, losses: Notes) -> Sequence[Mapping[str, Any]]:
    """One object of attributes for each box of a sample, empty where its meta has none that fit its boxes."""
    boxes = item.label["boxes"] if item.label else ()
    known = item.meta.get("attributes")
    if isinstance(known, list) and len(known) == len(boxes) and all(isinstance(one, Mapping) for one in known):
        return known
    if known is not None:
        losses.add("`attributes` that are not one object for each box", item.key)
    return [{} for _ in boxes]


def boxed(item: Item, losses: Notes) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each box of a sample with its attributes, then the box around each polygon, for formats without outlines."""
    label = item.label or {"boxes": ()}
    yield from zip(label["boxes"], attributes_of(item, losses), strict=True)
    for one in label.get("polygons", ()):
        losses.add("outlines of polygons: the boxes around them are written", item.key)
        yield {"class": one["class"], "box": bounds(one["points"])}, {}


def ignored_of(item: Item, losses: Notes) -> Sequence[Mapping[str, Any]]:
    """The regions `{"class", "box"}` to be left out of training that a sample's meta names."""
    known = item.meta.get("ignore", [])
    regions = [one for one in known if _is_region(one)] if isinstance(known, list) else []
    if regions != known:
        losses.add("`ignore` that is not a list of regions", item.key)
    return regions


def _is_region(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("class"), str):
        return False
    box = value.get("box")
    if not isinstance(box, list) or len(box) != CORNERS or any(type(corner) not in {int, float} for corner in box):
        return False
    return bool(box[0] < box[2] and box[1] < box[3])


def decimal(value: float) -> str:
    """A number with every digit that reading it back needs."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))
