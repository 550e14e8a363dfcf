"""What zip and tar archives share: members, reasons to leave one out, names, limits."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Protocol

from blobs.errors import ArchiveRefused
from worker_programs.filekinds import is_cruft

_CHUNK = 1 << 20
_RATIO_FREE_BYTES = 16 << 20  # below this no ratio is worth a refusal
_NAME_BYTES = 1024
_NO_NAMES = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one archive; sizes in bytes, `ratio` is unpacked size to packed size."""

    members: int = 200_000
    member_bytes: int = 256 << 20
    total_bytes: int = 64 << 30
    ratio: float = 100.0


@dataclass(frozen=True, slots=True)
class Member:
    """A regular file. `name` is relative, with forward slashes: a label to show, never a path to write to."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Rejection:
    """A member that is left out. Codes: `unsafe_name`, `duplicate_name`, `not_a_regular_file`, `encrypted`,
    `member_too_large`, `member_corrupt`, `compression_unsupported`."""

    name: str
    code: str
    message: str


class Names:
    """Checks each member's name, and that no name occurs twice."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def check(self, raw: str) -> str | Rejection | None:
        """Return the clean name, a Rejection, or None for a member to skip silently."""
        if is_cruft(raw.removesuffix("/")):
            return None
        name = raw.removeprefix("./")
        if (fault := _fault(name)) is not None:
            return Rejection(_printable(raw), "unsafe_name", fault)
        name = unicodedata.normalize("NFC", name)
        if name in self._seen:
            return Rejection(name, "duplicate_name", "the archive has another member of this name; keep one")
        self._seen.add(name)
        return name


class Meter:
    """Counts unpacked bytes and members, and checks them against the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._members = 0
        self.unpacked = 0

    def member(self) -> None:
        """Count one more member. Raises ArchiveRefused (archive_bomb)."""
        self._members += 1
        if self._members > self._limits.members:
            raise bomb(f"more than {self._limits.members} members")

    def add(self, count: int, packed: int) -> None:
        """Count `count` more bytes, unpacked from `packed` archive bytes. Raises ArchiveRefused (archive_bomb)."""
        self.unpacked += count
        if self.unpacked > self._limits.total_bytes:
            raise bomb(f"more than {self._limits.total_bytes} bytes when unpacked")
        if self.unpacked > _RATIO_FREE_BYTES and self.unpacked > self._limits.ratio * max(packed, 1):
            raise bomb(f"it unpacks to more than {self._limits.ratio:.0f} times its size")


class Readable(Protocol):
    """A stream to read a member's bytes from."""

    def read(self, size: int, /) -> bytes: ...


def read_member(stream: Readable, name: str, limits: Limits) -> Member | Rejection:
    """Read all of one member; return its Rejection if it passes the limit."""
    pieces, size = [], 0
    while piece := stream.read(_CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > limits.member_bytes:
            return Rejection(name, "member_too_large", f"it has more than {limits.member_bytes} bytes")
    return Member(name, b"".join(pieces))


def bomb(reason: str) -> ArchiveRefused:
    return ArchiveRefused(f"the archive was refused: {reason}; split it", code="archive_bomb")


def damaged(reason: object) -> ArchiveRefused:
    return ArchiveRefused(f"the archive is damaged ({reason}); pack it again", code="archive_corrupt")


def misnamed(reason: object) -> ArchiveRefused:
    return ArchiveRefused(f"the archive was refused: {reason}", code="names_not_utf8")


def _fault(name: str) -> str | None:
    if not name or len(name.encode(errors="replace")) > _NAME_BYTES:
        return f"a name has 1 to {_NAME_BYTES} bytes"
    if not name.isprintable() and any(unicodedata.category(char) in {"Cc", "Cs"} for char in name):
        return "the name holds control characters or is not UTF-8; rename it"
    if "\\" in name or name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "use relative names with forward slashes"
    if not _NO_NAMES.isdisjoint(name.split("/")):
        return "the name must not hold empty, . or .. parts"
    return None


def _printable(raw: str) -> str:
    return raw.encode("ascii", "backslashreplace").decode().replace("\0", "\\0")[:_NAME_BYTES]
