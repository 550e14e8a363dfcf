"""A folder of images as samples: which files, under which keys, and where a key's file belongs.

A key is the file's path in the folder, with slashes, in Unicode's composed form (NFC).
"""

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from motherlode.errors import MotherlodeError

IMAGES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
DOCUMENTS = frozenset({".data", ".json", ".jsonl", ".names", ".ndjson", ".txt", ".xml", ".yaml", ".yml"})
NOTES = ".motherlode"  # what a pull notes down in a folder: which version of which dataset it holds
LONGEST_NAME = 255  # bytes; what file systems take


@dataclass(frozen=True, slots=True)
class LocalFile:
    """One file on this machine, as it was when the folder was read."""

    key: str
    path: Path
    size: int
    mtime_ns: int


def files_in(folder: Path, suffixes: frozenset[str] = IMAGES, *, below: str = "") -> Iterator[LocalFile]:
    """The files of a folder tree with these suffixes, by name; hidden files and folders are left out, links to folders
    are not followed. `below` comes before each key."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        key = below + unicodedata.normalize("NFC", entry.name)
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from files_in(Path(entry.path), suffixes, below=f"{key}/")
        elif os.path.splitext(entry.name)[1].lower() in suffixes and entry.is_file():  # noqa: PTH122 - a name, not a path
            facts = entry.stat()
            yield LocalFile(key, Path(entry.path), facts.st_size, facts.st_mtime_ns)


def path_below(folder: Path, key: str) -> Path:
    """Where a sample's file belongs; never outside `folder`. Raises MotherlodeError (`key_unsafe`)."""
    parts = key.split("/")
    unsafe = any(part in {"", ".", ".."} or len(part.encode(errors="replace")) > LONGEST_NAME for part in parts)
    if unsafe or not key.isprintable() or "\\" in key or parts[0] == NOTES:
        detail = f"the key {key!r} can't be the name of a file: fetch this sample by its digest instead"
        raise MotherlodeError(status=0, code="key_unsafe", detail=detail)
    return folder.joinpath(*parts)


def clashing_keys(keys: set[str]) -> tuple[str, str] | None:
    """Two keys of which one would have to be a file and a folder at once, or None."""
    for key in keys:
        for folder in PurePosixPath(key).parents:
            if str(folder) in keys:
                return str(folder), key
    return None
