"""Labels that are objects: boxes and polygons with their extra fields, and regions to ignore.

    {"boxes": [{"class", "box": [x1, y1, x2, y2], "attributes"?, "id"?, "track"?}],
     "polygons"?: [{"class", "points": [[x, y], ..], "attributes"?, "id"?, "track"?}],  # or "parts": [points, ..]
     "ignore"?: [{"box", "class"?, "attributes"?}]}

A polygon in several parts is one object. A region to ignore is not an object: its class is any text and counts nowhere.
An `id` occurs once in a label.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from formats.attributes import attributes_fault, id_fault
from formats.polygons import MAX_POINTS, MIN_POINTS, is_flat, opened, outline
from tasktypes.label_parts import Size
from tasktypes.refusals import check_known, is_list, malformed, refuse_unknown
from tasktypes.schemas import MOST_ENTRIES

CORNERS = 4
POLYGON = "a polygon needs `class` and `points`: [[x, y], ..], or `parts`: a list of such points for each part"
MAX_REGION_CLASS = 200
BOXES = 'must be {"boxes": [{"class": .., "box": [x1, y1, x2, y2]}]}, with `polygons` and `ignore` beside them if any'
LABEL_KEYS = ("boxes", "polygons", "ignore")
EXTRA_KEYS = ("attributes", "id", "track")
BOX_KEYS, POLYGON_KEYS = ("class", "box", *EXTRA_KEYS), ("class", "points", "parts", *EXTRA_KEYS)
REGION_KEYS = ("box", "class", "attributes")


def check_objects(value: Mapping[str, Any], *, classes: Sequence[str], size: Size) -> dict[str, Any]:
    """Return a label in its normal form; empty fields are left out except `boxes`. Raises Invalid."""
    boxes, polygons, regions = value.get("boxes"), value.get("polygons", []), value.get("ignore", [])
    if boxes is None and ("polygons" in value or "ignore" in value):
        boxes = []
    if not is_list(boxes):
        raise malformed(BOXES)
    refuse_unknown(value, LABEL_KEYS, "a label")
    if not is_list(polygons):
        raise malformed('`polygons` must be a list of {"class": .., "points": [[x, y], ..]}')
    if not is_list(regions):
        raise malformed('`ignore` must be a list of {"box": [x1, y1, x2, y2]}')
    if len(boxes) + len(polygons) + len(regions) > MOST_ENTRIES:
        raise malformed(f"a label has at most {MOST_ENTRIES} objects")
    label = {"boxes": [_box(box, classes, size) for box in boxes]}
    label |= {"polygons": [_polygon(one, classes, size) for one in polygons]} if polygons else {}
    _check_ids([*label["boxes"], *label.get("polygons", ())])
    return label | ({"ignore": [_region(one, size) for one in regions]} if regions else {})


def _box(box: Any, classes: Sequence[str], size: Size) -> dict[str, Any]:
    if not isinstance(box, Mapping):
        raise malformed("a box needs `class` and `box`: [x1, y1, x2, y2]")
    corners = _corners(box.get("box"), size, "a box needs `class` and `box`: [x1, y1, x2, y2]")
    refuse_unknown(box, BOX_KEYS, "a box")
    return {"class": check_known(box.get("class"), classes), "box": corners} | _extras(box, "a box")


def _polygon(polygon: Any, classes: Sequence[str], size: Size) -> dict[str, Any]:
    if not isinstance(polygon, Mapping):
        raise malformed(POLYGON)
    rings = _rings(polygon, size)
    refuse_unknown(polygon, POLYGON_KEYS, "a polygon")
    return {"class": check_known(polygon.get("class"), classes), **outline(rings)} | _extras(polygon, "a polygon")


def _rings(polygon: Mapping[str, Any], size: Size) -> list[list[list[float]]]:
    parts, points = polygon.get("parts"), polygon.get("points")
    if parts is None:
        return [_ring(points, size)]
    if points is not None:
        raise malformed("a polygon has either `points` or `parts`, not both")
    if not is_list(parts) or not parts:
        raise malformed(POLYGON)
    rings = [_ring(part, size) for part in parts]
    if (count := sum(map(len, rings))) > MAX_POINTS:
        raise malformed(f"the parts of a polygon have at most {MAX_POINTS} points, not {count}")
    return rings


def _region(region: Any, size: Size) -> dict[str, Any]:
    if not isinstance(region, Mapping):
        raise malformed("a region of `ignore` needs `box`: [x1, y1, x2, y2]")
    corners = _corners(region.get("box"), size, "a region of `ignore` needs `box`: [x1, y1, x2, y2]")
    refuse_unknown(region, REGION_KEYS, "a region of `ignore`")
    name = region.get("class")
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= MAX_REGION_CLASS and name.isprintable()):
        raise malformed(f"the class of a region of `ignore` must be 1 to {MAX_REGION_CLASS} printable characters")
    return {"box": corners} | ({"class": name} if name is not None else {}) | _extras(region, "a region of `ignore`")


def _extras(one: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return an object's fields beside its class and its place; empty if it has none."""
    found: dict[str, Any] = {}
    attributes = one.get("attributes")
    if attributes is not None and (fault := attributes_fault(attributes)) is not None:
        raise malformed(f"`attributes` of {what}: {fault}")
    if attributes:
        found["attributes"] = dict(attributes)
    for name in ("id", "track"):
        if one.get(name) is not None:
            if (fault := id_fault(one[name])) is not None:
                raise malformed(f"`{name}` of {what}: {fault}")
            found[name] = one[name]
    return found


def _check_ids(objects: Sequence[Mapping[str, Any]]) -> None:
    counts = Counter(one["id"] for one in objects if "id" in one)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise malformed(f"`id` {twice!r} is on {counts[twice]} objects: each needs one of its own, or none")


def _corners(corners: Any, size: Size, needed: str) -> list[float]:
    if not is_list(corners) or len(corners) != CORNERS:
        raise malformed(needed)
    if not all(map(_is_number, corners)):
        raise malformed("the corners of a box must be numbers")
    x1, y1, x2, y2 = (float(corner) for corner in corners)
    width, height = size or (float("inf"), float("inf"))
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise malformed(f"box {list(corners)} must lie inside the {width}×{height} image")
    return [x1, y1, x2, y2]


def _ring(points: Any, size: Size) -> list[list[float]]:
    if not is_list(points) or not all(is_list(point) and len(point) == 2 for point in points):
        raise malformed(POLYGON)
    if not all(_is_number(number) for point in points for number in point):
        raise malformed("the points of a polygon must be pairs of numbers")
    ring = opened([[float(x), float(y)] for x, y in points])
    if not MIN_POINTS <= len(ring) <= MAX_POINTS:
        raise malformed(f"a polygon has {MIN_POINTS} to {MAX_POINTS} points, not {len(ring)}")
    width, height = size or (float("inf"), float("inf"))
    for x, y in ring:
        if not (0 <= x <= width and 0 <= y <= height):
            raise malformed(f"point [{x}, {y}] of a polygon must lie inside the {width}×{height} image")
    if is_flat(ring):
        raise malformed("the points of a polygon must not lie on one line: it has no area")
    return ring


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
