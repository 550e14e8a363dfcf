"""YOLO: a text file per image, a line `class x y width height` per object, relative to the image, x and y its centre.

Read are Ultralytics' layout (`data.yaml`, `images/train/a.jpg` with `labels/train/a.txt`) and darknet's (`obj.data`,
`obj.names`, texts beside the images, lists of images as splits); written is Ultralytics'.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import yaml

from formats.batch import Batch, Reading
from formats.boxes import Corners, Objects, boxed, decimal, ignored_of
from formats.documents import parse_yaml, read_number
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.splits import split_named

DATA = "data.yaml"
BOX, SCORED, POLYGON = 5, 6, 7
LISTS = frozenset({"train", "val", "valid", "test", "pool"})
ORDER = ("train", "val", "test", "pool")
NAMES = frozenset({"classes.txt", "names.txt", "labels.txt", "obj_names.txt"})


@register("yolo")
class Yolo:
    """YOLO's text files: an image without a file has no label; an image with an empty file has no objects."""

    title = "YOLO (Ultralytics)"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a list of classes, or text files with five numbers a line."""
        for path in batch.paths(".yaml", ".yml"):
            if _is_data(batch, path):
                return f"{path} names YOLO's classes"
        for path in batch.paths(".names", ".data"):
            return f"{path} is one of darknet's files"
        for path in _label_files(batch):
            if _columns(batch.documents[path]) == BOX and batch.index.has_label_file(path):
                return f"{path} has five numbers a line and an image of its name"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every text file that belongs to an image."""
        reading = Reading()
        layout = _Layout.of(batch, reading)
        reading.used |= layout.used
        if not layout.names and not reading.faults:
            reading.notes.add("class numbers were taken as positions in the dataset's list: there is no list of names")
        unnamed = bool(reading.faults)  # without the list of classes, numbers mean nothing
        names = layout.names or list(batch.classes)
        for path in layout.labels:
            if unnamed:
                reading.used.add(path)
                reading.notes.add("label files were not read, since their list of classes could not be", path)
                continue
            if not batch.index.has_label_file(path):
                if _columns(batch.documents[path]) >= BOX:
                    reading.used.add(path)
                    reading.missing(path)
                continue
            with reading.part(path):
                key = batch.index.of_label_file(path) or ""
                objects = Objects(_size(batch, key), notes=reading.notes, where=key)
                for number, line in enumerate(batch.text(path).splitlines(), start=1):
                    if line.split():
                        _read_line(line.split(), names, objects, reading, layout, path, number)
                reading.add(key, Annotated(objects.label(), layout.split(key, batch)), path=path)
        for key in batch.images:
            if key not in reading.samples and (split := layout.split(key, batch)):
                reading.samples[key] = Annotated(split=split)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `images/<split>/<name>`, `labels/<split>/<name>.txt` and `data.yaml`."""
        del form  # it holds just one form
        numbers = {name: number for number, name in enumerate(classes)}
        paths, splits = Paths(by_stem=True), set[str]()
        for item in items:
            # Most readers look only directly inside a split's folder.
            path = paths.place(item, "images", item.split, losses=losses, flat=True)
            if item.label is None and item.split != "pool":
                losses.add("images without a label, which most readers take for images without objects", item.key)
            splits.add(item.split)
            yield Entry(path, image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            if item.label is not None:
                text = "labels" + str(PurePosixPath(path).with_suffix(".txt")).removeprefix("images")
                yield Entry(text, chunks=[_lines(item, numbers, losses).encode()])
        for split in ("train", "val"):
            if split not in splits:
                losses.add(f"{DATA} names no images of {split}: Ultralytics reads none without train and val")
        folders = {split: f"images/{split}" for split in ("train", "val", "test", "pool") if split in splits}
        data = folders | {"names": dict(enumerate(classes))}
        yield Entry(DATA, chunks=[yaml.safe_dump(data, sort_keys=False, allow_unicode=True).encode()])


@dataclass(slots=True)
class _Layout:
    """The classes, splits and label files, from the files around the labels."""

    names: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    keypoints: bool = False
    _folders: dict[str, str] = field(default_factory=dict)
    _listed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, batch: Batch, reading: Reading) -> "_Layout":
        """Read the layout of a batch. Files that can't be read, or contradict each other, become faults of the
        reading."""
        layout = cls()
        for path in batch.paths(".yaml", ".yml", untyped=True):
            with reading.part(path):
                layout._read_data(batch, path, reading.notes)
        for path in batch.paths(".data"):
            with reading.part(path):
                layout._read_darknet(batch, path, reading.notes)
        for path in [*batch.paths(".names"), *(one for one in _texts(batch) if _is_names(batch, one))]:
            with reading.part(path):
                layout._name([line.strip() for line in batch.text(path).splitlines() if line.strip()], path)
        for path in _texts(batch):
            if (split := split_named(PurePosixPath(path).stem)) and not batch.index.has_label_file(path):
                with reading.part(path):
                    layout._list(batch, path, split, reading.notes)
        layout.labels = [path for path in _label_files(batch) if path not in layout.used]
        return layout

    def split(self, key: str, batch: Batch) -> str | None:
        """Return an image's split: from a list of images, else, unless its own folder names one, from the folders in
        `data.yaml`."""
        if (listed := self._listed.get(key)) is not None or batch.names.of_image(key):
            return listed
        return next((split for folder, split in self._folders.items() if f"/{folder}/" in f"/{key}"), None)

    def _read_data(self, batch: Batch, path: str, notes: Notes) -> None:
        value = parse_yaml(path, batch.documents[path])
        if not isinstance(value, Mapping):
            raise FormatError("must be an object with `names`", path=path)
        self.keypoints = self.keypoints or "kpt_shape" in value
        if "names" in value:
            self._name(_names(value["names"], path), path)
        for word, folders in value.items():
            split = split_named(word) if isinstance(word, str) else None
            for folder in folders if isinstance(folders, list) else [folders]:
                if split and isinstance(folder, str):
                    folder = folder.replace("../", "").removeprefix("./").strip("/")
                    _put(self._folders, folder, split, notes)

    def _read_darknet(self, batch: Batch, path: str, notes: Notes) -> None:
        self.used.add(path)
        for line in batch.text(path).splitlines():
            word, _, value = (part.strip() for part in line.partition("="))
            file = PurePosixPath(value).name
            named = [one for one in _texts(batch) if PurePosixPath(one).name == file]
            if (split := split_named(word)) and len(named) == 1:
                self._list(batch, named[0], split, notes)

    def _list(self, batch: Batch, path: str, split: str, notes: Notes) -> None:
        if path not in self.used:
            self.used.add(path)
            for line in batch.text(path).splitlines():
                key = batch.index.named(line.strip()) if line.strip() else None
                if key is not None:
                    _put(self._listed, key, split, notes)

    def _name(self, names: list[str], path: str) -> None:
        self.used.add(path)
        if self.names and self.names != names:
            raise FormatError("names other classes than another file does; keep one", path=path)
        self.names = names


def _put(table: dict[str, str], name: str, split: str, notes: Notes) -> None:
    """Record the split of a folder or an image; if several splits name it, the first in ORDER wins."""
    before = table.setdefault(name, split)
    if before != split:
        table[name] = min(before, split, key=ORDER.index)
        notes.add(f"what {before} and {split} both name was taken as {table[name]}", name)


def _is_data(batch: Batch, path: str) -> bool:
    try:
        value = parse_yaml(path, batch.documents[path])
    except FormatError:
        return PurePosixPath(path).stem == "data"  # so that a broken data.yaml is refused as YOLO
    return isinstance(value, Mapping) and "names" in value


def _names(value: Any, path: str) -> list[str]:
    if isinstance(value, Mapping):
        if sorted(value, key=str) != sorted(range(len(value)), key=str):
            raise FormatError("`names` must be numbered from 0 without gaps", path=path)
        value = [value[number] for number in range(len(value))]
    if not isinstance(value, list) or not all(isinstance(name, str | int | float) for name in value):
        raise FormatError("`names` must be a list of the classes' names", path=path)
    return [str(name) for name in value]


def _texts(batch: Batch) -> Iterator[str]:
    return batch.paths(".txt")


def _is_names(batch: Batch, path: str) -> bool:
    return PurePosixPath(path).name in NAMES and not batch.index.has_label_file(path)


def _label_files(batch: Batch) -> Iterator[str]:
    for path in _texts(batch):
        other = PurePosixPath(path).name in NAMES or PurePosixPath(path).stem in LISTS
        if not other or batch.index.has_label_file(path):
            yield path


def _columns(data: bytes) -> int:
    """Count the numbers in the first line; 0 if it has anything else."""
    words = data[:4096].strip().partition(b"\n")[0].split()
    try:
        return len([float(word) for word in words])
    except ValueError:
        return 0


def _size(batch: Batch, key: str) -> Size:
    size = batch.known[key]
    if size is None:
        raise FormatError(f"the size of {key!r} is not known, and YOLO's boxes are relative to it: send the image too")
    return size


def _read_line(
    words: list[str], names: Sequence[str], objects: Objects, reading: Reading, layout: _Layout, path: str, line: int
) -> None:
    where = f"{path}, line {line}"
    if not words[0].isascii() or not words[0].isdigit() or int(words[0][:9]) >= len(names):
        raise FormatError(f"{words[0][:40]!r} is no number of one of the {len(names)} classes", path=path, line=line)
    values = [read_number(word, where) for word in words[1:]]
    attributes: dict[str, Any] = {}
    if layout.keypoints and len(words) > BOX:
        reading.notes.add("keypoints are not kept", path)
        values = values[:4]
    elif len(words) == SCORED:
        attributes["score"] = values.pop()
    elif len(words) >= POLYGON and len(words) % 2:
        reading.notes.add("polygons are kept as the boxes around them", path)
        values = _around(values)
    elif len(words) != BOX:
        raise FormatError(f"{len(words)} values instead of class, x, y, width, height", path=path, line=line)
    objects.add_relative(names[int(words[0])], values, attributes=attributes)


def _around(points: Sequence[float]) -> list[float]:
    xs, ys = points[::2], points[1::2]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    return [min(xs) + width / 2, min(ys) + height / 2, width, height]


def _lines(item: Item, numbers: Mapping[str, int], losses: Notes) -> str:
    if item.size is None or item.label is None:
        raise FormatError(f"the size of {item.key!r} is not known, and YOLO's boxes are relative to it")
    for _ in ignored_of(item):
        losses.add("regions to ignore", item.key)
    rows = ([numbers[one["class"]], *_relative(one["box"], item.size)] for one in boxed(item, losses))
    return "".join(" ".join(map(decimal, row)) + "\n" for row in rows)


def _relative(box: Corners, size: Size) -> Corners:
    x1, y1, x2, y2 = box
    width, height = size
    return (x1 + x2) / 2 / width, (y1 + y2) / 2 / height, (x2 - x1) / width, (y2 - y1) / height
