"""BlobRef: the place of one blob's bytes, and the digests that prove them."""

from dataclasses import dataclass
from functools import lru_cache

from blobs.digests import Digests, parse_md5, parse_sha256, sha256_of
from blobs.errors import BlobCorrupt, DigestInvalid
from blobs.keys import blob_key, checked, is_pack, link_key, linked_table


@dataclass(frozen=True, slots=True)
class BlobRef:
    """A blob: `size` bytes at `offset` of object `key` (members of a pack share their key).

    Refs come from rows and manifests, so they are validated: a malformed one raises DigestInvalid.
    """

    md5: str
    sha256: str
    size: int
    key: str
    offset: int = 0

    def __post_init__(self) -> None:
        parse_md5(self.md5)
        parse_sha256(self.sha256)
        if self.size < 0 or self.offset < 0:
            raise DigestInvalid(f"blob {self.md5}: size and offset are not negative")
        if _checked(self.key) and (self.key != blob_key(self.md5) or self.offset):
            raise DigestInvalid(f"blob {self.md5}: the object {self.key} is not its own")

    def __hash__(self) -> int:
        return hash(self.md5)  # blobs in two places are rare, and hashing all fields takes far longer

    @property
    def packed(self) -> bool:
        """Whether the blob is in a pack, beside others."""
        return is_pack(self.key)

    @property
    def linked(self) -> bool:
        """Whether the blob is in a foreign bucket: entry `offset` of a table says where."""
        return self.key.startswith("links/")

    @property
    def end(self) -> int:
        """The offset behind the blob's last byte in the object."""
        return self.offset + self.size

    @classmethod
    def alone(cls, digests: Digests) -> "BlobRef":
        """Return the ref of a blob that has its own object."""
        return cls(digests.md5, digests.sha256, digests.size, blob_key(digests.md5))

    def verifies(self, data: bytes | bytearray | memoryview) -> bool:
        """Whether `data` is this blob: size and sha256 agree."""
        return len(data) == self.size and sha256_of(data) == self.sha256

    def verified(self, data: bytes) -> bytes:
        """Return `data` if it is this blob; raises BlobCorrupt otherwise."""
        if not self.verifies(data):
            raise corrupt(self)
        return data


@lru_cache(maxsize=256)
def _checked(key: str) -> bool:
    """Whether the object of this key is one blob alone. Raises DigestInvalid for a key of no known shape. Members of a
    pack come one after the other: their key is checked once."""
    if (table := linked_table(key)) is not None:
        link_key(table)
        return False
    return not is_pack(checked(key))


def corrupt(ref: BlobRef) -> BlobCorrupt:
    """Return the error that says that `ref` is corrupt."""
    if ref.linked:
        return BlobCorrupt(f"blob {ref.md5}: its bytes have changed at their source since they were imported")
    return BlobCorrupt(f"blob {ref.md5}: the bytes at {ref.key}+{ref.offset} do not match their size and sha256")
