"""Score files on disk, mapped as columns that are read on access."""

import mmap
import struct
import tempfile
import zipfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from scoring.table import Scores

LOCAL_HEADER = struct.Struct("<26xHH")
"""The header of a zip member up to the lengths of its name and of its extra field."""
Place = tuple[np.dtype[Any], tuple[int, ...], int]


def mapped(files: Iterable[Iterable[bytes]]) -> list[Scores]:
    """Return score files, whose bytes come in chunks, as views of one temporary file that is deleted with the last of
    them.

    Memory holds one chunk at a time, and later the parts that are read, as long as the machine has room. Raises
    ValueError or KeyError for a file that is no score file.
    """
    with tempfile.TemporaryFile(prefix="motherlode-scores-") as spool:
        found = [_kept(spool, chunks) for chunks in files]
        if not found:
            return []
        spool.flush()
        whole = mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ)
    return [Scores.from_columns({name: _view(whole, place) for name, place in places.items()}) for places in found]


def _kept(spool: IO[bytes], chunks: Iterable[bytes]) -> dict[str, Place]:
    """Append a file to the spool and return where its columns lie in it."""
    spool.seek(0, 2)
    for chunk in chunks:
        spool.write(chunk)
    try:
        with zipfile.ZipFile(spool) as archive:  # a zip is read from its end: what comes before it does not matter
            members = archive.infolist()
    except zipfile.BadZipFile as fault:
        raise ValueError(f"this is not a score file: {fault}") from fault
    return {member.filename.removesuffix(".npy"): _place(spool, member) for member in members}


def _place(spool: IO[bytes], member: zipfile.ZipInfo) -> Place:
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"the column {member.filename} is compressed: it cannot be mapped")
    spool.seek(member.header_offset)
    name, extra = LOCAL_HEADER.unpack(spool.read(LOCAL_HEADER.size))
    spool.seek(member.header_offset + LOCAL_HEADER.size + name + extra)
    version = np.lib.format.read_magic(spool)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(spool)
    if fortran or dtype.hasobject:
        raise ValueError(f"the column {member.filename} is none of a score file's")
    return dtype, shape, spool.tell()


def _view(whole: mmap.mmap, place: Place) -> NDArray[Any]:
    dtype, shape, offset = place
    count = int(np.prod(shape))
    flat: NDArray[Any] = np.frombuffer(whole, dtype, count, offset) if count else np.empty(0, dtype)
    return flat.reshape(shape)
