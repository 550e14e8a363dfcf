"""Regions of Label Studio: a shape and its labels, converted from percent of the image to pixels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formats.boxes import Carried, Corners, Objects
from formats.documents import as_list, as_number, as_text
from formats.errors import FormatError
from formats.notes import Notes
from formats.samples import Size
from formats.shapes import ellipse, rectangle

# Types of regions that a label can't hold, with the reason.
LOST: Mapping[str, str] = {
    "brush": "brush", "bitmask": "brush", "magicwand": "brush", "keypoint": "points", "vector": "line",
}  # fmt: skip
HELD = ("rectangle", "polygon", "ellipse")
LABELS = "labels"  # a control that only labels, beside those that draw


@dataclass(frozen=True, slots=True)
class Region:
    """One shape with its labels."""

    shape: str
    names: Sequence[Any]


def region_of(item: Mapping[str, Any], value: Mapping[str, Any]) -> Region | None:
    """Return the region that a result describes; None for an answer to a question, which is not an object."""
    kind = str(item.get("type"))
    shape = kind.removesuffix(LABELS)
    if kind == LABELS:
        shape = _shape_by_fields(value)
    if shape not in (*HELD, *LOST):
        return None
    names = value.get(kind) if kind != shape else None
    return Region(shape, names if isinstance(names, list) else [])


def _shape_by_fields(value: Mapping[str, Any]) -> str:
    fields = (("points", "polygon"), ("radiusX", "ellipse"), ("rle", "brush"), ("rotation", "rectangle"))
    return next((shape for field, shape in fields if field in value), "keypoint" if "x" in value else "")


def add_region(
    objects: Objects,
    region: Region,
    value: Mapping[str, Any],
    size: Size,
    where: str,
    *,
    notes: Notes,
    carried: Carried,
    part_of: str | None = None,
) -> None:
    """Add a region to the objects of its image; one that a label can't hold is recorded as lost. Those
    with the same `part_of` are parts of one object."""
    if region.shape in LOST or not region.names:
        objects.lose(LOST.get(region.shape, "no_class"))
        return
    if len(region.names) > 1:
        what = f"of several labels of one {region.shape} the first was taken"
        notes.leave_out("annotation_left_out", what, where, len(region.names) - 1)
    name = as_text(region.names[0], f"{where}.labels")
    degrees = as_number(value.get("rotation") or 0, f"{where}.rotation")
    if region.shape == "polygon" and part_of is not None:
        objects.add_part(name, [_points(value, size, where)], of=part_of, **carried)
    elif region.shape == "polygon":
        objects.add_polygon(name, _points(value, size, where), **carried)
    elif region.shape == "ellipse":
        notes.add("ellipses were kept as polygons", where)
        x, y, across, down = _numbers(value, ("x", "y", "radiusX", "radiusY"), size, where)
        objects.add_polygon(name, ellipse((x, y), (across, down), degrees=degrees), **carried)
    else:
        x, y, width, height = _numbers(value, ("x", "y", "width", "height"), size, where)
        corners: Corners = (x, y, x + width, y + height)
        if degrees:
            notes.add("turned rectangles were kept as polygons", where)
            objects.add_polygon(name, rectangle(corners, about=(x, y), degrees=degrees), **carried)
        else:
            objects.add(name, corners, **carried)


def _numbers(value: Mapping[str, Any], fields: Sequence[str], size: Size, where: str) -> list[float]:
    """Return four fields in pixels, alternating between horizontal and vertical."""
    sides = (*size, *size)
    return [
        as_number(value.get(field), f"{where}.{field}") / 100 * side for field, side in zip(fields, sides, strict=True)
    ]


def _points(value: Mapping[str, Any], size: Size, where: str) -> list[list[float]]:
    points: list[list[float]] = []
    for number, point in enumerate(as_list(value.get("points"), f"{where}.points")):
        place = f"{where}.points[{number}]"
        if len(as_list(point, place)) != len(size):
            raise FormatError(f"{place}: must be [x, y]")
        points.append([as_number(one, place) / 100 * side for one, side in zip(point, size, strict=True)])
    return points
