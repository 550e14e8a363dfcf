"""Tar archives to upload: the same images always give the same bytes, so that a repeated upload is recognised."""

import io
import tarfile
from collections.abc import Iterable
from typing import BinaryIO


def write_tar(stream: BinaryIO, members: Iterable[tuple[str, bytes]]) -> int:
    """Write files, given as (name, bytes), to an uncompressed tar archive. Returns the number of files."""
    count = 0
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
            count += 1
    return count
