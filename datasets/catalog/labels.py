"""What a label must look like, by task."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from core.errors import Invalid
from formats.polygons import MIN_POINTS, is_flat, opened

CORNERS = 4
MAX_POINTS = 10_000
BOXES = 'must be {"boxes": [{"class": .., "box": [x1, y1, x2, y2]}]}, with `polygons` beside them if there are any'

Size = tuple[int, int] | None


def check_label(
    value: Any, *, task: str, classes: Sequence[str], size: Size, multi_label: bool = False
) -> dict[str, Any]:
    """The label in its normal form. `size` is (width, height) of the upright image in pixels, when known.

    Raises Invalid with code `unknown_class` or `label_malformed`.
    """
    if not isinstance(value, Mapping):
        raise _malformed('must be an object like {"class": "cat"}')
    if task == "classification":
        return _several(value, classes) if multi_label else _single(value, classes)
    boxes, polygons = value.get("boxes"), value.get("polygons", [])
    if boxes is None and "polygons" in value:
        boxes = []
    if not _is_list(boxes):
        raise _malformed(BOXES)
    if not _is_list(polygons):
        raise _malformed('`polygons` must be a list of {"class": .., "points": [[x, y], ..]}')
    label = {"boxes": [_box(box, classes, size) for box in boxes]}
    return label | ({"polygons": [_polygon(one, classes, size) for one in polygons]} if polygons else {})


def class_counts(value: Mapping[str, Any] | None) -> dict[str, int]:
    """How many objects of each class a label names; of a label that names classes, each once."""
    if value is None:
        return {}
    if "class" in value:
        return {value["class"]: 1}
    if "classes" in value:
        return dict.fromkeys(value["classes"], 1)
    return dict(Counter(one["class"] for one in (*value["boxes"], *value.get("polygons", ()))))


def _single(value: Mapping[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    if "classes" in value:
        raise _malformed('this dataset takes one class for each sample: {"class": "cat"}')
    return {"class": _known(value.get("class"), classes)}


def _several(value: Mapping[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    """In the order of the dataset's classes, each once. One class alone may be said as where there is only one."""
    named = [value["class"]] if "class" in value and "classes" not in value else value.get("classes")
    if not _is_list(named):
        raise _malformed('must be {"classes": ["cat", "dog"]}, or {"classes": []} where it is none of them')
    told = {_known(name, classes) for name in named}
    return {"classes": [name for name in classes if name in told]}


def _malformed(words: str) -> Invalid:
    return Invalid.field("label", words, code="label_malformed")


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _known(name: Any, classes: Sequence[str]) -> str:
    if not isinstance(name, str) or name not in classes:
        known = ", ".join(classes[:20]) + (", …" if len(classes) > 20 else "")
        raise Invalid.field("label", f"unknown class {name!r}: this dataset has {known}", code="unknown_class")
    return name


def _box(box: Any, classes: Sequence[str], size: Size) -> dict[str, Any]:
    corners = box.get("box") if isinstance(box, Mapping) else None
    if not isinstance(corners, Sequence) or len(corners) != CORNERS:
        raise _malformed("a box needs `class` and `box`: [x1, y1, x2, y2]")
    if not all(map(_is_number, corners)):
        raise _malformed("the corners of a box must be numbers")
    x1, y1, x2, y2 = (float(corner) for corner in corners)
    width, height = size or (float("inf"), float("inf"))
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise _malformed(f"box {list(corners)} must lie inside the {width}×{height} image")
    return {"class": _known(box.get("class"), classes), "box": [x1, y1, x2, y2]}


def _polygon(polygon: Any, classes: Sequence[str], size: Size) -> dict[str, Any]:
    points = polygon.get("points") if isinstance(polygon, Mapping) else None
    if not _is_list(points) or not all(_is_list(point) and len(point) == 2 for point in points):
        raise _malformed("a polygon needs `class` and `points`: [[x, y], ..]")
    if not all(_is_number(number) for point in points for number in point):
        raise _malformed("the points of a polygon must be pairs of numbers")
    ring = opened([[float(x), float(y)] for x, y in points])
    if not MIN_POINTS <= len(ring) <= MAX_POINTS:
        raise _malformed(f"a polygon has {MIN_POINTS} to {MAX_POINTS} points, not {len(ring)}")
    width, height = size or (float("inf"), float("inf"))
    for x, y in ring:
        if not (0 <= x <= width and 0 <= y <= height):
            raise _malformed(f"point [{x}, {y}] of a polygon must lie inside the {width}×{height} image")
    if is_flat(ring):
        raise _malformed("the points of a polygon must not lie on one line: it has no area")
    return {"class": _known(polygon.get("class"), classes), "points": ring}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
