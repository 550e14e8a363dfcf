"""DVC's directory object: the list of a directory's files, written and read as a stream of entries.

The bytes must be exactly those that DVC itself writes, or `dvc status` always reports the directory as modified: a JSON
list of exactly `{"md5", "relpath"}`, sorted by relpath as strings (code points), with `json.dumps`' separators and
escapes. The object's name is the md5 of these bytes and `.dir`.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import BinaryIO, NamedTuple

from versioning.errors import ListingMalformed, PathClash
from worker_programs.json_text import read_json

CHUNK_BYTES = 1 << 18
MAX_LISTING_VALUES = 40_000_000  # two values for each file
_MD5 = re.compile(r"[0-9a-f]{32}")


class Entry(NamedTuple):
    """One file of a directory: its path inside the directory, its md5, and its size in bytes."""

    relpath: str
    md5: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """A written listing: its name (`md5`, without `.dir`), its length in bytes, and the number and total size of its
    files."""

    md5: str
    length: int
    nfiles: int
    size: int


def write_listing(entries: Iterable[Entry], file: BinaryIO) -> Listing:
    """Write the directory object of `entries`, which must be sorted by relpath; memory holds one chunk.

    Raises ValueError for entries out of order or named twice, PathClash for a file that is a folder as well.
    """
    digest = hashlib.md5(usedforsecurity=False)
    length = nfiles = size = 0
    buffer = bytearray(b"[")
    for entry in _checked(entries):
        buffer += b", " if nfiles else b""
        buffer += entry_bytes(entry)
        nfiles += 1
        size += entry.size
        if len(buffer) >= CHUNK_BYTES:
            length += _flush(buffer, file, digest)
    buffer += b"]"
    length += _flush(buffer, file, digest)
    return Listing(digest.hexdigest(), length, nfiles, size)


def entry_bytes(entry: Entry) -> bytes:
    """Return an entry as it is in a listing."""
    return f'{{"md5": "{entry.md5}", "relpath": {encode_basestring_ascii(entry.relpath)}}}'.encode("ascii")


def read_listing(data: bytes) -> list[Entry]:
    """Return the entries of a directory object, sorted by relpath. Sizes are 0, because it has none. Raises
    ListingMalformed."""
    try:
        rows = read_json(data, values=MAX_LISTING_VALUES)
    except ValueError as error:
        raise ListingMalformed(f"not JSON: {error}") from error
    if not isinstance(rows, list):
        raise ListingMalformed("not a list of files")
    return sorted(_entry(row, number) for number, row in enumerate(rows))


def _entry(row: object, number: int) -> Entry:
    if not isinstance(row, dict) or not row.keys() >= {"md5", "relpath"}:
        raise ListingMalformed(f"entry {number} has no `md5` and `relpath`")
    md5, relpath = row["md5"], row["relpath"]
    if not isinstance(md5, str) or not _MD5.fullmatch(md5) or not isinstance(relpath, str):
        raise ListingMalformed(f"entry {number}: `md5` must be 32 lower-case hexadecimal digits, `relpath` a text")
    return Entry(relpath, md5)


def _flush(buffer: bytearray, file: BinaryIO, digest: "hashlib._Hash") -> int:
    """Write the buffer to the file and the digest, and empty it; returns how many bytes it had."""
    digest.update(buffer)
    file.write(buffer)
    length = len(buffer)
    buffer.clear()
    return length


def _checked(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries unchanged; raises ValueError if they are out of order or repeated, PathClash if they clash.

    In string order, the paths that begin with a path directly follow it, so the prefixes of the current path form a
    stack.
    """
    stack: list[str] = []
    for entry in entries:
        path = entry.relpath
        while stack and not path.startswith(stack[-1]):
            if path < stack.pop():
                raise ValueError(f"{path!r} comes out of order")
        if stack and stack[-1] == path:
            raise ValueError(f"{path!r} comes twice")
        for above in stack:
            if path[len(above)] == "/":
                raise PathClash(above, path)
        stack.append(path)
        yield entry
