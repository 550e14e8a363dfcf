"""The content-addressed store. A blob is named by its md5, proved by its sha256, written once, verified on read."""

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import BinaryIO
from urllib.parse import quote

from blobs.bucket import Bucket, Seekable
from blobs.cache import BlobCache
from blobs.digests import CHUNK_BYTES, Digests, Hasher, digests_of
from blobs.errors import (
    BlobFault,
    BlobMissing,
    BlobRefused,
    BlobTooLarge,
    DigestCollision,
    DigestMismatch,
    UploadMissing,
)
from blobs.keys import blob_key, new_upload_id, pack_key, upload_key
from blobs.reading import Reader
from blobs.refs import BlobRef, corrupt
from blobs.settings import StoreConfig

__all__ = ["BlobRef", "BlobStore", "PresignedUpload", "StoreConfig"]

LONGEST_UPLOAD = timedelta(minutes=5)
LONGEST_READ = timedelta(hours=1)
_SPOOL_BYTES = 8 << 20  # a stream up to here stays in memory, a longer one goes through a temporary file
# Only what a browser cannot run may be shown in place; all else is a download.
_SHOWN_IN_PLACE = {"image/jpeg", "image/png", "image/webp"}


@dataclass(frozen=True, slots=True)
class PresignedUpload:
    """Where a client may PUT bytes, and the id by which they are adopted afterwards. Never log the URL."""

    upload_id: str
    url: str = field(repr=False)


class BlobStore:
    """One bucket of an S3 endpoint, with a local cache in front when one is given. Threads may share it, forks and
    pickles connect anew. Besides the errors named, every method may raise StoreUnavailable and StoreMisconfigured."""

    def __init__(self, config: StoreConfig, cache: BlobCache | None = None) -> None:
        self.config = config
        self._bucket = Bucket(config)
        self._cache = cache
        self._reader = Reader(self._bucket, cache)

    def __reduce__(self) -> tuple[type["BlobStore"], tuple[StoreConfig, BlobCache | None]]:
        return BlobStore, (self.config, self._cache)

    @classmethod
    def from_env(cls) -> "BlobStore":
        """The store and cache that the MOTHERLODE_S3_* and MOTHERLODE_CACHE_* variables name."""
        return cls(StoreConfig.from_env(), BlobCache.from_env())

    def ensure_bucket(self) -> None:
        """Make the bucket where it is missing."""
        self._bucket.ensure()

    # -- writing --

    def put(self, stream: BinaryIO, *, max_bytes: int | None = None) -> BlobRef:
        """Store what is left in `stream`. Idempotent; nothing is visible before all of it is there.

        Raises BlobTooLarge past `max_bytes`, DigestCollision when other bytes have the same md5."""
        hasher = Hasher()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            while chunk := stream.read(CHUNK_BYTES):
                hasher.update(chunk)
                if max_bytes is not None and hasher.size > max_bytes:
                    raise BlobTooLarge(f"more than {max_bytes} bytes; send a smaller file")
                spool.write(chunk)
            return self._keep(hasher.digests(), spool)

    def put_bytes(self, data: bytes) -> BlobRef:
        """The same for bytes in memory."""
        return self._keep(digests_of(data), io.BytesIO(data))

    def put_pack(self, data: bytes | bytearray) -> str:
        """Store a pack in one PUT and return its key, made from its sha256. Members get their refs from PackWriter."""
        digests = digests_of(data)
        key = pack_key(digests.sha256)
        self._put_once(key, io.BytesIO(data), digests)
        return key

    # -- reading --

    def get(self, ref: BlobRef) -> bytes:
        """The bytes, verified by size and sha256. Raises BlobMissing, BlobCorrupt."""
        return self._reader.one(ref)

    def open(self, ref: BlobRef) -> Iterator[bytes]:
        """The bytes in chunks. Raises BlobMissing at the first, BlobCorrupt at the end if they did not verify: use
        nothing of it before the end."""
        hasher = Hasher()
        for chunk in self._reader.chunks(ref):
            hasher.update(chunk)
            yield chunk
        if (hasher.size, hasher.digests().sha256) != (ref.size, ref.sha256):
            raise corrupt(ref)

    def get_many(
        self, refs: Sequence[BlobRef], *, threads: int = 4, on_error: Callable[[BlobRef, BlobFault], None] | None = None
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """Each ref with its verified bytes, in order, read ahead by `threads`; a pack's neighbours come in one request.

        A blob that is missing or corrupt raises, or with `on_error` is handed to it, left out, and the rest goes on. A
        store that is down always raises."""
        return self._reader.many(refs, threads=threads, on_error=on_error)

    def exists(self, ref: BlobRef) -> bool:
        """The object is there and long enough (its content is verified by reading)."""
        found = self._bucket.head(ref.key)
        return found is not None and (found.size >= ref.end if ref.packed else found.size == ref.size)

    # -- removing --

    def remove(self, ref: BlobRef) -> None:
        """Take a blob away that has its own object. Raises BlobRefused for a pack's member: the pack holds others."""
        self._alone(ref, "removed")
        self._bucket.remove(ref.key)
        if self._cache is not None:
            self._cache.drop(ref.md5)

    # -- clients without the platform in between --

    def presigned_get(self, ref: BlobRef, *, expires: timedelta, content_type: str, filename: str | None = None) -> str:
        """A URL a browser may GET until `expires` (at most an hour). The store answers with `content_type`, and as a
        download unless that is an image a browser cannot run. Raises BlobRefused for a pack's member."""
        self._alone(ref, "given a URL")
        if not timedelta() < expires <= LONGEST_READ:
            raise ValueError(f"expires must lie in 0..{LONGEST_READ}")
        shown = content_type in _SHOWN_IN_PLACE
        answer = {
            "response-content-type": content_type if shown else "application/octet-stream",
            "response-content-disposition": _disposition("inline" if shown else "attachment", filename),
        }
        return self._bucket.presign("GET", ref.key, expires=expires, answer=answer)

    def presigned_put(self, *, expires: timedelta = LONGEST_UPLOAD) -> PresignedUpload:
        """A place for one direct upload (at most five minutes). What arrives there is untrusted until `adopt`."""
        if not timedelta() < expires <= LONGEST_UPLOAD:
            raise ValueError(f"expires must lie in 0..{LONGEST_UPLOAD}")
        upload_id = new_upload_id()
        return PresignedUpload(upload_id, self._bucket.presign("PUT", upload_key(upload_id), expires=expires))

    def adopt(self, upload_id: str, *, max_bytes: int, sha256: str | None = None) -> BlobRef:
        """Make a direct upload a blob and take the upload away.

        The bytes are read, hashed and stored under their own key, never moved: the upload's URL may be used again, and
        what it writes later reaches nothing. Raises UploadMissing, BlobTooLarge, and DigestMismatch when
        `sha256` was announced and is another."""
        key = upload_key(upload_id)
        found = self._bucket.head(key)
        if found is None:
            raise UploadMissing("nothing was uploaded under this id")
        if found.size > max_bytes:
            self._bucket.remove(key)
            raise BlobTooLarge(f"the upload has {found.size} bytes, allowed are {max_bytes}")
        hasher = Hasher()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            try:
                for chunk in self._bucket.stream(key, 0, found.size):
                    hasher.update(chunk)
                    spool.write(chunk)
            except BlobMissing as error:
                raise UploadMissing("the upload went away while it was read") from error
            digests = hasher.digests()
            if sha256 is not None and digests.sha256 != sha256:
                self._bucket.remove(key)
                raise DigestMismatch(f"the upload's sha256 is {digests.sha256}, announced was another")
            ref = self._keep(digests, spool)
        self._bucket.remove(key)
        return ref

    # -- inside --

    def _keep(self, digests: Digests, data: Seekable) -> BlobRef:
        self._put_once(blob_key(digests.md5), data, digests)
        return BlobRef.alone(digests)

    def _put_once(self, key: str, data: Seekable, digests: Digests) -> None:
        """Write unless the same bytes lie there. Two writers at once both write the same: S3 replaces in one step."""
        found = self._bucket.head(key)
        if found is not None and (found.size, found.sha256) == (digests.size, digests.sha256):
            return
        if found is not None and self._is_same(key, found.size, digests):
            return
        self._bucket.write(key, data, size=digests.size, sha256=digests.sha256)

    def _is_same(self, key: str, size: int, digests: Digests) -> bool:
        """Somebody else's object under our key: the same bytes, a wreck (False), or a forgery (DigestCollision)."""
        hasher = Hasher()
        with suppress(BlobMissing):
            for chunk in self._bucket.stream(key, 0, size):
                hasher.update(chunk)
        stored = hasher.digests()
        if stored.md5 == digests.md5 and stored.sha256 != digests.sha256:
            raise DigestCollision(f"other bytes with the md5 {digests.md5} are stored already")
        return stored == digests

    def _alone(self, ref: BlobRef, done: str) -> None:
        if ref.packed:
            raise BlobRefused(f"blob {ref.md5} lies in a pack beside others and cannot be {done}", code="blob_packed")


def _disposition(kind: str, filename: str | None) -> str:
    """RFC 6266, with nothing of the name outside quotes or percent signs."""
    if not filename:
        return kind
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in filename)[:100]
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(filename[:100], safe='', errors='replace')}"
