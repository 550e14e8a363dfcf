"""The columns that tell copies: one number for each content, and the likeness that intake has computed."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from acquisition.columns import PoolFolder
from blobs.likeness import SKETCH_BYTES, sketches
from blobs.services import chunks
from catalog.models import RevisionQuerySet
from scoring.table import Digests

AT_ONCE = 10_000


def write_copies(
    folder: PoolFolder, rows: RevisionQuerySet, ids: NDArray[np.int64], md5: Digests, *, near: bool
) -> None:
    """Write the columns `copies` and, where `near` copies count, `hashes` and `sketches` of the samples `ids`, which
    are among `rows` and sorted."""
    folder.write("copies", np.unique(md5, return_inverse=True)[1].reshape(-1))
    if not near or not len(ids):
        return
    found = np.zeros(len(ids), np.int64)
    folder.write_blocks("sketches", len(ids), _likeness(rows, ids, found))
    folder.write("hashes", found)


def _likeness(rows: RevisionQuerySet, ids: NDArray[np.int64], found: NDArray[np.int64]) -> Iterator[NDArray[np.uint8]]:
    """Yield the sketches (n, 256) block by block, zeros for an image without likeness; fill in the hashes."""
    nothing, at = bytes(SKETCH_BYTES), 0
    facts = rows.order_by("sample_id").values_list("sample_id", "blob__phash", "blob__sketch")
    for block in chunks(facts.iterator(chunk_size=AT_ONCE), AT_ONCE):
        wanted = np.isin(np.array([row[0] for row in block], np.int64), ids, assume_unique=True)
        kept = [row for row, yes in zip(block, wanted.tolist(), strict=True) if yes]
        found[at : at + len(kept)] = [row[1] or 0 for row in kept]
        at += len(kept)
        yield sketches([bytes(row[2]) if row[2] is not None else nothing for row in kept])
