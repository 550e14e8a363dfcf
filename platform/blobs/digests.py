"""md5 (the address) and sha256 (the proof) of bytes, computed in one pass, and the only functions that accept a
digest."""

import hashlib
import re
from dataclasses import dataclass
from typing import BinaryIO, NewType

from blobs.errors import DigestInvalid

Md5 = NewType("Md5", str)
Sha256 = NewType("Sha256", str)

CHUNK_BYTES = 1 << 20
_MD5 = re.compile(r"[0-9a-f]{32}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of a blob: md5 names it, sha256 proves it; and its length in bytes."""

    md5: Md5
    sha256: Sha256
    size: int


class Hasher:
    """Computes both digests and the length of the data you feed to it."""

    def __init__(self) -> None:
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._sha256 = hashlib.sha256()
        self.size = 0

    def update(self, chunk: bytes | bytearray | memoryview) -> None:
        self._md5.update(chunk)
        self._sha256.update(chunk)
        self.size += len(chunk)

    def digests(self) -> Digests:
        return Digests(Md5(self._md5.hexdigest()), Sha256(self._sha256.hexdigest()), self.size)


def parse_md5(text: str) -> Md5:
    """`text` as an md5; raises DigestInvalid unless it is 32 lower-case hex digits."""
    if not isinstance(text, str) or not _MD5.fullmatch(text):
        raise DigestInvalid("an md5 is 32 lower-case hexadecimal digits")
    return Md5(text)


def parse_sha256(text: str) -> Sha256:
    """`text` as a sha256; raises DigestInvalid unless it is 64 lower-case hex digits."""
    if not isinstance(text, str) or not _SHA256.fullmatch(text):
        raise DigestInvalid("a sha256 is 64 lower-case hexadecimal digits")
    return Sha256(text)


def digests_of(data: bytes | bytearray | memoryview) -> Digests:
    """Return the digests of bytes in memory."""
    hasher = Hasher()
    hasher.update(data)
    return hasher.digests()


def hash_stream(stream: BinaryIO) -> Digests:
    """Return the digests of the rest of `stream`, read in chunks."""
    hasher = Hasher()
    while chunk := stream.read(CHUNK_BYTES):
        hasher.update(chunk)
    return hasher.digests()


def sha256_of(data: bytes | bytearray | memoryview) -> Sha256:
    """Return only the sha256, to verify reads."""
    return Sha256(hashlib.sha256(data).hexdigest())
