"""Frames by the hundred million over a hundred thousand real images: virtual keys, everything else repeats. Made as
columns: no frame is ever a Python object.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from blobs.keys import pack_sha256
from blobs.refs import BlobRef

DRIVE = 100_000
"""Frames with one prefix: that many images are different, so each group of frames has digests of its own."""
CHUNK = 1_000_000
AT_ONCE = 10_000_000
"""Rows of a manifest."""
DICTIONARY_BYTES = 16 << 20
"""So that digests that repeat lie in a manifest once for each million of frames."""
SIDE = 28


def key_of(number: int) -> str:
    """Of the n-th frame."""
    return f"drive-{number // DRIVE:04}/{number:09}.png"


def manifests(folder: Path, count: int, refs: list[BlobRef]) -> Iterator[tuple[Path, int]]:
    """Manifests of `count` frames in all, one after another, each with how many it has; each is to be removed."""
    fixed = _columns(refs)
    for first in range(0, count, AT_ONCE):
        rows = min(AT_ONCE, count - first)
        path = folder / f"manifest-{first}.parquet"
        writer = None
        for at in range(first, first + rows, CHUNK):
            part = min(CHUNK, first + rows - at)
            table = fixed.slice(0, part).add_column(0, "key", _keys(at, part))
            writer = writer or pq.ParquetWriter(path, table.schema, dictionary_pagesize_limit=DICTIONARY_BYTES)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        yield path, rows


def _columns(refs: list[BlobRef]) -> pa.Table:
    """All but the keys, of as many rows as are written at once."""
    places = pa.array(np.arange(CHUNK) % len(refs), pa.int32())
    columns = {
        "md5": pa.array([ref.md5 for ref in refs]),
        "sha256": pa.array([ref.sha256 for ref in refs]),
        "size": pa.array([ref.size for ref in refs], pa.int64()),
        "pack": pa.array([pack_sha256(ref.key) for ref in refs]),
        "offset": pa.array([ref.offset for ref in refs], pa.int64()),
    }
    table = pa.table(
        {
            name: pa.DictionaryArray.from_arrays(places, values)
            if pa.types.is_string(values.type)
            else values.take(places)
            for name, values in columns.items()
        }
    )
    sides = pa.array(np.full(CHUNK, SIDE, np.int64))
    speed = pa.array(np.random.default_rng(0).integers(0, 130, CHUNK))
    return table.append_column("width", sides).append_column("height", sides).append_column("speed", speed)


def _keys(first: int, count: int) -> pa.Array:
    numbers = np.arange(first, first + count)

    def digits(values: np.ndarray, width: int) -> pa.Array:
        return pc.utf8_lpad(pc.cast(pa.array(values), pa.string()), width, "0")

    return pc.binary_join_element_wise("drive-", digits(numbers // DRIVE, 4), "/", digits(numbers, 9), ".png", "")
