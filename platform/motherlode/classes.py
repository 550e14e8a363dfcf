"""Read the classes that a folder, an archive or an annotation file tells, by the rule of `formats.class_names`."""

from __future__ import annotations

import io
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from formats.class_names import MOST_BYTES, ToldClasses, told_classes
from motherlode.errors import MotherlodeError
from motherlode.folders import files_in
from worker_programs.archive_names import NamesNotUtf8Error, decoded, zip_names
from worker_programs.filekinds import ANNOTATION_SUFFIXES, HEAD_BYTES, IMAGE_SUFFIXES, is_cruft, is_hidden, sort_file

Document = tuple[str, int, Callable[[], bytes]]

ENCRYPTED = 0x1


def classes_told_by(source: Path, *, names_encoding: str | None = None) -> ToldClasses:
    """Return the classes that a folder, a zip or tar, or one annotation file tells. `names_encoding` is that of an
    archive's names which are not UTF-8. Raises MotherlodeError: `no_classes` if it tells none, `file_unusable` if it
    can't be read, `names_not_utf8`."""
    try:
        if source.is_dir():
            found = files_in(source, convert=True)
            images = [one.key for one in found.images]
            told = told_classes(images, [(one.key, one.size, one.path.read_bytes) for one in found.documents])
        elif zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                told = told_classes(*_parted(_in_zip(archive, names_encoding)))
        elif tarfile.is_tarfile(source):
            with tarfile.open(source, encoding="utf-8", errors="surrogateescape") as tar:
                told = told_classes(*_parted(_in_tar(tar, names_encoding)))
        else:
            told = told_classes([], [(source.name, source.stat().st_size, source.read_bytes)])
    except NamesNotUtf8Error as error:
        raise MotherlodeError(status=0, code=error.code, detail=f"{source}: {error}") from error
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        detail = f"{source} can't be read for its classes ({error}): name them in --classes"
        raise MotherlodeError(status=0, code="file_unusable", detail=detail) from error
    if not told.names:
        raise MotherlodeError(status=0, code="no_classes", detail=_none_told(source, told))
    return told


def _none_told(source: Path, told: ToldClasses) -> str:
    words = f"{source} tells no classes: no two folders of images are named like some, and no annotation file names any"
    if told.unread:
        words += f"; {told.faults[0] if told.faults else told.unread[0] + ' is too large'}"
    return f"{words}. Name them in --classes"


def _parted(files: Iterator[tuple[str, int, Callable[[], IO[bytes]]]]) -> tuple[list[str], list[Document]]:
    """Part the files of an archive, as (path, bytes, what opens it), into images and annotation files."""
    images, documents = list[str](), list[Document]()
    for name, size, opened in files:
        path = unicodedata.normalize("NFC", name.removeprefix("./"))
        suffix = _suffix(path)
        if is_cruft(path) or is_hidden(path):
            continue
        if suffix in ANNOTATION_SUFFIXES:
            documents.append((path, size, partial(_bytes_of, opened)))
        elif suffix in IMAGE_SUFFIXES or _is_image(path, opened):
            images.append(path)
    return images, documents


def _is_image(path: str, opened: Callable[[], IO[bytes]]) -> bool:
    with opened() as stream:
        return sort_file(path, stream.read(HEAD_BYTES), convert=True).is_image


def _bytes_of(opened: Callable[[], IO[bytes]]) -> bytes:
    with opened() as stream:
        return stream.read()


def _in_zip(archive: zipfile.ZipFile, encoding: str | None) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    entries = archive.infolist()
    for entry, name in zip(entries, zip_names(entries, encoding=encoding), strict=True):
        if not entry.is_dir() and not entry.flag_bits & ENCRYPTED:
            yield name, entry.file_size, partial(archive.open, entry)


def _in_tar(tar: tarfile.TarFile, encoding: str | None) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    """Yield the files in their order, each read before the next: what is packed can't be gone back in."""
    for member in tar:
        if (stream := tar.extractfile(member)) is not None:
            stated = None if "path" in member.pax_headers else encoding
            name = decoded([member.name.encode(errors="surrogateescape")], encoding=stated)[0]
            is_read = _suffix(name) in ANNOTATION_SUFFIXES and member.size <= MOST_BYTES
            data = stream.read(member.size if is_read else HEAD_BYTES)
            yield name, member.size, partial(io.BytesIO, data)


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
