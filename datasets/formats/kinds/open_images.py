"""Open Images: `*-annotations-bbox.csv`, a line for each box, corners relative to the image; classes by codes.

`class-descriptions*.csv` names the codes; when writing, a class is its own code, since most readers show codes. An
image without a line has no label: this format can't say that an image has no objects. `IsGroupOf` boxes, which stand
for many objects at once, are regions to ignore.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from formats.batch import Batch, Reading
from formats.boxes import Corners, Objects, boxed, decimal, ignored_of
from formats.documents import iter_csv, read_number, write_csv
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import OBJECTS, Annotated, Entry, Item, Size
from formats.spool import Spool
from formats.units import check_shares

FLAGS = {"IsOccluded": "occluded", "IsTruncated": "truncated", "IsDepiction": "depiction", "IsInside": "inside"}
SIDES = ("XMin", "XMax", "YMin", "YMax")
COLUMNS = ("ImageID", "Source", "LabelName", "Confidence", *SIDES, "IsOccluded", "IsTruncated", "IsGroupOf",
           "IsDepiction", "IsInside")  # fmt: skip
NEEDED = {"ImageID", "LabelName", *SIDES}
DESCRIPTIONS = "class-descriptions"
NAMES = "annotations/class-descriptions.csv"
HELD = frozenset({"attributes"})
SPLITS = {"val": "validation"}
Row = Mapping[str, str]


@register("open_images")
class OpenImages:
    """Boxes of Open Images; its masks, relations and labels of whole images are skipped."""

    title = "Open Images CSV"
    forms = frozenset({OBJECTS})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a CSV file with Open Images' columns."""
        for path in batch.paths(".csv"):
            head = batch.documents[path][:1024].partition(b"\n")[0].decode("utf-8-sig", "replace")
            if set(head.strip().split(",")) >= NEEDED:
                return f"{path} has Open Images' columns"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every table of boxes; a line that can't be read affects only its own image."""
        reading, names = Reading(), dict[str, str]()
        for path in batch.paths(".csv"):
            if PurePosixPath(path).name.startswith(DESCRIPTIONS):
                with reading.part(path):
                    names |= {row[0]: row[1] for _, row in iter_csv(path, batch.documents[path]) if len(row) > 1}
        if reading.faults:
            return reading  # without the names of the classes, codes mean nothing
        for path in batch.paths(".csv"):
            with reading.part(path):
                table = iter_csv(path, batch.documents[path])
                _, head = next(table, (1, []))
                if set(head) >= NEEDED:
                    _Table(path, head, names, batch, reading).read(table)
                elif not PurePosixPath(path).name.startswith(DESCRIPTIONS):
                    reading.used.discard(path)
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `images/<split>/<name>`, a table for each split, and the names of the classes."""
        del form  # it holds just one form
        paths, tables = Paths(by_stem=True), dict[str, Spool]()
        for item in items:
            split = SPLITS.get(item.split, item.split)
            path = paths.place(item, "images", split, losses=losses, flat=True)
            yield Entry(path, image=item)
            for name in sorted(item.meta):
                losses.add(f"metadata {name!r}", item.key)
            if item.label is not None:
                rows = _rows(item, PurePosixPath(path).stem, classes, losses)
                if rows:
                    tables.setdefault(split, Spool(b"")).add(rows.encode())
        for split, table in tables.items():
            yield Entry(f"annotations/{split}-annotations-bbox.csv", chunks=_with_head(table))
        yield Entry(NAMES, chunks=[write_csv((name, name) for name in classes).encode()])


class _Table:
    """Reads one table of boxes."""

    def __init__(
        self, path: str, head: Sequence[str], names: Mapping[str, str], batch: Batch, reading: Reading
    ) -> None:
        self.path, self.head, self.names, self.batch, self.reading = path, list(head), names, batch, reading
        self._broken: set[str] = set()

    def read(self, table: Iterable[tuple[int, list[str]]]) -> None:
        objects: dict[str, Objects] = {}
        keys: dict[str, str | None] = {}
        split = self.batch.split_of(self.path)
        for number, row in table:
            with self.reading.part(self.path):
                if len(row) != len(self.head):
                    words = f"{len(row)} values instead of {len(self.head)}"
                    raise FormatError(words, path=self.path, line=number)
                fields = dict(zip(self.head, row, strict=True))
                name = fields["ImageID"]
                if name not in keys:
                    keys[name] = self.batch.index.of_label_file(f"{name}.txt", split=split)
                    if keys[name] is None:
                        self.reading.missing(name)
                key = keys[name]
                if key is not None:
                    try:
                        self._row(fields, objects, key, number)
                    except FormatError:
                        self._broken.add(key)
                        raise
        for key, found in objects.items():
            with self.reading.part(self.path):
                label = None if key in self._broken else found.label()
                self.reading.add(key, Annotated(label), path=self.path)

    def _row(self, fields: Row, objects: dict[str, Objects], key: str, number: int) -> None:
        size = self.batch.known[key]
        if size is None:
            raise FormatError(f"the size of {key!r} is not known, and boxes are relative to it", path=self.path)
        found = objects.setdefault(key, Objects(size, notes=self.reading.notes, where=key, pixels=False))
        name = self.names.get(fields["LabelName"], fields["LabelName"])
        flags = {ours: True for theirs, ours in FLAGS.items() if fields.get(theirs) == "1"}
        corners = _corners(fields, size, f"{self.path}, line {number}")
        if fields.get("IsGroupOf") == "1":
            self.reading.notes.add("boxes around groups are kept as regions to ignore", key)
            found.ignore(corners, name=name, attributes=flags)
        else:
            found.add(name, corners, attributes=flags)


def _corners(fields: Row, size: Size, where: str) -> Corners:
    x1, x2, y1, y2 = (read_number(fields[side], f"{where}, {side}") for side in SIDES)
    check_shares((x1, x2, y1, y2), where)
    width, height = size
    return x1 * width, y1 * height, x2 * width, y2 * height


def _rows(item: Item, name: str, classes: Sequence[str], losses: Notes) -> str:
    if item.size is None:
        raise FormatError(f"the size of {item.key!r} is not known, and Open Images' boxes are relative to it")
    groups = [one for one in ignored_of(item) if one.get("class") in classes]
    if len(groups) < len(ignored_of(item)):
        losses.add("regions to ignore of no class", item.key)
    rows: list[Sequence[str]] = []
    for one, group in [*((one, "0") for one in boxed(item, losses, held=HELD)), *((one, "1") for one in groups)]:
        facts = {"ImageID": name, "Source": "xclick", "LabelName": one["class"], "IsGroupOf": group}
        rows.append(_row(one, facts, item.size, losses, item.key))
    if not rows:
        losses.add("images without objects, which this format can't tell from unlabelled ones", item.key)
    return write_csv(rows)


def _row(one: Mapping[str, Any], facts: Row, size: Size, losses: Notes, key: str) -> Sequence[str]:
    (x1, y1, x2, y2), (width, height) = one["box"], size
    given = dict(one.get("attributes", {}))
    flags = {theirs: str(int(given.get(ours) is True)) for theirs, ours in FLAGS.items()}
    given = {name: value for name, value in given.items() if name not in FLAGS.values() or not isinstance(value, bool)}
    for lost in sorted(given):
        losses.add(f"the attribute {lost!r}", key)
    sides = (x1 / width, x2 / width, y1 / height, y2 / height)
    told = {**facts, **flags, **dict(zip(SIDES, map(decimal, sides), strict=True)), "Confidence": "1"}
    return [told[column] for column in COLUMNS]


def _with_head(table: Spool) -> Iterator[bytes]:
    yield (",".join(COLUMNS) + "\n").encode()
    yield from table.chunks()
