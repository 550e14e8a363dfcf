"""Pascal VOC: `JPEGImages/a.jpg` with `Annotations/a.xml`, splits as lists of names in `ImageSets/Main/<split>.txt`.

Corners are taken as they stand, without the shift by one pixel of VOC's own first years: nearly every tool writes them
so. `pose`, `truncated`, `occluded` and `difficult` are attributes with a tag of their own; every other stands in the
object's `<attributes>`, as CVAT and datumaro write them: a text, but for `true` and `false`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.sax.saxutils import escape

from formats.batch import Batch, Reading, right_size
from formats.boxes import Corners, Objects, boxed, decimal, ignored_of
from formats.class_lists import composed
from formats.documents import Node, parse_xml, read_number
from formats.errors import FormatError
from formats.image_sets import read_image_sets
from formats.labelme_marks import is_annotation, is_labelme
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.spool import Spool
from formats.xml_attributes import text_of, value_of

IMAGES, XMLS, SETS, LABEL_MAP = "JPEGImages", "Annotations", "ImageSets/Main", "labelmap.txt"
MASKS = {"SegmentationClass", "SegmentationObject"}  # folders of images that are no samples
FLAGS, SET = ("truncated", "occluded", "difficult"), 1
UNSPECIFIED = "Unspecified"  # the pose of an object without one
UNSET = {"pose": UNSPECIFIED} | dict.fromkeys(FLAGS, "0")
READ = frozenset({"name", "bndbox", "attributes", "polygon", "mask", "part", *UNSET})
HELD = frozenset({"attributes"})


@register("voc")
class Voc:
    """Pascal VOC's XML: one file per image; an image without a file has no label."""

    title = "Pascal VOC XML"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise an XML file whose root is `annotation`."""
        for path in batch.paths(".xml", untyped=True):
            if is_annotation(batch.documents[path]) and not is_labelme(batch.documents[path]):
                return f"{path} is a Pascal VOC annotation"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every XML file, for the image with the file's name, else the image it names."""
        reading = Reading()
        reading.used.update(path for path in batch.documents if PurePosixPath(path).name == LABEL_MAP)
        splits = read_image_sets(batch, reading)
        for path in batch.paths(".xml", untyped=True):
            with reading.part(path):
                _read(batch, path, splits, reading)
        reading.list_splits(splits, batch)
        for key in batch.images:
            if MASKS & set(PurePosixPath(key).parts[:-1]):
                what = "masks came in as images without a label: remove them, or push without them"
                reading.notes.leave_out("shape_left_out", what, key)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write all images in one folder, as VOC's tools expect."""
        del form  # it holds just one form
        paths, sets = Paths(by_stem=True), dict[str, Spool]()
        for item in items:
            path = paths.place(item, IMAGES, losses=losses, flat=True)
            stem = PurePosixPath(path).stem
            sets.setdefault(item.split, Spool(b"\n")).add(stem.encode())
            yield Entry(path, image=item)
            if item.label is not None:
                yield Entry(f"{XMLS}/{stem}.xml", chunks=[_document(item, PurePosixPath(path).name, losses).encode()])
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
        for split, names in sets.items():
            yield Entry(f"{SETS}/{split}.txt", chunks=names.chunks())
        yield Entry(LABEL_MAP, chunks=[_label_map(classes, losses).encode()])


def _read(batch: Batch, path: str, splits: Mapping[str, str], reading: Reading) -> None:
    root = parse_xml(path, batch.documents[path])
    if root.tag != "annotation":
        raise FormatError(f"the root is <{root.tag}> instead of <annotation>", path=path, line=root.line)
    key = batch.index.of_label_file(path) or _named(batch, root)
    if key is None:
        reading.missing(path)
        return
    size, label = batch.known[key], None
    nodes = root.all("object")
    if right_size(_size(root, path), size, key, reading.notes, objects=len(nodes)):
        objects = Objects(size, notes=reading.notes, where=key)
        for node in nodes:
            _read_object(node, batch.classes, objects, reading.notes, path)
        label = objects.label()
    reading.add(key, Annotated(label, splits.get(key)), path=path)


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
        notes.leave_out("shape_left_out", "polygons, masks and parts are not kept", path)
    for one in node.children:
        if one.tag not in READ and (one.children or one.text.strip()):
            notes.add_field(one.tag, "an object", path)
    if box is None:
        objects.lose("no_box")
        return
    corners: Corners = tuple(_number(box, tag, path) for tag in ("xmin", "ymin", "xmax", "ymax"))  # type: ignore[assignment]  # four tags, four corners
    text = composed(named.text)
    name = text if text in classes else text.strip()
    objects.add(name, corners, attributes=_attributes(node, path))


def _attributes(node: Node, path: str) -> dict[str, Any]:
    """Return an object's attributes: those set in their own tags, overridden by those in `<attributes>`."""
    found: dict[str, Any] = {}
    for flag in FLAGS:
        tag = node.find(flag)
        if tag is not None and tag.text.strip() and (value := read_number(tag.text.strip(), f"{path}, <{flag}>")):
            found[flag] = value
    pose = node.find("pose")
    if pose is not None and pose.text.strip() not in {"", UNSPECIFIED}:
        found["pose"] = pose.text.strip()
    listed = node.find("attributes")
    for one in listed.all("attribute") if listed is not None else ():
        name, told = one.find("name"), one.find("value")
        if name is None or told is None:
            words = f"<attribute> has no <{'name' if name is None else 'value'}>"
            raise FormatError(words, path=path, line=one.line)
        is_set = name.text in FLAGS and found.get(name.text) == SET
        found[name.text] = _degree(told.text) if is_set else _value_of(told.text)
    return found


def _degree(text: str) -> Any:
    """Return the value in `<attributes>` of a flag whose own tag says 1: its degree if it is a number."""
    try:
        return read_number(text, "")
    except FormatError:
        return _value_of(text)


def _value_of(text: str) -> Any:
    """Return the value of an attribute without its own tag; datumaro writes True and False."""
    return value_of(text.lower() if text in {"True", "False"} else text)


def _label_map(classes: Sequence[str], losses: Notes) -> str:
    """Return the list of classes as CVAT and datumaro expect it: `name:colour:parts:actions`, the background first."""
    for name in classes:
        if ":" in name:
            losses.add(f"the colon of {name!r} in {LABEL_MAP}, where it is written _")
        if name.startswith("#"):
            losses.add(f"the # of {name!r} in {LABEL_MAP}, where it is written _: that line would be a comment")
    names = ["background", *(re.sub("^#|:", "_", name) for name in classes)]
    return "# label:color_rgb:parts:actions\n" + "".join(f"{name}:{_colour(n)}::\n" for n, name in enumerate(names))


def _colour(number: int) -> str:
    """Return Pascal VOC's colour of a class: the bits of its number, dealt in turn to red, green and blue from their
    highest bit down."""
    channels = (sum(((number >> (3 * bit + part)) & 1) << (7 - bit) for bit in range(8)) for part in range(3))
    return ",".join(map(str, channels))


def _document(item: Item, name: str, losses: Notes) -> str:
    if item.label is None:
        return ""
    width, height = item.size or (0, 0)
    lines = ["<annotation>", f"  <folder>{IMAGES}</folder>", f"  <filename>{escape(name)}</filename>",
             f"  <size><width>{width}</width><height>{height}</height><depth>3</depth></size>",
             "  <segmented>0</segmented>"]  # fmt: skip
    for _ in ignored_of(item):
        losses.add("regions to ignore", item.key)
    for one in boxed(item, losses, held=HELD):
        lines += ["  <object>", f"    <name>{escape(one['class'])}</name>"]
        attributes = one.get("attributes", {})
        own = {name: told for name, value in attributes.items() if (told := _own_tag(name, value)) is not None}
        lines += [f"    <{name}>{told}</{name}>" for name, told in (UNSET | own).items()]
        corners = zip(("xmin", "ymin", "xmax", "ymax"), one["box"], strict=True)
        inner = "".join(f"<{tag}>{decimal(corner)}</{tag}>" for tag, corner in corners)
        lines.append(f"    <bndbox>{inner}</bndbox>")
        if others := {name: value for name, value in attributes.items() if not _is_told(name, value)}:
            lines.append(f"    {_listed(others, losses, item.key)}")
        lines.append("  </object>")
    return "\n".join([*lines, "</annotation>", ""])


def _own_tag(name: str, value: Any) -> str | None:
    """Return the content of the attribute's own tag in VOC; None if it has no tag, or the tag can't hold this value."""
    if name in FLAGS and isinstance(value, int | float):
        return decimal(bool(value))
    is_plain = name == "pose" and isinstance(value, str) and value.isprintable() and value == value.strip()
    return escape(value) if is_plain and value not in {"", UNSPECIFIED} else None


def _is_told(name: str, value: Any) -> bool:
    """Whether VOC's own tag holds the whole value: a flag's tag is 0 or 1, and readers accept nothing else."""
    if name in FLAGS:
        return not isinstance(value, bool) and value in {0, SET}
    return _own_tag(name, value) is not None


def _listed(attributes: Mapping[str, Any], losses: Notes, key: str) -> str:
    """Return the `<attributes>` element of values that their own tags can't hold, or can't hold fully."""
    told = "".join(
        f"<attribute><name>{escape(name)}</name><value>{_text_of(name, value, losses, key)}</value></attribute>"
        for name, value in attributes.items()
    )
    return f"<attributes>{told}</attributes>"


def _text_of(name: str, value: Any, losses: Notes, key: str) -> str:
    if name in FLAGS and isinstance(value, int | float) and not isinstance(value, bool):
        return decimal(value)
    return text_of(value, losses, key, read=_value_of)
