"""JSONL: one object per line, `{"key": .., "label"?: {..}, "split"?: .., "meta"?: {..}}`. It holds all there is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from formats.batch import Batch, Reading
from formats.documents import as_meta, as_object, as_text, parse_json
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import RENAMED, Paths
from formats.registry import register
from formats.samples import MANY_CLASSES, OBJECTS, ONE_CLASS, Annotated, Entry, Item
from formats.spool import Spool
from formats.units import UnitGuard
from worker_programs.json_text import write_json

SUFFIXES = (".jsonl", ".ndjson")
FILE = "annotations.jsonl"
MAX_LINE_BYTES = 16 << 20


@register("jsonl")
class JsonLines:
    """Motherlode's own plain format. Its keys may also refer to samples that were sent before."""

    title = "JSON lines: all that is known"
    forms = frozenset({ONE_CLASS, OBJECTS, MANY_CLASSES})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a file whose first line is an object with a key."""
        for path in batch.paths(*SUFFIXES, ".json", untyped=True):
            if _has_keys(batch.documents[path]):
                return f"{path} holds JSON lines with a key each"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every file of lines. Keys are exact, or fit an image in the batch."""
        reading = Reading(places_earlier=False)
        paths = list(batch.paths(*SUFFIXES))
        paths = paths or [path for path in batch.documents if _has_keys(batch.documents[path])]
        if not paths and len(batch.documents) != 1:
            raise FormatError("jsonl needs one annotation file with an object on each line")
        for path in paths or batch.documents:
            reading.used.add(path)
            for number, line in enumerate(batch.documents[path].splitlines(), start=1):
                if line.strip():
                    with reading.part(path):
                        key, annotated = _line(line, f"{path}, line {number}")
                        # Only images in this batch: samples sent before have exactly this key, or are unknown.
                        found = batch.index.named(key) if batch.images else None
                        _check_units(annotated.label, batch, found or key)
                        reading.add(found or key, annotated, path=f"{path}, line {number}")
        if batch.images and not reading.faults and not batch.images.keys() & reading.samples.keys():
            raise FormatError(f"no key matches an image; the first is {next(iter(reading.samples), None)!r}")
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write the images under their keys, and one file of lines."""
        del classes, form  # each line says it
        paths, lines = Paths(FILE), Spool(b"\n")
        for item in items:
            path = paths.give(item.key)
            if path != item.key:
                losses.add(RENAMED, item.key)
            row: dict[str, Any] = {"key": path, "split": item.split}
            row |= {"label": item.label} if item.label is not None else {}
            lines.add(write_json(row | ({"meta": item.meta} if item.meta else {})))
            yield Entry(path, image=item)
        yield Entry(FILE, chunks=lines.chunks())


def _has_keys(data: bytes) -> bool:
    line = data[:MAX_LINE_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{") or b'"key"' not in line:
        return False
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return True  # so that a broken first line is refused as JSONL
    return isinstance(row, dict) and "key" in row


def _line(line: bytes, where: str) -> tuple[str, Annotated]:
    row = as_object(parse_json(where, line), where)
    key = as_text(row.get("key"), f"{where}, `key`")
    if not key.isprintable():
        raise FormatError(f"{where}, `key`: must not hold control characters")
    split, label, meta = row.get("split"), row.get("label"), row.get("meta")
    return key, Annotated(
        label=as_object(label, f"{where}, `label`") if label is not None else None,
        split=as_text(split, f"{where}, `split`") if split is not None else None,
        meta=as_meta(meta, f"{where}, `meta`") if meta is not None else {},
    )


def _check_units(label: Mapping[str, Any] | None, batch: Batch, key: str) -> None:
    """Raise FormatError if a label's objects are shares where pixels belong. What is not a label is refused later."""
    guard = UnitGuard()
    for kind, name in (("boxes", "box"), ("polygons", "points")):
        objects = (label or {}).get(kind)
        for one in objects if isinstance(objects, list) else ():
            numbers = one.get(name) if isinstance(one, Mapping) else None
            points = [numbers[:2], numbers[2:]] if name == "box" and isinstance(numbers, list) else numbers
            if isinstance(points, list) and all(map(_is_point, points)):
                guard.see(points)
    if guard.suspicious:  # only then are the sizes of samples sent before needed
        guard.check(batch.known.get(key), key)


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(number) in {int, float} for number in value)
