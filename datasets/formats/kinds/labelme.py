"""LabelMe: `a.json` beside `a.jpg`, with `shapes` of polygons and rectangles in pixels.

Circles become polygons, masks the box that they name; a `rotation` or `quadrilateral` of X-AnyLabeling is a polygon
of four points. What a shape says of itself becomes attributes: `flags`, and X-AnyLabeling's `attributes`, `score`,
`difficult`, `direction` and `description`, where they have a value. Shapes of one label and one
`group_id` are one object, as LabelMe's own converters take them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import dist
from pathlib import PurePosixPath
from typing import Any

import orjson

from formats.batch import Batch, Reading, right_size
from formats.boxes import Carried, Objects, ignored_of
from formats.documents import as_list, as_meta, as_number, as_object, as_text
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.polygons import bounds, rings_of
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.shapes import ellipse

VERSION = "5.0.0"
LOST_FIELDS = ("attributes", "id", "track")
LOST = {"line": "line", "linestrip": "line", "point": "points", "points": "points", "cuboid": "cuboid"}
BOXED = ("rectangle", "mask")
FOUR_CORNERS = ("rotation", "quadrilateral")
OWN = ("score", "difficult", "direction", "description")  # fields that become attributes
SHAPE = frozenset({"label", "points", "shape_type", "flags", "attributes", "group_id", "mask", *OWN})
FILE = frozenset({"version", "flags", "shapes", "imagePath", "imageData", "imageWidth", "imageHeight", "lineColor",
                  "fillColor"})  # fmt: skip


@register("labelme")
class LabelMe:
    """LabelMe's JSON: one file of shapes for each image; an image without a file has no label."""

    title = "LabelMe JSON"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a JSON object of shapes and the path of an image."""
        found = [path for path, value in batch.jsons() if _is_labelme(value)]
        return f"{found[0]} has LabelMe's `shapes` and `imagePath`" if found else None

    def read(self, batch: Batch) -> Reading:
        """Read every file of shapes, for the image with the file's name, else the image it names."""
        reading = Reading()
        for path in batch.paths(".json", untyped=True):
            with reading.part(path):
                value = batch.json(path)
                if _is_labelme(value):
                    _read(batch, path, value, reading)
                else:
                    reading.used.discard(path)
        if not reading.used and batch.documents:
            raise FormatError("labelme needs JSON files with `shapes` and `imagePath`")
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `<split>/<name>` with its JSON beside it."""
        del classes, form  # each shape names its class; it holds just one form
        paths = Paths(by_stem=True)
        for item in items:
            path = PurePosixPath(paths.place(item, item.split, losses=losses, flat=True))
            yield Entry(str(path), image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            if item.label is not None:
                yield Entry(str(path.with_suffix(".json")), chunks=[_document(item, path.name, losses)])


def _is_labelme(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("shapes"), list) and "imagePath" in value


def _read(batch: Batch, path: str, value: Mapping[str, Any], reading: Reading) -> None:
    key = batch.index.of_label_file(path) or batch.index.named(as_text(value["imagePath"], f"{path}, imagePath"))
    if key is None:
        reading.missing(path)
        return
    shapes, label = as_list(value["shapes"], f"{path}, shapes"), None
    if right_size(_size(value, path), batch.known[key], key, reading.notes, objects=len(shapes)):
        objects = Objects(batch.known[key], notes=reading.notes, where=key)
        rows = [as_object(shape, f"{path}, shapes[{number}]") for number, shape in enumerate(shapes)]
        groups = _groups(rows)
        for number, shape in enumerate(rows):
            _read_shape(shape, f"{path}, shapes[{number}]", objects, reading.notes, groups)
        label = objects.label()
    if any(as_meta(value.get("flags") or {}, f"{path}, flags").values()):
        reading.notes.add_field("flags", "an image", key)
    _note_fields("an image", value, FILE, key, reading.notes)
    reading.add(key, Annotated(label), path=path)


def _group(shape: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what the shapes of one object have in common; None for a shape in no group."""
    group = shape.get("group_id")
    return (str(shape.get("label")), str(group)) if isinstance(group, int | str) and group != "" else None


def _groups(shapes: Sequence[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    """Return the groups of several shapes, all of which enclose something."""
    sizes = Counter(group for shape in shapes if (group := _group(shape)))
    lost = {_group(shape) for shape in shapes if shape.get("shape_type") in {*LOST, "mask"}}
    return frozenset(group for group, size in sizes.items() if size > 1 and group not in lost)


def _read_shape(
    shape: Mapping[str, Any], where: str, objects: Objects, notes: Notes, groups: frozenset[tuple[str, str]]
) -> None:
    kind = shape.get("shape_type") or "polygon"
    if kind in LOST:
        objects.lose(LOST[kind])
        return
    name = as_text(shape.get("label"), f"{where}.label")
    points = [_point(point, f"{where}.points") for point in as_list(shape.get("points"), f"{where}.points")]
    group = _group(shape) if _group(shape) in groups else None
    if group is None and shape.get("group_id") is not None:
        notes.add_field("group_id", "a shape", where)
    _note_fields("a shape", shape, SHAPE, where, notes)
    carried: Carried = {"attributes": _attributes(shape, where, notes)}
    ring = _ring(kind, points, where, notes)
    if ring is None:
        objects.lose("shape_unknown")
    elif group is not None:
        objects.add_part(name, [ring], of=group, **carried)
    elif kind in BOXED:
        x1, y1, x2, y2 = bounds(points)
        objects.add(name, (x1, y1, x2, y2), **carried)
    else:
        objects.add_polygon(name, ring, **carried)


def _ring(kind: str, points: list[list[float]], where: str, notes: Notes) -> list[list[float]] | None:
    """Return the outline of a shape; None for one of another kind, or of another number of points than its kind has."""
    if kind == "polygon":
        return points
    if kind in FOUR_CORNERS and len(points) == 4:
        if kind == "rotation":
            notes.add("turned rectangles were kept as polygons", where)
        return points
    if kind in BOXED and len(points) >= 2:
        if kind == "mask":
            notes.leave_out("shape_left_out", "masks were kept as the boxes around them", where)
        x1, y1, x2, y2 = bounds(points)
        return [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]
    if kind == "circle" and len(points) == 2:
        notes.add("circles were kept as polygons", where)
        radius = dist(*points)
        return ellipse(points[0], (radius, radius))
    return None


def _attributes(shape: Mapping[str, Any], where: str, notes: Notes) -> dict[str, Any]:
    """Return what a shape says of itself, by name; a field of the shape itself goes before an attribute of its name."""
    own = {name: shape[name] for name in OWN if _has_value(shape.get(name))}
    given = as_meta(shape.get("flags") or {}, f"{where}.flags")
    given |= as_meta(shape.get("attributes") or {}, f"{where}.attributes")
    for name in sorted(own.keys() & given.keys()):
        if own[name] != given[name]:
            notes.add_field(f"attributes.{name}", "a shape", where)
    return given | own


def _has_value(value: Any) -> bool:
    """Whether a field says anything: tools write all their fields, most of them empty."""
    return value is not None and value is not False and value not in ("", [], {})


def _note_fields(of: str, row: Mapping[str, Any], known: frozenset[str], where: str, notes: Notes) -> None:
    for name in sorted(row.keys() - known):
        if _has_value(row[name]):
            notes.add_field(name, of, where)


def _point(value: Any, where: str) -> list[float]:
    point = [as_number(number, where) for number in as_list(value, where)]
    if len(point) != 2:
        raise FormatError(f"{where}: must be a list of [x, y]")
    return point


def _size(value: Mapping[str, Any], path: str) -> Size | None:
    if value.get("imageWidth") is None or value.get("imageHeight") is None:
        return None
    width, height = (round(as_number(value[side], f"{path}, {side}")) for side in ("imageWidth", "imageHeight"))
    return width, height


def _document(item: Item, name: str, losses: Notes) -> bytes:
    label: Any = item.label or {"boxes": ()}
    for lost in (name for one in (*label["boxes"], *label.get("polygons", ())) for name in one if name in LOST_FIELDS):
        losses.add(f"the {lost} of objects", item.key)
    shapes = [_shape(one["class"], "rectangle", [one["box"][:2], one["box"][2:]]) for one in label["boxes"]]
    for number, one in enumerate(label.get("polygons", ()), start=1):
        rings = rings_of(one)
        group = number if len(rings) > 1 else None
        shapes += [_shape(one["class"], "polygon", ring, group) for ring in rings]
    for _ in ignored_of(item):
        losses.add("regions to ignore", item.key)
    width, height = item.size or (None, None)
    return orjson.dumps(
        {"version": VERSION, "flags": {}, "shapes": shapes, "imagePath": name, "imageData": None,
         "imageHeight": height, "imageWidth": width},
        option=orjson.OPT_INDENT_2,
    )  # fmt: skip


def _shape(name: str, kind: str, points: Any, group: int | None = None) -> dict[str, Any]:
    return {"label": name, "points": points, "group_id": group, "shape_type": kind, "flags": {}}
