"""Pascal VOC: `JPEGImages/a.jpg` with `Annotations/a.xml`, splits as lists of names in `ImageSets/Main/<split>.txt`.

Corners are taken as they stand, without the shift by one pixel of VOC's own first years: nearly every tool writes them
so. `pose`, `truncated`, `occluded` and `difficult` are kept as attributes of the boxes.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.sax.saxutils import escape

from formats.batch import Batch, Reading, right_size
from formats.boxes import Corners, Objects, boxed, decimal
from formats.documents import Node, parse_xml, read_number
from formats.errors import FormatError
from formats.image_sets import read_image_sets
from formats.notes import Notes
from formats.paths import Paths, tail, with_suffix
from formats.registry import register
from formats.samples import DETECTION, Annotated, Entry, Item, Size
from formats.splits import split_of_folders
from formats.spool import Spool

IMAGES, XMLS, SETS = "JPEGImages", "Annotations", "ImageSets/Main"
FLAGS = ("truncated", "occluded", "difficult")


@register("voc")
class Voc:
    """One XML file per image; an image without one has no label."""

    tasks = frozenset({DETECTION})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """An XML file whose root is `annotation`."""
        for path in batch.paths(".xml", untyped=True):
            if b"<annotation" in batch.documents[path][:2048]:
                return f"{path} is a Pascal VOC annotation"
        return None

    def read(self, batch: Batch) -> Reading:
        """Every XML file, for the image of its own name, else the one it names."""
        reading = Reading()
        splits = read_image_sets(batch, reading)
        for path in batch.paths(".xml", untyped=True):
            reading.used.add(path)
            root = parse_xml(path, batch.documents[path])
            if root.tag != "annotation":
                raise FormatError(f"the root is <{root.tag}> instead of <annotation>", path=path, line=root.line)
            key = batch.index.of_label_file(path) or _named(batch, root)
            if key is None:
                reading.missing(path)
                continue
            size, label, meta = batch.known[key], None, dict[str, Any]()
            if right_size(_size(root, path), size, key, reading.notes):
                objects = Objects(size, notes=reading.notes, where=key)
                for node in root.all("object"):
                    _read_object(node, batch.classes, objects, reading.notes, path)
                label, meta = objects.label(), objects.meta()
            reading.add(key, Annotated(label, splits.get(key) or split_of_folders(key), meta), path=path)
        for key in batch.images:
            if key not in reading.samples and (split := splits.get(key) or split_of_folders(key)):
                reading.samples[key] = Annotated(split=split)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], task: str, losses: Notes) -> Iterator[Entry]:
        """All images in one folder, as VOC's tools expect it."""
        del classes, task  # each object names its class; it holds one task alone
        paths, sets = Paths(by_stem=True), dict[str, Spool]()
        for item in items:
            path = paths.give(tail(with_suffix(item), IMAGES).replace("/", "_"), IMAGES)
            stem = PurePosixPath(path).stem
            sets.setdefault(item.split, Spool(b"\n")).add(stem.encode())
            yield Entry(path, image=item)
            if item.label is not None:
                yield Entry(f"{XMLS}/{stem}.xml", chunks=[_document(item, PurePosixPath(path).name, losses).encode()])
            for name in sorted(item.meta):
                if item.label is None or name != "attributes":
                    losses.add(f"metadata {name!r}", item.key)
        for split, names in sets.items():
            yield Entry(f"{SETS}/{split}.txt", chunks=names.chunks())


def _named(batch: Batch, root: Node) -> str | None:
    node = root.find("filename")
    return batch.index.named(node.text.strip()) if node is not None and node.text.strip() else None


def _size(root: Node, path: str) -> Size | None:
    node = root.find("size")
    if node is None:
        return None
    width, height = (_number(node, side, path) for side in ("width", "height"))
    return round(width), round(height)


def _number(node: Node, tag: str, path: str) -> float:
    found = node.find(tag)
    if found is None:
        raise FormatError(f"<{node.tag}> has no <{tag}>", path=path, line=node.line)
    return read_number(found.text.strip(), f"{path}, line {found.line}, <{tag}>")


def _read_object(node: Node, classes: Sequence[str], objects: Objects, notes: Notes, path: str) -> None:
    named, box = node.find("name"), node.find("bndbox")
    if named is None or not named.text.strip():
        raise FormatError("<object> has no <name>", path=path, line=node.line)
    if node.find("polygon") or node.find("mask") or node.all("part"):
        notes.add("polygons, masks and parts are not kept", path)
    if box is None:
        notes.add("objects without a box were left out", path)
        return
    corners: Corners = tuple(_number(box, tag, path) for tag in ("xmin", "ymin", "xmax", "ymax"))  # type: ignore[assignment]  # four tags, four corners
    attributes: dict[str, Any] = {}
    for flag in FLAGS:
        found = node.find(flag)
        if found is not None and found.text.strip() and (value := read_number(found.text.strip(), f"{path}, <{flag}>")):
            attributes[flag] = value
    pose = node.find("pose")
    if pose is not None and pose.text.strip() not in {"", "Unspecified"}:
        attributes["pose"] = pose.text.strip()
    name = named.text if named.text in classes else named.text.strip()
    objects.add(name, corners, attributes=attributes)


def _document(item: Item, name: str, losses: Notes) -> str:
    if item.label is None:
        return ""
    width, height = item.size or (0, 0)
    lines = ["<annotation>", f"  <folder>{IMAGES}</folder>", f"  <filename>{escape(name)}</filename>",
             f"  <size><width>{width}</width><height>{height}</height><depth>3</depth></size>",
             "  <segmented>0</segmented>"]  # fmt: skip
    for box, attributes in boxed(item, losses):
        lines += ["  <object>", f"    <name>{escape(box['class'])}</name>"]
        lines += [f"    <{name}>{value}</{name}>" for name, value in _attributes(attributes, item.key, losses).items()]
        corners = zip(("xmin", "ymin", "xmax", "ymax"), box["box"], strict=True)
        inner = "".join(f"<{tag}>{decimal(corner)}</{tag}>" for tag, corner in corners)
        lines += [f"    <bndbox>{inner}</bndbox>", "  </object>"]
    return "\n".join([*lines, "</annotation>", ""])


def _attributes(given: dict[str, Any] | Any, key: str, losses: Notes) -> dict[str, str]:
    written = {"pose": "Unspecified"} | dict.fromkeys(FLAGS, "0")
    for name, value in given.items():
        if name in FLAGS and type(value) in {int, float}:
            written[name] = decimal(value)
        elif name == "pose" and isinstance(value, str) and value.isprintable() and value == value.strip() != "":
            written[name] = escape(value)
        else:
            losses.add(f"the attribute {name!r}", key)
    return written
