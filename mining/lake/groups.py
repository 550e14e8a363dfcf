"""Groups: Parquet files of at most GROUP_ROWS frames in the order of their keys, which the platform writes from a
manifest. A page reads a group, a key is looked up in one, and a shard scores one.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

GROUP_ROWS = 65_536
DIGESTS = {"md5": 16, "sha256": 32}
FRAME = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("md5", pa.binary(DIGESTS["md5"]), nullable=False),
        pa.field("sha256", pa.binary(DIGESTS["sha256"]), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("pack", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("width", pa.int32(), nullable=False),
        pa.field("height", pa.int32(), nullable=False),
    ]
)
"""The columns of every group; those of metadata follow. `pack` is the sha256 in the key of the object that holds the
frame's bytes, at `offset`; `width` and `height` are those of the upright image."""
META_TYPES: Mapping[str, pa.DataType] = {
    "boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "text": pa.string(),
}  # fmt: skip
"""The types that a metadata column may have, by their words."""
_KEPT_WHOLE = ("key", "size", "offset", "width", "height")


class Found(NamedTuple):
    """One frame of a group: the place and size of its bytes, its width and height, and its metadata."""

    key: str
    md5: str
    sha256: str
    size: int
    pack: str
    offset: int
    width: int
    height: int
    meta: dict[str, Any]


def meta_columns(schema: pa.Schema) -> dict[str, str]:
    """Return the words for the types of a group's metadata columns, by name."""
    words = {of: word for word, of in META_TYPES.items()}
    return {field.name: words[field.type] for field in schema if field.name not in FRAME.names}


def frames_table(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """Build a group's table from columns of frames; columns that are not in FRAME are metadata, whose types are
    inferred."""
    arrays = [pa.array(columns[field.name], field.type) for field in FRAME]
    further = {name: pa.array(values) for name, values in columns.items() if name not in FRAME.names}
    schema = pa.schema([*FRAME, *(pa.field(name, array.type) for name, array in further.items())])
    return pa.Table.from_arrays([*arrays, *further.values()], schema=schema)


def write_group(table: pa.Table) -> bytes:
    """Return the file of a group; equal frames give equal bytes. Keys are delta-encoded; digests that repeat are stored
    once."""
    stream = io.BytesIO()
    repeated = [name for name in table.column_names if name not in _KEPT_WHOLE]
    pq.write_table(
        table,
        stream,
        compression="zstd",
        use_dictionary=repeated,
        column_encoding={"key": "DELTA_BYTE_ARRAY"},
        write_statistics=False,
        row_group_size=GROUP_ROWS,
        store_schema=True,
    )
    return stream.getvalue()


def read_group(data: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """Read the table of a group's file, or only these columns of it."""
    return pq.read_table(pa.BufferReader(data), columns=None if columns is None else list(columns), use_threads=False)


def place_of(keys: pa.ChunkedArray, key: str, *, behind: bool = False) -> int:
    """Return the first row whose key is not before `key` or, with `behind`, is after it. Keys ascend as UTF-8."""
    wanted, low, high = key.encode(), 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        at = keys[middle].as_py().encode()
        if at < wanted or (behind and at == wanted):
            low = middle + 1
        else:
            high = middle
    return low


def found(table: pa.Table, rows: Sequence[int] | NDArray[np.integer[Any]]) -> list[Found]:
    """Return these rows of a whole group as frames."""
    further = [name for name in table.column_names if name not in FRAME.names]
    return [
        Found(
            **{name: row[name] for name in ("key", "size", "pack", "offset", "width", "height")},
            md5=row["md5"].hex(),
            sha256=row["sha256"].hex(),
            meta={name: row[name] for name in further if row[name] is not None},
        )
        for row in table.take(pa.array(rows, pa.int64())).to_pylist()
    ]
