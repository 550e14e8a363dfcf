"""Tar archives to upload: the same images always give the same bytes, so that a repeated upload is recognised."""

import io
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

IMAGES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


def write_tar(stream: BinaryIO, members: Iterable[tuple[str, bytes]]) -> int:
    """Write files, given as (name, bytes), to an uncompressed tar archive. Returns how many there were."""
    count = 0
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
            count += 1
    return count


def images_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The images of a folder tree by their path in it, with slashes; hidden files and other kinds are left out."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.suffix.lower() in IMAGES and not hidden and path.is_file():
            yield name.as_posix(), path.read_bytes()
