"""A folder of images as samples: which files, under which keys, and where a key's file belongs.

A key is the file's path in the folder, with slashes, in Unicode's composed form (NFC).
"""

import json
import os
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from motherlode.errors import MotherlodeError

IMAGES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
DOCUMENTS = frozenset({".data", ".json", ".jsonl", ".names", ".ndjson", ".txt", ".xml", ".yaml", ".yml"})
NOTES = ".motherlode"  # what a pull notes down in a folder: which version of which dataset it holds
ORIGIN = "version.json"
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


def names_a_file(key: str) -> bool:
    """Whether a file below a folder can be called like this key."""
    parts = key.split("/")
    unsafe = any(part in {"", ".", ".."} or len(part.encode(errors="replace")) > LONGEST_NAME for part in parts)
    return not unsafe and key.isprintable() and "\\" not in key and parts[0] != NOTES


def path_below(folder: Path, key: str) -> Path:
    """Where a sample's file belongs; never outside `folder`. Raises MotherlodeError (`key_unsafe`)."""
    if not names_a_file(key):
        detail = f"the key {key!r} can't be the name of a file: fetch this sample by its digest instead"
        raise MotherlodeError(status=0, code="key_unsafe", detail=detail)
    return folder.joinpath(*key.split("/"))


def origin_of(folder: Path) -> Mapping[str, Any]:
    """What a pull noted down of where the folder came from: `dataset`, `version` and `split`, None for all of them;
    empty for a folder that nothing was pulled into."""
    try:
        noted = json.loads((folder / NOTES / ORIGIN).read_bytes())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def clashing_keys(keys: set[str]) -> tuple[str, str] | None:
    """Two keys of which one would have to be a file and a folder at once, or None."""
    for key in keys:
        for folder in PurePosixPath(key).parents:
            if str(folder) in keys:
                return str(folder), key
    return None
