"""Members of untrusted zip, tar and tar.gz files, one at a time, in memory: nothing is ever extracted to the disk.

Only regular files are returned, under checked names. All limits count bytes that were READ, never what a header
declares.
"""

from collections.abc import Iterator
from typing import BinaryIO

from blobs import tars, zips
from blobs.errors import ArchiveRefused
from blobs.members import Limits, Member, Rejection
from worker_programs.filekinds import archive_kind

__all__ = ["Limits", "Member", "Rejection", "iter_members"]


def iter_members(
    file: BinaryIO, limits: Limits | None = None, *, names_encoding: str | None = None
) -> Iterator[Member | Rejection]:
    """Yield every member of a seekable archive, in its order; folders and files that desktops add are skipped.

    `names_encoding` is that of names which are not UTF-8. Raises ArchiveRefused: `names_not_utf8` if they have another,
    `archive_unsupported`, `archive_corrupt`, or `archive_bomb` as soon as a limit on members,
    total bytes or ratio is passed. Members yielded before that are sound, but the archive may not be.
    """
    limits = limits or Limits()
    start = file.read(512)
    file.seek(0)
    kind = archive_kind(start)
    if kind == "zip":
        yield from zips.members(file, limits, names_encoding=names_encoding)
    elif kind is not None:
        yield from tars.members(file, limits, gzipped=kind == "tar.gz", names_encoding=names_encoding)
    else:
        raise ArchiveRefused("send a .zip, .tar or .tar.gz archive", code="archive_unsupported")
