"""A sorted text as edits of another one, so that a version's text costs what changed since a version before.

Two forms of text are edited: lines of JSON with a `key`, and DVC's listings. Their units (a line, an entry) are sorted
by key, in code points. A patch names bytes of its base, so whoever applies it needs to know neither form nor keys.
"""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import md5
from typing import Protocol

import orjson

from versioning.errors import PatchMalformed

_HEAD = struct.Struct(">QQI")
_ENTRY = b', {"md5": "'


class Form(Protocol):
    """How a text is cut into units."""

    def opened(self, text: bytes) -> bytes:
        """Return the units of a text, one after the other."""
        ...

    def closed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the text of units, from their bytes in pieces."""
        ...

    def start(self, units: bytes, at: int) -> int:
        """Return where the unit begins that holds the byte `at`."""
        ...

    def end(self, units: bytes, start: int) -> int:
        """Return where the unit ends that begins at `start`."""
        ...

    def key(self, unit: bytes) -> str:
        """Return the key of a unit."""
        ...


class Lines:
    """JSON lines, each with a `key`."""

    def opened(self, text: bytes) -> bytes:
        return text

    def closed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        return pieces

    def start(self, units: bytes, at: int) -> int:
        return units.rfind(b"\n", 0, at) + 1

    def end(self, units: bytes, start: int) -> int:
        return units.find(b"\n", start) + 1 or len(units)

    def key(self, unit: bytes) -> str:
        key: str = orjson.loads(unit)["key"]
        return key


class Entries:
    """DVC's listing of a directory (`versioning.listing`); a unit is an entry with the comma before it. No text within
    an entry can look like the beginning of one, because quotes in it are escaped."""

    def opened(self, text: bytes) -> bytes:
        return b", " + text[1:-1] if len(text) > 2 else b""

    def closed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        yield b"["
        comma = 2
        for piece in pieces:
            yield piece[comma:]
            comma -= min(comma, len(piece))
        yield b"]"

    def start(self, units: bytes, at: int) -> int:
        return units.rfind(_ENTRY, 0, at + len(_ENTRY))

    def end(self, units: bytes, start: int) -> int:
        found = units.find(_ENTRY, start + 1)
        return len(units) if found < 0 else found

    def key(self, unit: bytes) -> str:
        key: str = json.loads(unit[2:])["relpath"]
        return key


LINES: Form = Lines()
ENTRIES: Form = Entries()


@dataclass(frozen=True, slots=True)
class Digest:
    """The md5 and the length of a text."""

    md5: str
    length: int


class EditedText:
    """A text, as the units of another one (its base) and edits of them."""

    def __init__(self, form: Form, base: bytes, patch: bytes | None = None) -> None:
        self._form, self._units = form, form.opened(base)
        self._edits: dict[str, tuple[int, int, bytes]] = {}
        for start, end, text in _read(patch) if patch is not None else ():
            self._edits[form.key(text or self._units[start:end])] = (start, end, text)

    def get(self, key: str) -> bytes | None:
        """Return the unit with this key; None if there is none."""
        if key in self._edits:
            return self._edits[key][2] or None
        start, end = self._find(key)
        return self._units[start:end] or None

    def put(self, key: str, unit: bytes | None) -> None:
        """Set the unit with this key; None removes it."""
        start, end = self._edits[key][:2] if key in self._edits else self._find(key)
        if (unit or b"") == self._units[start:end]:
            self._edits.pop(key, None)
        else:
            self._edits[key] = (start, end, unit or b"")

    def folders_put(self) -> set[str]:
        """Return the folders of the keys whose units were put, without a slash at their end."""
        keys = [key for key, (_, _, text) in self._edits.items() if text]
        return {key[:at] for key in keys for at, letter in enumerate(key) if letter == "/"}

    def keeps_below(self, folder: str) -> bool:
        """Whether a key of the base that was not edited begins with this folder, which ends with a slash."""
        start, _ = self._find(folder)
        while start < len(self._units):
            end = self._form.end(self._units, start)
            key = self._form.key(self._units[start:end])
            if not key.startswith(folder):
                return False
            if key not in self._edits:
                return True
            start = end
        return False

    def pieces(self) -> Iterator[bytes]:
        """Yield the text."""
        return self._form.closed(_applied(self._units, (edit for _, edit in self._sorted())))

    def digest(self) -> Digest:
        """Return the text's md5 and length."""
        made, length = md5(usedforsecurity=False), 0
        for piece in self.pieces():
            made.update(piece)
            length += len(piece)
        return Digest(made.hexdigest(), length)

    def patch(self) -> bytes:
        """Return the edits as bytes, for `patched`."""
        edits = (edit for _, edit in self._sorted())
        return zlib.compress(b"".join(_HEAD.pack(start, end, len(text)) + text for start, end, text in edits))

    def _sorted(self) -> list[tuple[str, tuple[int, int, bytes]]]:
        """The edits in the order of their places; those that insert at one place, by key."""
        return sorted(self._edits.items(), key=lambda item: (item[1][0], item[0]))

    def _find(self, key: str) -> tuple[int, int]:
        """Return where the unit with this key begins and ends in the base; twice where it would be if there is none."""
        low, high = 0, len(self._units)
        while low < high:
            start = self._form.start(self._units, (low + high) // 2)
            end = self._form.end(self._units, start)
            found = self._form.key(self._units[start:end])
            if found == key:
                return start, end
            low, high = (end, high) if found < key else (low, start)
        return low, low


def patched(form: Form, base: bytes, patch: bytes) -> Iterator[bytes]:
    """Yield the text that a patch makes of its base. Raises PatchMalformed."""
    return form.closed(_applied(form.opened(base), _read(patch)))


def _applied(units: bytes, edits: Iterable[tuple[int, int, bytes]]) -> Iterator[bytes]:
    view, at = memoryview(units), 0
    for start, end, text in edits:
        yield bytes(view[at:start])
        yield text
        at = end
    yield bytes(view[at:])


def _read(patch: bytes) -> Iterator[tuple[int, int, bytes]]:
    try:
        data = zlib.decompress(patch)
    except zlib.error as error:
        raise PatchMalformed(f"a patch can't be read: {error}") from error
    at = 0
    while at < len(data):
        start, end, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield start, end, data[at : at + length]
        at += length
