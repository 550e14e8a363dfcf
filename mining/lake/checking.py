"""Check an uploaded manifest from its first row to its last, and cut it into groups. One batch of rows is in memory at
a time."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lake.errors import LakeError
from lake.groups import DIGESTS, FRAME, GROUP_ROWS, META_TYPES, found, meta_columns, write_group
from lake.keys import key_fault
from worker_programs import files

MAX_ROWS = 10_000_000
MAX_FRAME_BYTES = 32 << 20
MAX_SIDE = 100_000
MAX_META, MAX_TEXT = 32, 200
MAX_PACKS = 100_000
META_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HEX = {"md5": 32, "sha256": 64, "pack": 64}
_BOUNDS = {
    "size": (1, MAX_FRAME_BYTES), "offset": (0, 2**40), "width": (1, MAX_SIDE), "height": (1, MAX_SIDE),
}  # fmt: skip
_KINDS: tuple[tuple[str, Callable[[pa.DataType], bool]], ...] = (
    ("boolean", pa.types.is_boolean),
    ("integer", pa.types.is_integer),
    ("number", pa.types.is_floating),
    ("text", lambda of: pa.types.is_string(of) or pa.types.is_large_string(of)),
)


@dataclass(frozen=True, slots=True)
class Group:
    """A group that was written to a file."""

    file: str
    first: str
    last: str
    rows: int


@dataclass(frozen=True, slots=True)
class Extent:
    """The byte where the frames of a pack end, with the row and the key of the last frame."""

    end: int
    row: int
    key: str


@dataclass(slots=True)
class Checked:
    """The contents of a checked manifest."""

    rows: int = 0
    bytes: int = 0
    groups: list[Group] = field(default_factory=list)
    packs: dict[str, Extent] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    looked_at: list[dict[str, Any]] = field(default_factory=list)


def check(
    manifest: Path, out: Path, *, sample: int = 0, watch: Callable[[int, int], None] = lambda *_: None
) -> Checked:
    """Check every row of a Parquet file and write its groups into the folder `out`. `sample` evenly spread frames are
    returned whole (`looked_at`). `watch` is called with the rows done and their total. Raises LakeError, before which
    groups may have been written.
    """
    with _reading():
        file = pq.ParquetFile(manifest)
    with file:
        return _checked(file, out, sample, watch)


@contextmanager
def _reading() -> Iterator[None]:
    """Turn errors of reading the manifest into LakeError: for bytes that it can't unpack, pyarrow raises OSError, as a
    disk would."""
    try:
        yield
    except (pa.ArrowException, OSError) as fault:
        raise LakeError(f"the manifest can't be read as Parquet: {str(fault)[:300]}") from fault


def _batches(file: pq.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    batches = file.iter_batches(batch_size=GROUP_ROWS, columns=names, use_threads=False)
    while True:
        with _reading():
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _checked(file: pq.ParquetFile, out: Path, sample: int, watch: Callable[[int, int], None]) -> Checked:
    total = file.metadata.num_rows
    if not 0 < total <= MAX_ROWS:
        raise LakeError(f"the manifest has {total:,} rows: send 1 to {MAX_ROWS:,} at a time")
    schema = _schema(file.schema_arrow)
    made, last = Checked(), ""
    step = max(1, total // sample) if sample else total + 1
    for number, table in enumerate(_groups(file, schema)):
        last = _look(table, made, last)
        name = f"{number:04}.parquet"
        files.write_bytes(out / name, write_group(table))
        keys = table["key"]
        made.groups.append(Group(name, keys[0].as_py(), keys[-1].as_py(), table.num_rows))
        chosen = np.arange(-made.rows % step, table.num_rows, step) if sample else np.empty(0, np.int64)
        made.looked_at += [one._asdict() for one in found(table, chosen)]
        made.rows += table.num_rows
        made.bytes += pc.sum(table["size"]).as_py()
        watch(made.rows, total)
    made.columns = meta_columns(schema)
    return made


def _schema(given: pa.Schema) -> pa.Schema:
    """Return the schema of the groups. Raises LakeError for a column that is absent or of another type."""
    for name in FRAME.names:
        if name not in given.names:
            raise LakeError(f"column {name}: is absent; a manifest has {', '.join(FRAME.names)}, and metadata of yours")
        of = _plain(given.field(name).type)
        wanted = "text" if name == "key" or name in _HEX else "integer"
        if not dict(_KINDS)[wanted](of):
            raise LakeError(f"column {name}: is {of}; make it {'string' if wanted == 'text' else 'int64'}")
    further = [one for one in given if one.name not in FRAME.names]
    if len(further) > MAX_META or len(set(given.names)) < len(given.names):
        raise LakeError(f"columns: at most {MAX_META} of metadata are kept, each under a name of its own")
    return pa.schema([*FRAME, *map(_meta_field, further)])


def _meta_field(given: pa.Field) -> pa.Field:
    if not META_NAME.fullmatch(given.name):
        words = "name it by up to 40 lower-case letters, digits and underscores, a letter first"
        raise LakeError(f"column {given.name!r}: {words}")
    for word, fits in _KINDS:
        if fits(_plain(given.type)):
            return pa.field(given.name, META_TYPES[word])
    words = f"metadata is {', '.join(META_TYPES)}: cast it or leave it out"
    raise LakeError(f"column {given.name}: is {given.type}; {words}")


def _plain(of: pa.DataType) -> pa.DataType:
    return of.value_type if pa.types.is_dictionary(of) else of


def _groups(file: pq.ParquetFile, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield tables of GROUP_ROWS rows, the last one with the rest, in the types of groups."""
    types = {one.name: pa.string() if one.name in _HEX else one.type for one in schema}
    waiting: list[pa.RecordBatch] = []
    held = row = 0
    for batch in _batches(file, schema.names):
        plain = pa.RecordBatch.from_arrays(
            [_cast(batch, name, of, row) for name, of in types.items()], names=list(types)
        )
        row += batch.num_rows
        while held + plain.num_rows >= GROUP_ROWS:
            cut = GROUP_ROWS - held
            yield _packed(pa.Table.from_batches([*waiting, plain.slice(0, cut)]), schema, row - plain.num_rows - held)
            waiting, held, plain = [], 0, plain.slice(cut)
        if plain.num_rows:
            waiting.append(plain)
            held += plain.num_rows
    if waiting:
        yield _packed(pa.Table.from_batches(waiting), schema, row - held)


def _cast(batch: pa.RecordBatch, name: str, of: pa.DataType, before: int) -> pa.Array:
    given = batch.column(name)
    if name in FRAME.names and given.null_count:
        at = pc.index(pc.is_null(given), value=True).as_py()
        raise LakeError(f"column {name}, row {before + at}: is null; every frame has one")
    try:
        given.validate(full=True)  # text that is no UTF-8
        if pa.types.is_float32(_plain(given.type)):  # a float32 of 0.1 would become 0.10000000149
            given = pc.cast(pc.cast(given, pa.float32()), pa.string())
        return pc.cast(given, of)
    except pa.ArrowInvalid as fault:
        raise LakeError(f"column {name}, rows from {before} on: {fault}") from fault


def _packed(table: pa.Table, schema: pa.Schema, before: int) -> pa.Table:
    """Convert a table to the types of groups: digests as bytes, packs as a dictionary. Raises LakeError for malformed
    digests."""
    columns = []
    for one in schema:
        values = table[one.name].combine_chunks()
        if one.name in _HEX:
            length = _HEX[one.name]
            wrong = pc.invert(pc.match_substring_regex(values, rf"\A[0-9a-f]{{{length}}}\z"))
            _refuse_first(wrong, table, one.name, before, f"must be {length} lower-case hexadecimal digits")
        if one.name in DIGESTS:
            digits = pc.binary_join_element_wise(values, "")
            raw = bytes.fromhex(digits.buffers()[2].to_pybytes()[: table.num_rows * _HEX[one.name]].decode())
            values = pa.FixedSizeBinaryArray.from_buffers(one.type, table.num_rows, [None, pa.py_buffer(raw)])
        columns.append(pc.dictionary_encode(values) if one.name == "pack" else values)
    return pa.Table.from_arrays(columns, schema=schema)


def _look(table: pa.Table, made: Checked, last: str) -> str:
    """Check the values of a group's rows, which must come after the key `last`; return the group's own last key."""
    before, keys = made.rows, table["key"].combine_chunks()
    if (fault := key_fault(keys)) is not None:
        raise LakeError(f"column key, row {before + fault[0]}: {fault[1]}")
    earlier = pa.concat_arrays([pa.array([last], pa.string()), keys.slice(0, len(keys) - 1)])
    same = pc.equal(keys, earlier)
    _refuse_first(same, table, "key", before, "is there twice: a key names one frame")
    unsorted = pc.less(pc.cast(keys, pa.binary()), pc.cast(earlier, pa.binary()))
    _refuse_first(unsorted, table, "key", before, "comes before the row above it: sort by key (as bytes of UTF-8)")
    for name, (low, high) in _BOUNDS.items():
        values = table[name]
        out = pc.or_(pc.less(values, low), pc.greater(values, high)).combine_chunks()
        _refuse_first(out, table, name, before, f"must be {low:,} to {high:,}")
    for name in table.column_names[len(FRAME.names) :]:
        _look_at_meta(table, name, before)
    _note_packs(table, made)
    last_key: str = keys[-1].as_py()
    return last_key


def _look_at_meta(table: pa.Table, name: str, before: int) -> None:
    values = table[name]
    if pa.types.is_string(values.type):
        long = pc.greater(pc.utf8_length(values), MAX_TEXT).combine_chunks()
        _refuse_first(long, table, name, before, f"has more than {MAX_TEXT} characters: metadata is short")
    if pa.types.is_floating(values.type):
        _refuse_first(pc.invert(pc.is_finite(values)).combine_chunks(), table, name, before, "must be finite, or null")


def _refuse_first(wrong: Any, table: pa.Table, name: str, before: int, words: str) -> None:
    if (at := pc.index(wrong, value=True).as_py()) >= 0:
        shown = str(table[name][at].as_py())[:80]
        raise LakeError(f"column {name}, row {before + at}: {shown!r} {words}")


def _note_packs(table: pa.Table, made: Checked) -> None:
    packs = table["pack"].combine_chunks()
    ends = pc.add(table["size"], table["offset"]).to_numpy()
    indices = packs.indices.to_numpy()
    order = np.lexsort((ends, indices))
    farthest = order[np.flatnonzero(np.append(np.diff(indices[order]) > 0, True))]
    keys = table["key"]
    for at in farthest.tolist():
        name, end = packs.dictionary[int(indices[at])].as_py(), int(ends[at])
        if name not in made.packs or end > made.packs[name].end:
            made.packs[name] = Extent(end, made.rows + at, keys[at].as_py())
    if len(made.packs) > MAX_PACKS:
        raise LakeError(f"column pack: names more than {MAX_PACKS:,} packs: send the manifest in parts")


def checked_document(made: Checked) -> Mapping[str, Any]:
    """Return the contents as JSON, for the caller of the program."""
    return {
        "rows": made.rows,
        "bytes": made.bytes,
        "groups": [_fields(one) for one in made.groups],
        "packs": {name: _fields(one) for name, one in made.packs.items()},
        "columns": made.columns,
        "looked_at": made.looked_at,
    }


def _fields(one: Group | Extent) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}
