"""CVAT for images 1.1: one `annotations.xml` about many images, each with its shapes.

An image that is listed without shapes is unlabelled, unless the file's `meta` says that it is `negative`: see
`cvat_frames`. Ellipses and turned boxes become polygons, masks their outlines. Outlines of one label and one `group_id`
are one object, as CVAT exports them to COCO; boxes stay apart. A `tag` is a class of the whole image.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from formats.batch import Batch, Reading, right_size
from formats.boxes import Carried, Objects, decimal, ignored_of
from formats.cvat_frames import MARK, NEGATIVE, NOT_OPENED
from formats.documents import Node, iter_xml, read_number, xml_head
from formats.errors import FormatError
from formats.masks import MAX_RUNS, shape_of
from formats.notes import Notes
from formats.paths import Paths
from formats.polygons import rings_of
from formats.registry import register
from formats.samples import MANY_CLASSES, OBJECTS, ONE_CLASS, Annotated, Entry, Item, Size
from formats.shapes import ellipse, rectangle
from formats.splits import split_named
from formats.spool import Spool
from formats.xml_attributes import text_of, value_of

FILE = "annotations.xml"
LOST = {"polyline": "line", "points": "points", "cuboid": "cuboid", "skeleton": "keypoints"}
LOST_FIELDS = ("id", "track")
SHAPES = {"box", "polygon", "ellipse", "mask", *LOST}
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n'
EMPTY = f"<{MARK}>{NEGATIVE}</{MARK}>"


@register("cvat")
class Cvat:
    """CVAT's XML for images; its XML for videos is another format."""

    title = "CVAT for images 1.1"
    forms = frozenset({ONE_CLASS, OBJECTS, MANY_CLASSES})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise an XML file whose root is `annotations`."""
        for path in batch.paths(".xml", untyped=True):
            if b"<annotations>" in xml_head(batch.documents[path], 2048):
                return f"{path} is an XML of CVAT"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every XML file; an image that can't be read does not affect the others."""
        reading = Reading()
        for path in batch.paths(".xml", untyped=True):
            negative = False
            with reading.part(path):
                for node in iter_xml(path, batch.documents[path]):
                    if node.tag == "track":
                        words = "tracks of a video are not read: export the task as CVAT for images 1.1"
                        raise FormatError(words, path=path, line=node.line)
                    if node.tag == "meta":
                        negative = (mark := node.find(MARK)) is not None and mark.text.strip() == NEGATIVE
                    if node.tag == "image":
                        with reading.part(path):
                            _Image(node, path, batch, reading, negative=negative).read()
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `images/<split>/<key>` and one XML file, which leaves out images without a label."""
        paths, images, splits = Paths(FILE), Spool(b"\n"), dict[str, None]()
        for number, item in enumerate(items):
            path = paths.place(item, "images", item.split, losses=losses)
            yield Entry(path, image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            if item.label is not None:
                splits[item.split] = None
                name = path.removeprefix(f"images/{item.split}/")
                images.add(_image(item, name, number, form, losses).encode())
        labels = "".join(f"<label><name>{escape(name)}</name></label>" for name in classes)
        subsets = "".join(f"<subset>{split}</subset>" for split in splits)
        head = f"{HEAD}<meta><project><labels>{labels}</labels><subsets>{subsets}</subsets></project>{EMPTY}</meta>\n"
        yield Entry(FILE, chunks=_document(head.encode(), images))


class _Image:
    """Reads one image."""

    def __init__(self, node: Node, path: str, batch: Batch, reading: Reading, *, negative: bool) -> None:
        self.node, self.path, self.batch, self.reading, self.negative = node, path, batch, reading, negative

    def read(self) -> None:
        name = self._text(self.node, "name")
        subset = self.node.attributes.get("subset", "")
        split, folder = split_named(subset), PurePosixPath(self.path).parent
        key = self.batch.index.at(str(folder / "images" / subset / name)) or self.batch.index.named(name, split=split)
        if key is None:
            self.reading.missing(name)
            return
        shapes = [node for node in self.node.children if node.tag in SHAPES]
        label: dict[str, Any] | None = None
        if not (self.node.children or self.negative):
            if self.batch.form != ONE_CLASS:
                self.reading.notes.add(NOT_OPENED, name)
        elif right_size(self._size(), self.batch.known[key], key, self.reading.notes, objects=len(shapes)):
            label = self._objects(key) if self.batch.form == OBJECTS else self._classes(key)
        self.reading.add(key, Annotated(label, split), path=f"{self.path}, {name}")

    def _classes(self, key: str) -> dict[str, Any] | None:
        names = list(dict.fromkeys(self._text(node, "label") for node in self.node.all("tag")))
        if not names and self.node.children:
            self.reading.notes.leave_out("shape_left_out", "shapes are not kept by a classification dataset", key)
            return None
        if self.batch.form == MANY_CLASSES:
            return {"classes": names}
        if len(names) > 1:
            raise FormatError(f"{key!r} has the tags {names[0]!r} and {names[1]!r}: classification takes one")
        return {"class": names[0]} if names else None

    def _objects(self, key: str) -> dict[str, Any]:
        objects = Objects(self.batch.known[key] or self._size(), notes=self.reading.notes, where=key)
        for node in self.node.children:
            if node.tag in LOST:
                objects.lose(LOST[node.tag])
            elif node.tag in SHAPES:
                self._shape(node, objects)
            else:
                self.reading.notes.leave_out("field_left_out", f"<{node.tag[:40]}> of an image is not kept", self.path)
        return objects.label()

    def _shape(self, node: Node, objects: Objects) -> None:
        name, notes = self._text(node, "label"), self.reading.notes
        carried = self._carried(node)
        degrees = self._numbers(node, "rotation")[0] if "rotation" in node.attributes else 0.0
        if node.tag == "mask":
            self._mask(node, name, objects, carried)
        elif node.tag == "polygon":
            self._outline(node, name, [self._points(node)], objects, carried)
        elif node.tag == "ellipse":
            x, y, across, down = self._numbers(node, "cx", "cy", "rx", "ry")
            notes.add("ellipses were kept as polygons", self.path)
            self._outline(node, name, [ellipse((x, y), (across, down), degrees=degrees)], objects, carried)
        else:
            x1, y1, x2, y2 = self._numbers(node, "xtl", "ytl", "xbr", "ybr")
            if degrees:
                notes.add("turned boxes were kept as polygons", self.path)
                middle = (x1 + x2) / 2, (y1 + y2) / 2
                turned = rectangle((x1, y1, x2, y2), about=middle, degrees=degrees)
                self._outline(node, name, [turned], objects, carried)
            else:
                if node.attributes.get("group_id", "0") != "0":
                    notes.leave_out("field_left_out", "groups of boxes are not kept", self.path)
                objects.add(name, (x1, y1, x2, y2), **carried)

    def _outline(
        self, node: Node, name: str, rings: list[list[list[float]]], objects: Objects, carried: Carried
    ) -> None:
        """Add an outline, as a part of its group's object if it is in a group."""
        if (group := node.attributes.get("group_id", "0")) != "0":
            objects.add_part(name, rings, of=group, **carried)
        else:
            objects.add_parts(name, rings, **carried)

    def _mask(self, node: Node, name: str, objects: Objects, carried: Carried) -> None:
        """Add a mask, given as run lengths along the rows of the box around it."""
        left, top, width, height = (round(one) for one in self._numbers(node, "left", "top", "width", "height"))
        words = node.attributes.get("rle", "").split(",")
        try:
            runs = np.array([int(word) for word in words[:MAX_RUNS]], np.int64)
            shape = shape_of(runs, (width, height), by_columns=False)
        except (ValueError, OverflowError):
            shape = None
        if shape is None:
            objects.lose("mask_unreadable")
            return
        shape.note(self.reading.notes, self.path)
        if shape.outlines:
            rings = [[[x + left, y + top] for x, y in ring] for ring in shape.outlines]
            self._outline(node, name, rings, objects, carried)
        else:
            x1, y1, x2, y2 = shape.box
            objects.add(name, (x1 + left, y1 + top, x2 + left, y2 + top), **carried)

    def _carried(self, node: Node) -> Carried:
        attributes: dict[str, Any] = {"occluded": True} if node.attributes.get("occluded") == "1" else {}
        for one in node.all("attribute"):
            attributes[self._text(one, "name")] = value_of(one.text)
        return {"attributes": attributes}

    def _size(self) -> Size | None:
        if not {"width", "height"} <= self.node.attributes.keys():
            return None
        width, height = self._numbers(self.node, "width", "height")
        return round(width), round(height)

    def _points(self, node: Node) -> list[list[float]]:
        where = f"{self.path}, line {node.line}, points"
        pairs = [pair.split(",") for pair in self._text(node, "points").split(";")]
        if any(len(pair) != 2 for pair in pairs):
            raise FormatError(f"{where}: must be x,y;x,y;..")
        return [[read_number(number, where) for number in pair] for pair in pairs]

    def _numbers(self, node: Node, *names: str) -> list[float]:
        return [read_number(self._text(node, name), f"{self.path}, line {node.line}, {name}") for name in names]

    def _text(self, node: Node, name: str) -> str:
        if name not in node.attributes:
            raise FormatError(f"<{node.tag}> has no {name}", path=self.path, line=node.line)
        return node.attributes[name]


def _image(item: Item, name: str, number: int, form: str, losses: Notes) -> str:
    width, height = item.size or (0, 0)
    label: Mapping[str, Any] = item.label or {}
    facts = f'id="{number}" name={_quoted(name)} subset="{item.split}" width="{width}" height="{height}"'
    if form != OBJECTS:
        names = label["classes"] if form == MANY_CLASSES else [label["class"]]
        lines = [f'<tag label={_quoted(one)} source="manual"></tag>' for one in names]
    else:
        for _ in ignored_of(item):
            losses.add("regions to ignore", item.key)
        for lost in (
            name for one in (*label["boxes"], *label.get("polygons", ())) for name in one if name in LOST_FIELDS
        ):
            losses.add(f"the {lost} of objects", item.key)
        lines = [_box(one, losses, item.key) for one in label["boxes"]]
        lines += [
            _polygon(one, group, losses, item.key) for group, one in enumerate(label.get("polygons", ()), start=1)
        ]
    return "\n".join([f"<image {facts}>", *lines, "</image>"])


def _box(one: Mapping[str, Any], losses: Notes, key: str) -> str:
    corners = zip(("xtl", "ytl", "xbr", "ybr"), one["box"], strict=True)
    place = " ".join(f'{name}="{decimal(corner)}"' for name, corner in corners)
    return _shape("box", one, place, losses, key)


def _polygon(one: Mapping[str, Any], group: int, losses: Notes, key: str) -> str:
    """Write a polygon for each part; if there are several, all are of the same group."""
    rings = rings_of(one)
    grouped = f' group_id="{group}"' if len(rings) > 1 else ""
    texts = [";".join(f"{decimal(x)},{decimal(y)}" for x, y in ring) for ring in rings]
    return "\n".join(_shape("polygon", one, f'points="{text}"{grouped}', losses, key) for text in texts)


def _shape(tag: str, one: Mapping[str, Any], place: str, losses: Notes, key: str) -> str:
    attributes = dict(one.get("attributes", {}))
    occluded = int(attributes.get("occluded") is True)
    attributes = {name: value for name, value in attributes.items() if name != "occluded" or value is not True}
    told = [_attribute(name, value, losses, key) for name, value in attributes.items()]
    head = f'<{tag} label={_quoted(one["class"])} source="manual" occluded="{occluded}" {place} z_order="0">'
    return "".join([head, *told, f"</{tag}>"])


def _attribute(name: str, value: Any, losses: Notes, key: str) -> str:
    return f"<attribute name={_quoted(name)}>{text_of(value, losses, key)}</attribute>"


def _quoted(text: str) -> str:
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _document(head: bytes, images: Spool) -> Iterator[bytes]:
    yield head
    yield from images.chunks()
    yield b"\n</annotations>\n"
