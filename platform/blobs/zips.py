"""Zip members for `blobs.archives`."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from blobs.members import Limits, Member, Meter, Names, Readable, Rejection, bomb, damaged, misnamed, read_member
from worker_programs.archive_names import NamesNotUtf8Error, zip_names

_ENCRYPTED = 0x1
_DIRECTORY_ENTRY = b"PK\x01\x02"
_ENTRY_BYTES = 46 + 1024  # an entry of the central directory with a long name
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


def members(file: BinaryIO, limits: Limits, *, names_encoding: str | None = None) -> Iterator[Member | Rejection]:
    """See `blobs.archives.iter_members`."""
    packed = file.seek(0, io.SEEK_END)
    names, meter = Names(), Meter(limits)
    with _opened(file, limits) as archive:
        for info, text in zip(archive.infolist(), _texts(archive, names_encoding), strict=True):
            meter.member()
            if text.endswith("/"):
                continue
            name = names.check(text)
            if isinstance(name, str):
                yield _rejected(info, name) or _read(archive, info, name, meter, packed, limits)
            elif name is not None:
                yield name


def _texts(archive: zipfile.ZipFile, encoding: str | None) -> Iterator[str]:
    try:
        return zip_names(archive.infolist(), encoding=encoding)
    except NamesNotUtf8Error as error:
        raise misnamed(error) from error


def _opened(file: BinaryIO, limits: Limits) -> zipfile.ZipFile:
    """Open the archive. This reads its whole central directory, which is checked before zipfile makes objects of its
    entries."""
    guard = _Guard(file, limits)
    try:
        archive = zipfile.ZipFile(guard)
    except UnicodeDecodeError as error:
        raise misnamed("a name is marked as UTF-8 and is not; pack it again") from error
    except _BROKEN as error:
        raise damaged(error) from error
    guard.opening = False
    return archive


def _rejected(info: zipfile.ZipInfo, name: str) -> Rejection | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        return Rejection(name, "not_a_regular_file", "links and devices are not taken")
    if info.flag_bits & _ENCRYPTED:
        return Rejection(name, "encrypted", "pack it without a password")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return Rejection(name, "compression_unsupported", "use the deflate method or none")
    return None


def _read(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, meter: Meter, packed: int, limits: Limits
) -> Member | Rejection:
    try:
        with archive.open(info) as stream:
            return read_member(_Metered(stream, meter, packed), name, limits)
    except _BROKEN as error:
        return Rejection(name, "member_corrupt", f"it cannot be unpacked ({error})")


class _Metered:
    """Counts the bytes unpacked from one member against the size of the whole archive: members may share packed
    bytes."""

    def __init__(self, stream: Readable, meter: Meter, packed: int) -> None:
        self._stream, self._meter, self._packed = stream, meter, packed

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self._meter.add(len(data), self._packed)
        return data


class _Guard(io.RawIOBase):
    """The archive's file; while it is opened, it refuses a central directory with too many entries."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file, self._limits = file, limits
        self.opening = True

    def read(self, size: int = -1, /) -> bytes:
        if self.opening and size > self._limits.members * _ENTRY_BYTES:
            raise bomb("its directory is too long")
        data = self._file.read(size)
        if self.opening and data.count(_DIRECTORY_ENTRY) > self._limits.members:
            raise bomb(f"more than {self._limits.members} members")
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True
