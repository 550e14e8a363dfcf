"""LabelMe: `a.json` beside `a.jpg`, with `shapes` of polygons and rectangles in pixels.

Circles become polygons, masks the box that they name; a `rotation` or `quadrilateral` of X-AnyLabeling is a polygon
of four points. What a shape says of itself becomes attributes: `flags`, and X-AnyLabeling's `attributes`, `score`,
`difficult`, `direction` and `description`, where they have a value.
"""

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
from formats.polygons import bounds
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.shapes import ellipse

VERSION = "5.0.0"
LOST = {"line": "line", "linestrip": "line", "point": "points", "points": "points", "cuboid": "cuboid"}
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
        for number, shape in enumerate(shapes):
            where = f"{path}, shapes[{number}]"
            _read_shape(as_object(shape, where), where, objects, reading.notes)
        label = objects.label()
    if any(as_meta(value.get("flags") or {}, f"{path}, flags").values()):
        reading.notes.add_field("flags", "an image", key)
    _note_fields("an image", value, FILE, key, reading.notes)
    reading.add(key, Annotated(label), path=path)


def _read_shape(shape: Mapping[str, Any], where: str, objects: Objects, notes: Notes) -> None:
    kind = shape.get("shape_type") or "polygon"
    if kind in LOST:
        objects.lose(LOST[kind])
        return
    name = as_text(shape.get("label"), f"{where}.label")
    points = [_point(point, f"{where}.points") for point in as_list(shape.get("points"), f"{where}.points")]
    if shape.get("group_id") is not None:
        notes.add_field("group_id", "a shape", where)
    _note_fields("a shape", shape, SHAPE, where, notes)
    carried: Carried = {"attributes": _attributes(shape, where, notes)}
    if kind == "polygon" or (kind in FOUR_CORNERS and len(points) == 4):
        if kind == "rotation":
            notes.add("turned rectangles were kept as polygons", where)
        objects.add_polygon(name, points, **carried)
    elif kind in {"rectangle", "mask"} and len(points) >= 2:
        if kind == "mask":
            notes.leave_out("shape_left_out", "masks were kept as the boxes around them", where)
        x1, y1, x2, y2 = bounds(points)
        objects.add(name, (x1, y1, x2, y2), **carried)
    elif kind == "circle" and len(points) == 2:
        notes.add("circles were kept as polygons", where)
        radius = dist(*points)
        objects.add_polygon(name, ellipse(points[0], (radius, radius)), **carried)
    else:
        objects.lose("shape_unknown")


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
    shapes = [_shape(one, "rectangle", [one["box"][:2], one["box"][2:]], losses, item.key) for one in label["boxes"]]
    shapes += [_shape(one, "polygon", one["points"], losses, item.key) for one in label.get("polygons", ())]
    for _ in ignored_of(item):
        losses.add("regions to ignore", item.key)
    width, height = item.size or (None, None)
    return orjson.dumps(
        {"version": VERSION, "flags": {}, "shapes": shapes, "imagePath": name, "imageData": None,
         "imageHeight": height, "imageWidth": width},
        option=orjson.OPT_INDENT_2,
    )  # fmt: skip


def _shape(one: Mapping[str, Any], kind: str, points: Any, losses: Notes, key: str) -> dict[str, Any]:
    for lost in sorted(one.keys() & {"attributes", "id", "track"}):
        losses.add(f"the {lost} of objects", key)
    return {"label": one["class"], "points": points, "group_id": None, "shape_type": kind, "flags": {}}
