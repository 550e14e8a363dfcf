"""KITTI: `training/image_2/a.png` with `training/label_2/a.txt`, 15 values a line; also `<split>/images` with `labels`.

`type truncated occluded alpha left top right bottom height width length x y z rotation_y [score]`; corners in pixels
from 0. Splits are lists of names in `ImageSets/<split>.txt`, or folders. `DontCare` lines are regions to ignore.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from formats.batch import Batch, Reading
from formats.boxes import Objects, boxed, decimal, ignored_of
from formats.class_lists import composed
from formats.documents import read_number
from formats.errors import FormatError
from formats.image_sets import read_image_sets
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item
from formats.spool import Spool

DONT_CARE = "DontCare"
COLUMNS = 15
UNKNOWN = -1.0
SCORE = "score"
HELD = frozenset({"attributes"})
# By name in `attributes`: the columns of the values in a line, and what KITTI writes for unknown ones.
ATTRIBUTES: Mapping[str, tuple[slice, tuple[float, ...]]] = {
    "truncated": (slice(1, 2), (UNKNOWN,)),
    "occluded": (slice(2, 3), (UNKNOWN,)),
    "alpha": (slice(3, 4), (-10.0,)),
    "dimensions": (slice(8, 11), (-1.0, -1.0, -1.0)),
    "location": (slice(11, 14), (-1000.0, -1000.0, -1000.0)),
    "rotation_y": (slice(14, 15), (-10.0,)),
}
# What the devkit lets these be, in words and as a test.
FLAGS: Mapping[str, tuple[str, Callable[[float], bool]]] = {
    "truncated": ("between 0 and 1", lambda value: 0 <= value <= 1),
    "occluded": ("a whole number", float.is_integer),
}
IMAGES, LABELS, SETS = "training/image_2", "training/label_2", "ImageSets"


@register("kitti")
class Kitti:
    """KITTI's label files; their 3-D values are kept as attributes of the boxes."""

    title = "KITTI"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise text files with 15 columns, all numbers but the first."""
        for path in batch.paths(".txt"):
            first = batch.documents[path][:4096].strip().partition(b"\n")[0]
            if is_line(first.decode(errors="replace").split()):
                return f"{path} has KITTI's {COLUMNS} columns"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every text file that belongs to an image."""
        reading = Reading()
        splits = read_image_sets(batch, reading)
        names = {"_".join(name.split()): name for name in batch.classes}
        for path in batch.paths(".txt"):
            if path in reading.used or not _may_be_labels(batch, path):
                continue
            with reading.part(path):
                key = batch.index.of_label_file(path)
                if key is None:
                    reading.missing(path)
                    continue
                objects = Objects(batch.known[key], notes=reading.notes, where=key)
                for number, line in enumerate(composed(batch.text(path)).splitlines(), start=1):
                    if line.split():
                        _read_line(line.split(), names, objects, reading.notes, path, number)
                reading.add(key, Annotated(objects.label(), splits.get(key)), path=path)
        reading.list_splits(splits, batch)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write all images in `training/`, as KITTI's tools expect, and the splits as lists in `ImageSets/`."""
        del form  # it holds just one form
        for name in classes:
            if len(name.split()) > 1:
                losses.add(f"spaces in class names: {name!r} is written {'_'.join(name.split())!r}")
        paths, sets = Paths(by_stem=True), dict[str, Spool]()
        for item in items:
            path = paths.place(item, IMAGES, losses=losses, flat=True)
            stem = PurePosixPath(path).stem
            sets.setdefault(item.split, Spool(b"\n")).add(stem.encode())
            yield Entry(path, image=item)
            if item.label is not None:
                yield Entry(f"{LABELS}/{stem}.txt", chunks=[_lines(item, losses).encode()])
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
        for split, names in sets.items():
            yield Entry(f"{SETS}/{split}.txt", chunks=names.chunks())


def is_line(words: list[str]) -> bool:
    """Whether these are an object's values: its class, and numbers."""
    return _width(words) is not None


def name_of(words: list[str]) -> str:
    """Return the class of an object's line; other tools write spaces in it as they are."""
    return " ".join(words[: _width(words)])


def _width(words: list[str], names: Collection[str] = ()) -> int | None:
    """Return over how many words the class of an object's line goes; None if it is no such line. A number at its end
    ("class 7") leaves two readings, as a score may follow the values. It is part of the class if that is in `names`, or
    if as `truncated`, the share of an object outside of its image, it would be none."""
    with_score, without = (
        width if width > 0 and all(map(_is_number, words[width:])) else None
        for width in (len(words) - COLUMNS, len(words) - COLUMNS + 1)
    )
    if with_score is None or without is None:
        return with_score or without
    truncated = float(words[with_score])
    beyond = truncated != UNKNOWN and not 0 <= truncated <= 1
    return without if beyond or "_".join(words[:without]) in names else with_score


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _may_be_labels(batch: Batch, path: str) -> bool:
    folder = PurePosixPath(path).parent.name.lower()
    return folder.startswith("label") or batch.index.has_label_file(path)


def _read_line(
    words: list[str], names: Mapping[str, str], objects: Objects, notes: Notes, path: str, line: int
) -> None:
    width = _width(words, names)
    if width is None:  # the error names the first value that is no number, or says how many there are
        width = next((place for place, word in enumerate(words) if place and _is_number(word)), len(words))
    name, words = " ".join(words[:width]), ["_".join(words[:width]), *words[width:]]
    if len(words) not in {COLUMNS, COLUMNS + 1}:
        raise FormatError(f"{len(words)} values instead of {COLUMNS}", path=path, line=line)
    values = [0.0, *(read_number(word, f"{path}, line {line}") for word in words[1:])]
    left, top, right, bottom = values[4:8]
    if words[0] == DONT_CARE:
        notes.add("DontCare regions are kept as regions to ignore, not as boxes", path)
        objects.ignore((left, top, right, bottom), name=DONT_CARE)
        return
    attributes: dict[str, Any] = {SCORE: values[COLUMNS]} if len(values) > COLUMNS else {}
    for fact, (where, unknown) in ATTRIBUTES.items():
        if tuple(values[where]) != unknown:
            attributes[fact] = values[where] if len(unknown) > 1 else values[where][0]
    objects.add(names.get(words[0], name), (left, top, right, bottom), attributes=attributes)


def _lines(item: Item, losses: Notes) -> str:
    rows = []
    if item.label is None:
        return ""
    for one in boxed(item, losses, held=HELD):
        name = "_".join(one["class"].split())
        rows.append(_line(name, one["box"], one.get("attributes", {}), losses, item.key))
    for region in ignored_of(item):
        if region.get("class", DONT_CARE) != DONT_CARE:
            losses.add("classes of regions to ignore: they are written DontCare", item.key)
        if region.get("attributes"):
            losses.add("attributes of regions to ignore", item.key)
        rows.append(_line(DONT_CARE, region["box"], {}, losses, item.key))
    return "".join(rows)


def _line(name: str, box: Sequence[float], attributes: Mapping[str, Any], losses: Notes, key: str) -> str:
    values: list[float] = [0.0] * COLUMNS
    values[4:8] = box
    for attribute in sorted(attributes.keys() - ATTRIBUTES.keys() - {SCORE}):
        losses.add(f"the attribute {attribute!r}", key)
    for attribute, (where, unknown) in ATTRIBUTES.items():
        numbers = _numbers(attributes, attribute, len(unknown), losses, key)
        if numbers and attribute in FLAGS and not FLAGS[attribute][1](numbers[0]):
            losses.add(f"the attribute {attribute!r} where it is not {FLAGS[attribute][0]}", key)
            numbers = None
        values[where] = numbers or unknown
        if numbers is None and attribute in FLAGS and name != DONT_CARE:
            losses.add(f"{attribute!r} of objects that do not say it: -1 is written, as KITTI's own tools do", key)
    values += _numbers(attributes, SCORE, 1, losses, key) or []
    return " ".join([name, *map(decimal, values[1:])]) + "\n"


def _numbers(attributes: Mapping[str, Any], attribute: str, count: int, losses: Notes, key: str) -> list[float] | None:
    """Return the `count` numbers of an attribute; None if it is missing, or has other values, which is noted."""
    if attribute not in attributes:
        return None
    given = attributes[attribute]
    numbers = given if isinstance(given, list) else [given]
    if len(numbers) == count and all(type(one) in {int, float, bool} for one in numbers):
        return [float(one) for one in numbers]
    losses.add(f"the attribute {attribute!r} where it is not {count} numbers", key)
    return None
