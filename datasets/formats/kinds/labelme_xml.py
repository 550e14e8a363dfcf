"""LabelMe's XML: a file for each image, objects are polygons of `pt`, boxes polygons of the type `bounding_box`.

`deleted` objects are skipped. The attributes are a text; `occluded` says yes or no. Where an object is a part of
another of the same name, both are one object in several parts, as datumaro and CVAT write it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.sax.saxutils import escape

from formats.batch import Batch, Reading, right_size
from formats.boxes import Carried, Objects, decimal, ignored_of
from formats.documents import Node, parse_xml, read_number
from formats.errors import FormatError
from formats.labelme_marks import is_annotation, is_labelme
from formats.notes import Notes
from formats.paths import Paths
from formats.polygons import bounds, rings_of
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size

BOX = "bounding_box"
CORNERS = 4
LOST_FIELDS = ("attributes", "id", "track")


@register("labelme_xml")
class LabelMeXml:
    """The XML of LabelMe's web page; its later JSON is `labelme`."""

    title = "LabelMe XML"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise XML whose root is `annotation` and whose objects are polygons."""
        for path in batch.paths(".xml", untyped=True):
            if is_annotation(batch.documents[path]) and is_labelme(batch.documents[path]):
                return f"{path} is a LabelMe annotation"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every XML file, for the image with the file's name, else the image it names."""
        reading = Reading()
        for path in batch.paths(".xml", untyped=True):
            with reading.part(path):
                _read(batch, path, reading)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `<split>/<name>` with its XML beside it."""
        del classes, form  # each object names its class; it holds just one form
        paths = Paths(by_stem=True)
        for item in items:
            path = paths.place(item, item.split, losses=losses, flat=True)
            yield Entry(path, image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            if item.label is not None:
                document = _document(item, PurePosixPath(path), losses)
                yield Entry(str(PurePosixPath(path).with_suffix(".xml")), chunks=[document.encode()])


def _read(batch: Batch, path: str, reading: Reading) -> None:
    root = parse_xml(path, batch.documents[path])
    if root.tag != "annotation":
        raise FormatError(f"the root is <{root.tag}> instead of <annotation>", path=path, line=root.line)
    key = batch.index.of_label_file(path) or _named(batch, root)
    if key is None:
        reading.missing(path)
        return
    nodes = [node for node in root.all("object") if _text(node, "deleted") != "1"]
    label = None
    if right_size(_size(root, path), batch.known[key], key, reading.notes, objects=len(nodes)):
        objects = Objects(batch.known[key], notes=reading.notes, where=key)
        wholes = _wholes(nodes)
        for node in nodes:
            _read_object(node, objects, reading.notes, path, wholes)
        label = objects.label()
    reading.add(key, Annotated(label), path=path)


def _wholes(nodes: Sequence[Node]) -> dict[str, str]:
    """Return, by the id of each object that is a part of another of its name or has such a part, the id that all of
    these parts share."""
    names = {_text(node, "id"): _text(node, "name") for node in nodes}
    parents: dict[str, str] = {}
    for node in nodes:
        own, parts = _text(node, "id"), node.find("parts")
        links = [(part.strip(), own) for part in _text(parts, "hasparts").split(",")]
        links += [(own, whole.strip()) for whole in _text(parts, "ispartof").split(",")]
        for part, whole in links:
            if part != whole and names.get(part) == names.get(whole) is not None:
                parents.setdefault(part, whole)
    return {part: _root(part, parents) for part in {*parents, *parents.values()}}


def _root(part: str, parents: Mapping[str, str]) -> str:
    seen = {part}
    while (whole := parents.get(part)) is not None and whole not in seen:
        seen.add(part := whole)
    return min(seen) if whole in seen else part  # in a circle every part has the same one


def _read_object(node: Node, objects: Objects, notes: Notes, path: str, wholes: Mapping[str, str]) -> None:
    name, outline = _text(node, "name"), node.find("polygon")
    if outline is None:
        objects.lose("mask_unreadable" if node.find("segm") else "no_box")
        return
    if not name:
        objects.lose("no_class")
        return
    points = [[_number(point, axis, path) for axis in ("x", "y")] for point in outline.all("pt")]
    attributes: dict[str, Any] = {}
    if _text(node, "occluded") == "yes":
        attributes["occluded"] = True
    if said := _text(node, "attributes"):
        attributes["attributes"] = said
    carried: Carried = {"attributes": attributes}
    whole, parts = wholes.get(_text(node, "id")), node.find("parts")
    if whole is None and (_text(parts, "hasparts") or _text(parts, "ispartof")):
        notes.leave_out("field_left_out", "which objects are parts of others is not kept", path)
    if len(points) == 1:
        objects.lose("points")
    elif len(points) == 2:
        objects.lose("line")
    elif whole is not None and points:
        objects.add_part(name, [points], of=whole, **carried)
    elif _text(node, "type") == BOX and points:
        x1, y1, x2, y2 = bounds(points)
        objects.add(name, (x1, y1, x2, y2), **carried)
    else:
        objects.add_polygon(name, points, **carried)


def _named(batch: Batch, root: Node) -> str | None:
    name = _text(root, "filename")
    return batch.index.named(name) if name else None


def _size(root: Node, path: str) -> Size | None:
    node = root.find("imagesize")
    if node is None or not _text(node, "ncols") or not _text(node, "nrows"):
        return None
    return round(_number(node, "ncols", path)), round(_number(node, "nrows", path))


def _text(node: Node | None, tag: str) -> str:
    found = node.find(tag) if node else None
    return found.text.strip() if found else ""


def _number(node: Node, tag: str, path: str) -> float:
    found = node.find(tag)
    if found is None:
        raise FormatError(f"<{node.tag}> has no <{tag}>", path=path, line=node.line)
    return read_number(found.text.strip(), f"{path}, line {found.line}, <{tag}>")


def _document(item: Item, path: PurePosixPath, losses: Notes) -> str:
    width, height = item.size or (0, 0)
    label: Any = item.label or {"boxes": ()}
    lines = ["<annotation>", f"  <filename>{escape(path.name)}</filename>", f"  <folder>{path.parent}</folder>",
             f"  <imagesize><nrows>{height}</nrows><ncols>{width}</ncols></imagesize>"]  # fmt: skip
    for lost in (name for one in (*label["boxes"], *label.get("polygons", ())) for name in one if name in LOST_FIELDS):
        losses.add(f"the {lost} of objects", item.key)
    shapes: list[tuple[str, Sequence[Sequence[Sequence[float]]], str]]
    shapes = [(one["class"], [_ring(one["box"])], f"<type>{BOX}</type>") for one in label["boxes"]]
    shapes += [(one["class"], rings_of(one), "") for one in label.get("polygons", ())]
    first = 0
    for name, rings, kind in shapes:
        ids = range(first, first + len(rings))
        for number, ring in zip(ids, rings, strict=True):
            points = "".join(f"<pt><x>{decimal(x)}</x><y>{decimal(y)}</y></pt>" for x, y in ring)
            lines += ["  <object>", f"    <name>{escape(name)}</name><deleted>0</deleted><id>{number}</id>{kind}",
                      *_links(number, ids),
                      f"    <polygon><username></username>{points}</polygon>", "  </object>"]  # fmt: skip
        first += len(rings)
    for _ in ignored_of(item):
        losses.add("regions to ignore", item.key)
    return "\n".join([*lines, "</annotation>", ""])


def _links(number: int, ids: range) -> list[str]:
    """Return the element that links a part of an object with the first of its parts; none for an object of one part."""
    if len(ids) == 1:
        return []
    has, of = (",".join(map(str, ids[1:])), "") if number == ids[0] else ("", ids[0])
    return [f"    <parts><hasparts>{has}</hasparts><ispartof>{of}</ispartof></parts>"]


def _ring(box: Sequence[float]) -> list[list[float]]:
    x1, y1, x2, y2 = box
    return [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]
