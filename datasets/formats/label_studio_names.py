"""Which image a task of Label Studio is about: the field of its data, its address there, and names of uploads.

An uploaded file is stored under another name than it had: eight hexadecimal digits and a dash, then its name with what
Django's `get_valid_filename` leaves of it (blanks as `_`, of the rest only letters, digits, `-`, `_` and `.`).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from formats.documents import as_text
from formats.errors import FormatError
from formats.matching import ImageIndex
from formats.notes import Notes
from formats.paths import IMAGE_SUFFIXES

USUAL = ("image", "img", "url")  # names of the field, where none has the address of a file that is named like an image
STORED = re.compile(r"[0-9a-f]{8}-(.+)")
LOCAL_FILES = "local-files"  # the address of a file on the server's disk; its query's `d` is the path
_NOT_VALID = re.compile(r"[^-\w.]")
CHANGED = "names that Label Studio gave uploaded files were matched with the images they were made of"


def address_of(data: Mapping[str, Any], where: str) -> str:
    """Return the address of the task's image. Raises FormatError if several fields may be it, or none."""
    texts = {name: value for name, value in data.items() if isinstance(value, str) and value.strip()}
    images = [name for name, address in texts.items() if _is_image(address)]
    if len(images) > 1:
        several = " and ".join(repr(name) for name in images[:2])
        raise FormatError(
            f"{where}, data: {several} are both addresses of images, and a sample is one image: keep the field of the "
            "image that was annotated",
            code="annotations_ambiguous",
        )
    usual = next((name for name in USUAL if name in texts), None)
    name = images[0] if images else usual or (next(iter(texts)) if len(texts) == 1 else None)
    if name is None:
        names = ", ".join(map(repr, data)) or "nothing"
        raise FormatError(f"{where}, data: no field is the address of an image (there is {names}); name it `image`")
    return as_text(texts[name], f"{where}, data.{name}")


def image_of(address: str, index: ImageIndex, notes: Notes, where: str) -> str | None:
    """Return the key of the image at an address, or None if it is not here. Raises FormatError if two fit."""
    paths = list(dict.fromkeys(_paths(address, where)))
    for path in paths:
        if (key := index.named(path)) is not None:
            return key
    for path in paths:
        stored = STORED.fullmatch(PurePosixPath(path).name)
        if stored and (key := index.written_as(stored[1], valid_name, said=path)) is not None:
            if PurePosixPath(key).name != stored[1]:
                notes.add(CHANGED, where)
            return key
    return None


def valid_name(name: str) -> str:
    """Return what Django's `get_valid_filename` makes of the name of an uploaded file.

    >>> valid_name("IMG 001 (1).jpg")
    'IMG_001_1.jpg'
    """
    return _NOT_VALID.sub("", name.strip().replace(" ", "_"))


def _is_image(address: str) -> bool:
    try:
        return any(PurePosixPath(path).suffix.lower() in IMAGE_SUFFIXES for path in _paths(address, ""))
    except FormatError:
        return False


def _paths(address: str, where: str) -> Iterator[str]:
    """Yield the paths that an address may mean, the likeliest first: a web address is percent-encoded, the key of an
    object in a bucket as it stands, a path either."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise FormatError(f"{where}, data: {address[:80]!r} is not an address ({error})") from error
    if parts.path.rstrip("/").endswith(LOCAL_FILES) and (local := _local(parts)):
        yield from local
    elif parts.scheme in {"http", "https"}:
        yield from (unquote(parts.path), parts.path)
    elif parts.scheme and parts.netloc:
        key = address.partition("://")[2].partition("/")[2]
        yield from (key, unquote(key))
    else:
        yield from (address, unquote(address), unquote(parts.path))


def _local(parts: SplitResult) -> list[str]:
    """Return what `d` may mean: a form's value, or a path with a plus of its own."""
    plain = re.search(r"(?:^|&)d=([^&]*)", parts.query)
    return [*parse_qs(parts.query).get("d", ()), *([unquote(plain[1]), plain[1]] if plain else ())]
