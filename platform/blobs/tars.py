"""Tar and tar.gz members for `blobs.archives`."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from blobs.members import Limits, Member, Meter, Names, Readable, Rejection, bomb, damaged, read_member

_HEADER_BYTES = 1 << 20  # long names and pax records between two members; tarfile itself has no bound
_BLOCKS = 128 * tarfile.BLOCKSIZE  # how much tarfile reads at a time
_BROKEN = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, OverflowError)


def members(file: BinaryIO, limits: Limits, *, gzipped: bool) -> Iterator[Member | Rejection]:
    """See `blobs.archives.iter_members`."""
    names = Names()
    source = _Source(file, limits, gzipped=gzipped)
    try:
        with tarfile.open(fileobj=source, mode="r|", bufsize=_BLOCKS) as archive:
            while (info := _next(archive, source)) is not None:
                source.meter.member()
                if (outcome := _member(archive, info, names, limits, source)) is not None:
                    yield outcome
                archive.members.clear()  # type: ignore[attr-defined]  # else tarfile keeps all; stubs lack it
            source.finish(archive.offset)
    except _BROKEN as error:
        raise damaged(error) from error


def _next(archive: tarfile.TarFile, source: "_Source") -> tarfile.TarInfo | None:
    """The next header, which may first pass over what is left of the last member."""
    source.allow(max(0, archive.offset - source.meter.unpacked) + _HEADER_BYTES)
    return archive.next()


def _member(
    archive: tarfile.TarFile, info: tarfile.TarInfo, names: Names, limits: Limits, source: "_Source"
) -> Member | Rejection | None:
    if info.isdir():
        return None
    name = names.check(info.name)
    if not isinstance(name, str):
        return name
    if not info.isreg() or info.issparse():
        return Rejection(name, "not_a_regular_file", "links, devices and sparse files are not taken")
    stream = archive.extractfile(info)
    if stream is None:
        return Rejection(name, "not_a_regular_file", "it has no bytes of its own")
    source.allow(None)
    return read_member(stream, name, limits)


class _Source(io.RawIOBase):
    """The unpacked stream, counted: in all against the limits, and between members against `allow`."""

    def __init__(self, file: BinaryIO, limits: Limits, *, gzipped: bool) -> None:
        self._file = file
        self._stream: Readable = gzip.GzipFile(fileobj=file, mode="rb") if gzipped else file
        self.meter = Meter(limits)
        self._allowed: int | None = _HEADER_BYTES
        self._recent = (b"", b"")

    def allow(self, count: int | None) -> None:
        """Read at most `count` more bytes until the next call; None for no bound of its own."""
        self._allowed = count

    def finish(self, offset: int) -> None:
        """tarfile stopped at `offset`, and would at a damaged header too: only a block of zeros is the end. Reading on
        to the end of the file checks gzip's sum. Raises ArchiveRefused."""
        recent = b"".join(self._recent)
        start = offset - (self.meter.unpacked - len(recent))
        if recent[start : start + tarfile.BLOCKSIZE] != bytes(tarfile.BLOCKSIZE):
            raise damaged("it ends early")
        self.allow(_HEADER_BYTES)
        while self.read(_BLOCKS):
            pass

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        if data:
            self._recent = (self._recent[1], data)
        self.meter.add(len(data), self._file.tell())
        if self._allowed is not None:
            self._allowed -= len(data)
            if self._allowed < 0:
                raise bomb("a header is too long")
        return data
