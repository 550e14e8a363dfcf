"""Read a folder of images as samples: which files count, their keys, and the path of the file for a key.

A key is the file's path in the folder, with slashes, in Unicode's composed form (NFC).
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from motherlode.errors import MotherlodeError
from worker_programs.filekinds import HEAD_BYTES, IMAGE_SUFFIXES, is_cruft, is_hidden, sort_file
from worker_programs.wording import plural, printable

if TYPE_CHECKING:
    from motherlode.documents import Rejection


NOTES = ".motherlode"  # what a pull notes down in a folder: which version of which dataset it holds
ORIGIN = "version.json"
LABELS = "samples.jsonl"
LONGEST_NAME = 255  # bytes; the limit of file systems


@dataclass(frozen=True, slots=True)
class LocalFile:
    """One file on this machine, as it was when the folder was read."""

    key: str
    path: Path
    size: int
    mtime_ns: int


@dataclass(slots=True)
class FolderFiles:
    """Files of a folder tree: images, files that may hold annotations, and files that are left behind, with the
    reason."""

    images: list[LocalFile] = field(default_factory=list)
    documents: list[LocalFile] = field(default_factory=list)
    left: list[Rejection] = field(default_factory=list)


def files_in(folder: Path, *, convert: bool = False) -> FolderFiles:
    """Sort every file below a folder by the rule that archives and buckets follow too (`worker_programs.filekinds`): if
    a file's name doesn't tell its kind, its first bytes are read. Links to folders are not followed. With `convert`,
    formats that the platform converts on request count as images. Of two files with the same name in composed form, the
    second is left behind."""
    found = FolderFiles()
    _look_through(folder, "", found, {}, convert=convert)
    return found


def no_images(folder: Path, found: FolderFiles) -> MotherlodeError:
    """Build the error for a folder without images: it says which other files the folder holds."""
    detail = f"{folder} holds no images"
    if found.left:
        first = found.left[0]
        detail += f"; {plural(len(found.left), 'other file')} left behind, the first, {first['key']}: {first['detail']}"
    return MotherlodeError(status=0, code="folder_empty", detail=detail)


def _look_through(folder: Path, below: str, found: FolderFiles, named: dict[str, str], *, convert: bool) -> None:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        key = below + unicodedata.normalize("NFC", entry.name)
        if key == NOTES or is_cruft(key):
            continue
        if is_hidden(entry.name):
            kind = sort_file(key, b"")
            found.left.append(_left(key, kind.code, kind.reason))
        elif entry.is_dir(follow_symlinks=False):
            _look_through(Path(entry.path), f"{key}/", found, named, convert=convert)
        elif not entry.is_file():
            found.left.append(_left(key, "not_a_regular_file", "it is a link to a folder, or no file: send its files"))
        elif key in named:
            both = f"{named[key]!a} and {entry.name!a}"
            detail = f"{both} are one name in Unicode's composed form: rename one"
            found.left.append(_left(key, "duplicate_key", detail))
        else:
            named[key] = entry.name
            _sort(key, entry, found, convert=convert)


def _sort(key: str, entry: os.DirEntry[str], found: FolderFiles, *, convert: bool) -> None:
    """Add a file to images, documents or left-behind files. A file named like an image is not opened: its bytes are
    checked later."""
    facts = entry.stat()
    file = LocalFile(key, Path(entry.path), facts.st_size, facts.st_mtime_ns)
    if PurePosixPath(key).suffix.lower() in IMAGE_SUFFIXES:
        found.images.append(file)
        return
    try:
        with file.path.open("rb") as stream:
            kind = sort_file(key, stream.read(HEAD_BYTES), convert=convert)
    except OSError as error:
        found.left.append(_left(key, "file_unreadable", f"it cannot be read ({error.strerror})"))
        return
    if kind.stays_behind:
        found.left.append(_left(key, kind.code, kind.reason))
    else:
        (found.images if kind.is_image else found.documents).append(file)


def _left(key: str, code: str, detail: str) -> Rejection:
    return {"key": printable(key), "code": code, "detail": detail}


def names_a_file(key: str) -> bool:
    """Whether a file below a folder can have this key as its path."""
    parts = key.split("/")
    unsafe = any(part in {"", ".", ".."} or len(part.encode(errors="replace")) > LONGEST_NAME for part in parts)
    return not unsafe and key.isprintable() and "\\" not in key and parts[0] != NOTES


def path_below(folder: Path, key: str) -> Path:
    """Return the path of a sample's file; never outside `folder`. Raises MotherlodeError (`key_unsafe`)."""
    if not names_a_file(key):
        detail = f"the key {key!r} can't be the name of a file: fetch this sample by its digest instead"
        raise MotherlodeError(status=0, code="key_unsafe", detail=detail)
    return folder.joinpath(*key.split("/"))


def origin_of(folder: Path) -> Mapping[str, Any]:
    """Read the note that a pull left in the folder: `dataset`, when it was `created`, `version`, `split` and `filter`
    (None for all samples), the digest of the `labels`, and the same fields of `earlier` pulls; empty if nothing was
    pulled into the folder."""
    try:
        noted = json.loads((folder / NOTES / ORIGIN).read_bytes())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def note_version(folder: Path, version: int) -> None:
    """Note that a pulled folder now holds this version of its dataset."""
    if noted := origin_of(folder):
        fresh = folder / NOTES / f"{ORIGIN}.new"
        fresh.write_text(json.dumps({**noted, "version": version}), encoding="utf-8")
        fresh.replace(folder / NOTES / ORIGIN)


def clashing_keys(keys: set[str]) -> tuple[str, str] | None:
    """Find two keys of which the first would have to be both a file and a folder, or return None."""
    for key in keys:
        for folder in PurePosixPath(key).parents:
            if str(folder) in keys:
                return str(folder), key
    return None
