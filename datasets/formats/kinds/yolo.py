"""YOLO: a text file per image, a line `class x y width height` per object, relative to the image, x and y its centre.

Read are Ultralytics' layout (`data.yaml`, `images/train/a.jpg` with `labels/train/a.txt`) and darknet's (`obj.data`,
`obj.names`, texts beside the images, lists of images as splits); written is Ultralytics'. Rows with more values than a
box has are told apart by `formats.yolo_rows`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

import yaml

from formats.batch import Batch, Reading
from formats.boxes import Corners, Objects, boxed, decimal, ignored_of
from formats.class_lists import composed, listed_names, yaml_names
from formats.documents import parse_yaml, read_number
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.splits import split_named
from formats.yolo_rows import CENTRED, POLYGON, POSE, SCORE, TRACK, Described, RowForm, RowForms

DATA = "data.yaml"
BOX = 5
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
        if not layout.names and not layout.is_broken:
            reading.notes.add("class numbers were taken as positions in the dataset's list: there is no list of names")
        names = layout.names or dict(enumerate(batch.classes))
        forms = RowForms(layout.described, () if layout.is_broken else _long_rows(batch, layout.labels))
        for path in layout.labels:
            if layout.is_broken:  # without the list of classes, numbers mean nothing
                reading.used.add(path)
                what = "label files were not read, since their list of classes could not be"
                reading.notes.leave_out("file_left_out", what, path)
                continue
            if not batch.index.has_label_file(path):
                if _columns(batch.documents[path]) >= BOX:
                    reading.used.add(path)
                    reading.missing(path)
                continue
            with reading.part(path):
                key = batch.index.of_label_file(path) or ""
                objects = Objects(_size(batch, key), notes=reading.notes, where=key, pixels=False)
                rows = _Rows(path, names, forms, objects, reading)
                for number, line in enumerate(batch.text(path).splitlines(), start=1):
                    if line.split():
                        rows.read(line.split(), number)
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

    names: dict[int, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    is_broken: bool = False  # a file that names the classes can't be read
    described: Described = field(default_factory=Described)
    _lists: list[tuple[str, str, str]] = field(default_factory=list)  # of data.yaml: its path, the list's, the split
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
                lines = [line.strip() for line in batch.text(path).splitlines() if line.strip()]
                layout._name(listed_names(lines, path=path), path)
        layout.is_broken = bool(reading.faults)
        for source, entry, split in layout._lists:
            layout._read_list(batch, source, entry, split, reading)
        for path in _texts(batch):
            named = None if path in layout.used else split_named(PurePosixPath(path).stem)
            if named and not batch.index.has_label_file(path):
                with reading.part(path):
                    layout._list(batch, path, named, reading.notes)
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
        if "names" in value:
            self._name(yaml_names(value, path=path) or {}, path)
        if value.keys() & {"names", "rows"}:
            self.described.read(value, path)
        for word, places in value.items():
            if (split := split_named(word)) is None:
                continue
            for place in _flat(places):
                if place.lower().endswith(".txt"):
                    self._lists.append((path, place, split))
                else:
                    _put(self._folders, "/".join(_parts(place)), split, notes)

    def _read_list(self, batch: Batch, source: str, entry: str, split: str, reading: Reading) -> None:
        """Read a list of images that `data.yaml` names, whatever it is called. One that is not there is a fault."""
        with reading.part(source):
            found = _document_named(batch, source, entry)
            if found is None:
                raise FormatError(f"names the list {entry!r} for {split}, which is not here: send it too", path=source)
            with reading.part(found):
                self._list(batch, found, split, reading.notes)

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
                near = str(PurePosixPath(path).parent).removeprefix(".")
                key = batch.index.named(line.strip(), near=near) if line.strip() else None
                if key is not None:
                    _put(self._listed, key, split, notes)
                elif line.strip():
                    notes.add(f"images that lists for {split} name and that are not here", line.strip())

    def _name(self, names: dict[int, str], path: str) -> None:
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


def _flat(places: Any) -> Iterator[str]:
    """Yield the folders and lists of a split, which may be in lists of lists."""
    if isinstance(places, list):
        for place in places:
            yield from _flat(place)
    elif isinstance(places, str):
        yield places


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in {"", ".", ".."})


def _document_named(batch: Batch, source: str, entry: str) -> str | None:
    """Return the list that `data.yaml` calls `entry`: the one beside it, else the one whose path has the longest end in
    common. Raises FormatError if two fit."""
    beside = str(PurePosixPath(source).parent / "/".join(_parts(entry)))
    if beside in batch.documents:
        return beside
    wanted, scored = _parts(composed(entry)), list[tuple[int, str]]()
    for path in _texts(batch):
        theirs = _parts(path)
        common = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(wanted[::-1], theirs[::-1], strict=False))
        )
        if common:
            scored.append((common, path))
    most = max((common for common, _ in scored), default=0)
    found = [path for common, path in scored if common == most]
    if len(found) > 1:
        words = f"names the list {entry!r}, which could be {found[0]!r} or {found[1]!r}: name it by more of its path"
        raise FormatError(words, path=source, code="annotations_ambiguous")
    return found[0] if found else None


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


def _long_rows(batch: Batch, paths: Iterable[str]) -> Iterator[list[float]]:
    """Yield the values after the class of all rows of label files that have more than a box."""
    for path in paths:
        for line in batch.documents[path].splitlines() if batch.index.has_label_file(path) else ():
            words = line.split()
            if len(words) > BOX:
                try:
                    yield [float(word) for word in words[1:]]
                except ValueError:  # which reading the file will name
                    continue


@dataclass(slots=True)
class _Rows:
    """Reads the rows of one label file into its image's objects."""

    path: str
    names: Mapping[int, str]
    forms: RowForms
    objects: Objects
    reading: Reading
    _tracks: set[int] = field(default_factory=set)

    def read(self, words: list[str], line: int) -> None:
        """Read one row. Raises FormatError."""
        where = f"{self.path}, line {line}"
        values = [read_number(word, where) for word in words[1:]]
        name = self._name(words[0], line)
        if len(values) < CENTRED:
            raise FormatError(f"{len(words)} values instead of class, x, y, width, height", path=self.path, line=line)
        form = self.forms.form_of(values, path=self.path, line=line)
        body, tail = values[: len(values) - len(form.tail)], values[len(values) - len(form.tail) :]
        ends = dict(zip(form.tail, tail, strict=True))
        attributes = {"score": ends[SCORE]} if SCORE in ends else {}
        track = self._track(int(ends[TRACK]), line) if TRACK in ends else None
        self._note(form)
        centred = _around(body) if form.shape == POLYGON else body[:CENTRED]
        self.objects.add_relative(name, centred, attributes=attributes, track=track)

    def _name(self, word: str, line: int) -> str:
        number = int(word[:9]) if word.isascii() and word.isdigit() else -1
        if number not in self.names:
            words = f"{word[:40]!r} is not a number of one of the {len(self.names)} classes"
            raise FormatError(words, path=self.path, line=line)
        return self.names[number]

    def _track(self, number: int, line: int) -> str:
        """Return the id of a track, which an image has once: what stands twice is something else."""
        if number in self._tracks:
            words = f"{number} stands twice where the ids of tracks are: say what the rows are in data.yaml (`rows`)"
            raise FormatError(words, path=self.path, line=line)
        self._tracks.add(number)
        return str(number)

    def _note(self, form: RowForm) -> None:
        if form.shape == POSE:
            self.reading.notes.leave_out("shape_left_out", "keypoints are not kept", self.path)
        if form.shape == POLYGON:
            self.reading.notes.leave_out("shape_left_out", "polygons are kept as the boxes around them", self.path)
        if form.tail:
            kept = {SCORE: "conf as the attribute score", TRACK: "id as the track"}
            parts = ", ".join(kept[part] for part in form.tail)
            self.reading.notes.add(f"rows were read as {form}: {parts}", self.path)


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
