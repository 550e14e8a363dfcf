"""CSV: a table with a head, a line for each image or for each box: `file,class`, `filename,class,xmin,ymin,xmax,ymax`.

It is what people make with a spreadsheet, and what Kaggle, TensorFlow and Roboflow hand out. Columns are known by their
names, whatever their order and case; commas, semicolons or tabs part them. An image has its class in a column of its
own, or one column for each class with 0 and 1 in it, as ISIC has. Corners are pixels of the upright image.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from formats.batch import Batch, Reading, right_size
from formats.boxes import Corners, Objects, boxed, decimal, ignored_of
from formats.class_lists import composed
from formats.documents import as_meta, iter_csv, read_number, unmarked, write_csv
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import IMAGE_SUFFIXES, Paths
from formats.registry import register
from formats.samples import MANY_CLASSES, OBJECTS, ONE_CLASS, Annotated, Entry, Item, Size
from formats.splits import split_named
from formats.spool import Spool

FILES = ("file", "filename", "file_name", "filepath", "file_path", "image", "image_name", "image_path", "image_id",
         "img", "path", "name", "key", "id")  # fmt: skip
"""Names of the column with the image's name; the first one present is used."""
CLASSES = ("class", "class_name", "label", "label_name", "category", "category_name")
SPLITS = ("split", "set", "subset")
CORNERS = (("xmin", "ymin", "xmax", "ymax"), ("x_min", "y_min", "x_max", "y_max"), ("x1", "y1", "x2", "y2"),
           ("left", "top", "right", "bottom"))  # fmt: skip
SIZE = ("width", "height")
ROLES = frozenset({*FILES, *CLASSES, *SPLITS, *SIZE, *(side for sides in CORNERS for side in sides)})
DELIMITERS = ",;\t"
HOT = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False, "": False}
FILE = "annotations.csv"
HEAD_BYTES = 1 << 16
LINE_END = re.compile(rb"\r\n|\r|\n")
"""Files from old Macs end lines with a single carriage return."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The columns of a table by their role. `hot` are the 0/1 columns of classes, `rest` the columns without a role."""

    columns: Sequence[str]
    delimiter: str
    file: int
    name: int | None
    split: int | None
    corners: Sequence[int] | None
    size: Sequence[int] | None
    hot: Mapping[str, int]
    rest: Mapping[str, int]


@register("csv")
class Table:
    """A table of classes or boxes; other columns become `meta` of the image, or attributes of the box."""

    title = "CSV table"
    forms = frozenset({ONE_CLASS, MANY_CLASSES, OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a table whose first line names a column for the image and one for its class."""
        for path in batch.paths(".csv"):
            if (head := _head(batch, path)) is not None:
                return f"{path} is a table with the column {head.columns[head.file]!r}"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every table that is recognised; a line that can't be read affects only its own image."""
        reading = Reading()
        paths = list(batch.paths(".csv"))
        found = {path: head for path in paths if (head := _head(batch, path)) is not None}
        if not found:
            wanted = f"a column for the image ({', '.join(FILES[:4])}, ..) and one for its class ({', '.join(CLASSES)})"
            raise FormatError(f"csv needs a table whose first line names {wanted}" + (
                ", and the corners of boxes (xmin, ymin, xmax, ymax)" if batch.form == OBJECTS else ""
            ))  # fmt: skip
        for path, head in found.items():
            _Lines(path, head, batch, reading).read()
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `images/<split>/<name>`, and one table with the splits in a column. Raises FormatError for a class that
        has the name of a column."""
        head = _columns(classes, form)
        paths, lines = Paths(FILE), Spool(b"")
        lines.add(write_csv([head]).encode())
        for item in items:
            path = paths.place(item, "images", item.split, losses=losses)
            yield Entry(path, image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            rows = ([path, item.split, *row] for row in _rows(item, classes, form, losses))
            lines.add(write_csv(rows).encode())
        yield Entry(FILE, chunks=lines.chunks())


@dataclass(slots=True)
class _Said:
    """What the lines about one image say."""

    split: str | None = None
    names: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    objects: Objects | None = None
    broken: bool = False


class _Lines:
    """Reads one table."""

    def __init__(self, path: str, head: _Head, batch: Batch, reading: Reading) -> None:
        self.path, self.head, self.batch, self.reading = path, head, batch, reading
        self._said: dict[str, _Said] = {}
        self._keys: dict[str, str | None] = {}

    def read(self) -> None:
        with self.reading.part(self.path):
            if (twice := _twice(self.head.columns)) is not None:
                raise FormatError(f"the column {twice!r} stands twice: keep one", path=self.path, line=1)
            for number, row in iter_csv(self.path, self.batch.documents[self.path], delimiter=self.head.delimiter):
                if number > 1 and any(cell.strip() for cell in row):
                    with self.reading.part(self.path):
                        self._read(row, number)
        for key, said in self._said.items():
            with self.reading.part(self.path):
                label = None if said.broken else self._label(said, key)
                self.reading.add(key, Annotated(label, said.split, said.meta), path=self.path)

    def _read(self, row: Sequence[str], number: int) -> None:
        """Read one row. If it can't be read, the image that it names gets no label, whatever its other rows say."""
        key = self._key(row[self.head.file].strip()) if len(row) > self.head.file else None
        said = self._said.setdefault(key, _Said()) if key is not None else _Said()
        try:
            if len(row) != len(self.head.columns):
                words = f"{len(row)} values instead of {len(self.head.columns)}"
                raise FormatError(words, path=self.path, line=number)
            if key is None:
                return
            split = self._split(row, number)
            if split and said.split and split != said.split:
                words = f"{key!r} is in {split} here and in {said.split} in a line before"
                raise FormatError(words, path=self.path, line=number, code="annotations_ambiguous")
            said.split = said.split or split
            if self.batch.form == OBJECTS:
                self._box(row, said, key, number)
            else:
                self._names(row, said, number)
        except FormatError:
            said.broken = True
            raise

    def _key(self, name: str) -> str | None:
        """Return the key of an image, whose name may lack its suffix; None if it is missing."""
        if name not in self._keys:
            index, near = self.batch.index, str(PurePosixPath(self.path).parent)
            split = self.batch.split_of(self.path)
            found = index.named(name, near="" if near == "." else near, split=split)
            if found is None and PurePosixPath(name).suffix.lower() not in IMAGE_SUFFIXES:
                found = index.of_label_file(f"{name}.txt", split=split)
            self._keys[name] = found
            if found is None:
                self.reading.missing(name)
        return self._keys[name]

    def _split(self, row: Sequence[str], number: int) -> str | None:
        word = "" if self.head.split is None else row[self.head.split].strip()
        if not word:
            return None
        if (split := split_named(word)) is None:
            words = f"{self.head.columns[self.head.split or 0]}: {word!r} is not a split: use train, val, test or pool"
            raise FormatError(words, path=self.path, line=number)
        return split

    def _names(self, row: Sequence[str], said: _Said, number: int) -> None:
        if self.head.name is not None and (name := self._name(row[self.head.name])):
            said.names.append(name)
        for name, column in self.head.hot.items():
            value = HOT.get(row[column].strip().lower())
            if value is None:
                words = f"{name}: {row[column]!r} is neither 0 nor 1"
                raise FormatError(words, path=self.path, line=number)
            if value:
                said.names.append(name)
        for name, column in self.head.rest.items():
            if cell := row[column].strip():
                said.meta |= as_meta({name: _value(cell)}, f"{self.path}, line {number}")

    def _name(self, cell: str) -> str:
        """Return the class in a cell, stripped unless the dataset has a class with these spaces."""
        name = composed(cell)
        return name if name in self.batch.classes else name.strip()

    def _box(self, row: Sequence[str], said: _Said, key: str, number: int) -> None:
        head, size = self.head, self.batch.known[key]
        assert head.corners is not None and head.name is not None  # noqa: S101, PT018 - `_head`
        if said.objects is None:
            said.objects = Objects(size, notes=self.reading.notes, where=key)
        cells = [row[column].strip() for column in head.corners]
        name = self._name(row[head.name])
        if not name and not any(cells):
            return  # an image without objects
        where = f"{self.path}, line {number}"
        if not name:
            raise FormatError(f"{head.columns[head.name]}: the box has no class", path=self.path, line=number)
        places = zip(head.corners, cells, strict=True)
        x1, y1, x2, y2 = (read_number(cell, f"{where}, {head.columns[at]}") for at, cell in places)
        if not right_size(self._size(row, where), size, key, self.reading.notes, objects=1):
            return
        more = {name: _value(cell) for name, at in head.rest.items() if (cell := row[at].strip())}
        said.objects.add(name, (x1, y1, x2, y2), attributes=more)

    def _size(self, row: Sequence[str], where: str) -> Size | None:
        """Return the size of the image when it was annotated, if the table has it."""
        if self.head.size is None or not all(row[column].strip() for column in self.head.size):
            return None
        width, height = (int(read_number(row[column], f"{where}, size")) for column in self.head.size)
        return width, height

    def _label(self, said: _Said, key: str) -> Mapping[str, Any] | None:
        if self.batch.form == OBJECTS:
            return said.objects.label() if said.objects is not None else None
        names = list(dict.fromkeys(said.names))
        if self.batch.form == MANY_CLASSES:
            return {"classes": names} if names or self.head.hot else None
        if len(names) > 1:
            words = f"{key!r} has the classes {names[0]!r} and {names[1]!r}: a sample of this dataset has one"
            raise FormatError(words, path=self.path, code="annotations_ambiguous")
        return {"class": names[0]} if names else None


def _head(batch: Batch, path: str) -> _Head | None:
    """Return the columns of a table whose labels this dataset can hold; None for other tables."""
    try:
        first = LINE_END.split(batch.documents[path][:HEAD_BYTES], maxsplit=1)[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    for delimiter in DELIMITERS:
        columns = unmarked(next(csv.reader([first], delimiter=delimiter), []))
        if len(columns) > 1 and (head := _understood(columns, delimiter, batch)) is not None:
            return head
    return None


def _twice(columns: Sequence[str]) -> str | None:
    """Return the first name that two columns have; those with a role have it in any case."""
    names = (name.lower() if name.lower() in ROLES else name for name in map(str.strip, columns) if name)
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _understood(columns: Sequence[str], delimiter: str, batch: Batch) -> _Head | None:
    named = {name.strip().lower(): place for place, name in reversed(list(enumerate(columns)))}
    file = next((named[name] for name in FILES if name in named), None)
    name = next((named[name] for name in CLASSES if name in named), None)
    split = next((named[name] for name in SPLITS if name in named), None)
    boxes = batch.form == OBJECTS
    corners = next(([named[side] for side in sides] for sides in CORNERS if named.keys() >= set(sides)), None)
    size = [named[side] for side in SIZE] if boxes and named.keys() >= set(SIZE) else None
    names = [composed(said.strip()) for said in columns]
    classes = {name: at for at, name in enumerate(names) if name in batch.classes}
    hot = classes if not boxes and name is None else {}
    if file is None or (name is None and not hot) or (boxes and (corners is None or name is None)):
        return None
    if not boxes and corners is not None:
        return None  # a table of boxes has no labels of whole images
    taken = {file, name, split, *(corners or ()), *(size or ()), *hot.values()}
    rest = {said.strip() or f"column {at + 1}": at for at, said in enumerate(columns) if at not in taken}
    return _Head(columns, delimiter, file, name, split, corners, size, hot, rest)


def _value(cell: str) -> Any:
    """Return a number, which filters need, if the cell is exactly one; else the text."""
    for kind in (int, float):
        try:
            value = kind(cell)
        except ValueError:
            continue
        if str(value) == cell and abs(value) < 1e15:  # 007 and nan are texts
            return value
    return cell


def _columns(classes: Sequence[str], form: str) -> list[str]:
    """Return the column names for writing."""
    if form == OBJECTS:
        return [FILES[0], SPLITS[0], CLASSES[0], *CORNERS[0]]
    if form == ONE_CLASS:
        return [FILES[0], SPLITS[0], CLASSES[0]]
    known = {*FILES, *SPLITS, *CLASSES}
    if taken := next((name for name in classes if name.strip().lower() in known), None):
        raise FormatError(f"the class {taken!r} is called like a column that csv has: export it in another format")
    return [FILES[0], SPLITS[0], *classes]


def _rows(item: Item, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Sequence[str]]:
    if form == OBJECTS:
        if item.label is None:
            return  # its folder tells its split
        for _ in ignored_of(item):
            losses.add("regions to ignore", item.key)
        rows = [[one["class"], *_corners(one["box"])] for one in boxed(item, losses)]
        yield from rows or [[""] * 5]
    elif form == ONE_CLASS:
        yield [item.label["class"] if item.label else ""]
    elif item.label is not None:
        named = set(item.label["classes"])
        yield [str(int(name in named)) for name in classes]


def _corners(box: Corners) -> list[str]:
    return [decimal(corner) for corner in box]
