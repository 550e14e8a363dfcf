"""The content-addressed store. A blob is named by its md5, proved by its sha256, written once, verified on read."""

import io
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import BinaryIO, cast

from blobs.bucket import SINGLE_PUT_BYTES, Bucket, Seekable
from blobs.cache import BlobCache
from blobs.digests import CHUNK_BYTES, Digests, Hasher, digests_of, hash_stream, sha256_of
from blobs.errors import (
    BlobFault,
    BlobMissing,
    BlobTooLarge,
    DigestCollision,
    DigestInvalid,
    DigestMismatch,
    UploadMissing,
)
from blobs.keys import (
    blob_key,
    checked,
    directory_key,
    is_blobs,
    is_pack,
    linked_table,
    new_upload_id,
    pack_key,
    upload_key,
)
from blobs.links import Links
from blobs.puts import signed_put_url
from blobs.reading import Reader
from blobs.refs import BlobRef, corrupt
from blobs.settings import StoreConfig
from blobs.shuffling import MEMORY_BYTES
from blobs.sources import Source, read_sources

__all__ = ["BlobRef", "BlobStore", "PresignedUpload", "StoreConfig"]

Enter = Callable[[str, int], bool]
"""Enters an object, by key and size in bytes, in a ledger before it is written. Returns False if nothing may be written
under this key now: the bytes are stored under another."""

LONGEST_UPLOAD = timedelta(minutes=1)  # until its first byte: a PUT that has begun goes on
_SALT_BYTES = 16
_SPOOL_BYTES = 8 << 20  # a stream up to here stays in memory, a longer one goes through a temporary file


@dataclass(frozen=True, slots=True)
class PresignedUpload:
    """A URL where a client may PUT bytes, and the id to adopt them by afterwards. Never log the URL."""

    upload_id: str
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Placed:
    """Bytes with a key that is entered in the ledger, not yet sent."""

    key: str
    sha256: str
    data: bytes | bytearray = field(repr=False)


def _no_ledger(key: str, size: int) -> bool:  # noqa: ARG001 - the shape of Enter
    return True


class BlobStore:
    """One bucket of an S3 endpoint, with an optional local cache in front. Threads may share it; forks and pickles
    connect anew. Besides the errors named, every method may raise StoreUnavailable and StoreMisconfigured. `enter` is
    called for every object before it is written (it must be a module-level function, because it is pickled)."""

    def __init__(self, config: StoreConfig, cache: BlobCache | None = None, *, enter: Enter = _no_ledger) -> None:
        self.config = config
        self._bucket = Bucket(config)
        self._cache = cache
        self._enter = enter
        self._links = Links(self._bucket, lambda: self.sources)
        self._reader = Reader(self._bucket, cache, self._links)

    def __reduce__(self) -> tuple[Callable[..., "BlobStore"], tuple[StoreConfig, BlobCache | None, Enter]]:
        return _made_anew, (self.config, self._cache, self._enter)

    @classmethod
    def from_env(cls, *, enter: Enter = _no_ledger) -> "BlobStore":
        """Return the store and cache that the MOTHERLODE_S3_* and MOTHERLODE_CACHE_* variables describe."""
        return cls(StoreConfig.from_env(), BlobCache.from_env(), enter=enter)

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """The sources to import from, by name, as the environment sets them. Raises StoreMisconfigured."""
        return read_sources(self.config)

    def ensure_bucket(self) -> None:
        """Create the bucket if it is missing."""
        self._bucket.ensure()

    # -- writing --

    def put(self, stream: BinaryIO, *, max_bytes: int | None = None) -> BlobRef:
        """Store the rest of `stream`. Idempotent; nothing is visible before all of it is stored. Raises BlobTooLarge
        past `max_bytes`, DigestCollision if other bytes have the same md5."""
        hasher = Hasher()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            while chunk := stream.read(CHUNK_BYTES):
                hasher.update(chunk)
                if max_bytes is not None and hasher.size > max_bytes:
                    raise BlobTooLarge(f"more than {max_bytes} bytes; send a smaller file")
                spool.write(chunk)
            return self._keep(hasher.digests(), spool)

    def put_file(self, file: Seekable) -> BlobRef:
        """Store a whole file: read once to be hashed and once to be sent, without a copy. Raises DigestCollision."""
        hasher = Hasher()
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            hasher.update(chunk)
        return self._keep(hasher.digests(), file)

    def put_bytes(self, data: bytes) -> BlobRef:
        """Store bytes in memory. Raises DigestCollision."""
        ref, placed = self.place(data, digests_of(data))
        self.send(placed)
        return ref

    def place(self, data: bytes, digests: Digests) -> tuple[BlobRef, Placed]:
        """Choose the key of a blob in memory and enter it in the ledger; the blob is stored only when `send` has
        returned. It is the blob's own key; if the ledger has that one closed, it is the key of a new pack with this
        blob alone, salted, that never existed before."""
        ref = BlobRef.alone(digests)
        if self._enter(ref.key, ref.size):
            return ref, Placed(ref.key, digests.sha256, data)
        placed = self._salted(data)
        return replace(ref, key=placed.key), placed

    def place_pack(self, data: bytes | bytearray) -> Placed:
        """Choose the key of a pack as `place` does. Members keep their offsets: the salt comes last."""
        sha256 = sha256_of(data)
        key = pack_key(sha256)
        return Placed(key, sha256, data) if self._enter(key, len(data)) else self._salted(data)

    def send(self, placed: Placed) -> None:
        """Store bytes that have a key. Idempotent; uses no ledger, so any thread may call it."""
        self._put_once(placed.key, io.BytesIO(placed.data), size=len(placed.data), sha256=placed.sha256)

    def put_directory(self, md5: str, chunks: Iterable[bytes]) -> None:
        """Store a directory's listing where DVC looks for it. Call it once all its files are stored: DVC assumes that
        they exist. Raises DigestMismatch if these are not the bytes with this md5."""
        hasher = Hasher()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            for chunk in chunks:
                hasher.update(chunk)
                spool.write(chunk)
            digests = hasher.digests()
            if digests.md5 != md5:
                raise DigestMismatch(f"the listing {md5} has the md5 {digests.md5}")
            self._bucket.write(directory_key(md5), spool, size=digests.size, sha256=digests.sha256)

    # -- reading --

    def get(self, ref: BlobRef) -> bytes:
        """Return the bytes, verified by size and sha256. Raises BlobMissing, BlobCorrupt."""
        return self._reader.one(ref)

    def open(self, ref: BlobRef) -> Iterator[bytes]:
        """Yield the bytes in chunks. Raises BlobMissing at the first, BlobCorrupt at the end if they did not verify:
        use none of them before the end."""
        hasher = Hasher()
        for chunk in self._reader.chunks(ref):
            hasher.update(chunk)
            yield chunk
        if (hasher.size, hasher.digests().sha256) != (ref.size, ref.sha256):
            raise corrupt(ref)

    def get_many(
        self, refs: Sequence[BlobRef], *, threads: int = 4, on_error: Callable[[BlobRef, BlobFault], None] | None = None
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """Yield each ref with its verified bytes, in order, read ahead by `threads`; neighbours in a pack come in one
        request. A missing or corrupt blob raises; with `on_error` it is passed to that instead and skipped. A store
        that is down always raises."""
        return self._reader.many(refs, threads=threads, on_error=on_error)

    def shuffled(
        self,
        refs: Sequence[BlobRef],
        *,
        seed: int,
        memory: int = MEMORY_BYTES,
        threads: int = 4,
        skip: int = 0,
        on_error: Callable[[BlobRef, BlobFault], None] | None = None,
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """Yield each ref once with its verified bytes, in an order that only refs, seed and `memory` (bytes to hold at
        most) determine: packs at random, members mixed over the packs that half of the memory holds. The disk is not
        used. The first `skip` of that order are left out and not read. Missing and corrupt blobs, and a store that is
        down, are handled as by `get_many`."""
        return self._reader.shuffled(refs, seed=seed, memory=memory, threads=threads, skip=skip, on_error=on_error)

    def has_object(self, key: str) -> bool:
        """Whether the bucket has an object of this key, whatever its content."""
        return self._bucket.head(key) is not None

    def exists(self, ref: BlobRef) -> bool:
        """Whether the object exists and is long enough (its content is verified by reading)."""
        if ref.linked:
            bucket, key = self._links.find(ref)
            there = bucket.head(key)
            return there is not None and there.size == ref.size
        found = self._bucket.head(ref.key)
        return found is not None and (found.size >= ref.end if ref.packed else found.size == ref.size)

    # -- removing: for the collector, which keeps the ledger --

    def remove_object(self, key: str) -> None:
        """Delete an object with all that is in it, if it exists."""
        self._bucket.remove(key)

    def blank(self, key: str, parts: Sequence[tuple[int, int]]) -> None:
        """Overwrite parts (offset, size) of a pack with zeros, in one PUT: its other members keep their offsets, and
        are read one by one from then on. Raises BlobMissing."""
        data = bytearray(self._bucket.read(key, 0, SINGLE_PUT_BYTES, ranged=False))
        for offset, size in parts:
            data[offset : offset + size] = bytes(size)
        self._bucket.write(key, io.BytesIO(data), size=len(data), sha256=sha256_of(data))

    def forget(self, names: Iterable[str]) -> None:
        """Remove files from this machine's cache, by digest."""
        for name in names:
            if self._cache is not None:
                self._cache.drop(name)

    # -- clients without the platform in between --

    def reading_link(self, key: str, offset: int, *, expires: timedelta) -> str:
        """Return a URL by which our own programs may read an object of blobs until it `expires`; for linked blobs, that
        of entry `offset` of the table of links. Raises DigestInvalid for anything else, BlobMissing."""
        if (table := linked_table(key)) is not None:
            bucket, place = self._links.place_of(table, offset)
            return bucket.reading_link(place, expires=expires)
        if not is_blobs(key):
            raise DigestInvalid(f"no blob lies at {key!r}")
        return self._bucket.reading_link(key, expires=expires)

    def presigned_put(self, *, size: int, expires: timedelta = LONGEST_UPLOAD) -> PresignedUpload:
        """Return a place for one direct upload of exactly `size` bytes, begun within a minute at most: the store
        refuses more and fewer. What is uploaded there is untrusted until `adopt`."""
        if not timedelta() < expires <= LONGEST_UPLOAD:
            raise ValueError(f"expires must lie in 0..{LONGEST_UPLOAD}")
        upload_id = new_upload_id()
        self._enter(upload_key(upload_id), 0)
        path = f"/{self.config.bucket}/{checked(upload_key(upload_id))}"
        url = signed_put_url(self.config, path, size=size, expires=expires, now=time.time())
        return PresignedUpload(upload_id, url)

    def adopt(self, upload_id: str, *, max_bytes: int, sha256: str | None = None) -> BlobRef:
        """Make a direct upload a blob and delete the upload. The bytes are read, hashed and stored under their own key,
        never moved: the upload's URL may be used again, and later writes through it do not change the blob. Raises
        UploadMissing, BlobTooLarge, and DigestMismatch if `sha256` was announced and differs."""
        key = upload_key(upload_id)
        size = self.upload_size(upload_id)
        if size > max_bytes:
            self._bucket.remove(key)
            raise BlobTooLarge(f"the upload has {size} bytes, allowed are {max_bytes}")
        hasher = Hasher()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            for chunk in self.open_upload(upload_id):
                hasher.update(chunk)
                spool.write(chunk)
            digests = hasher.digests()
            if sha256 is not None and digests.sha256 != sha256:
                self._bucket.remove(key)
                raise DigestMismatch(f"the upload's sha256 is {digests.sha256}, announced was another")
            ref = self._keep(digests, spool)
        self._bucket.remove(key)
        return ref

    def upload_size(self, upload_id: str) -> int:
        """Return the size in bytes of the upload with this id. Raises UploadMissing."""
        found = self._bucket.head(upload_key(upload_id))
        if found is None:
            raise UploadMissing("nothing was uploaded under this id")
        return found.size

    def open_upload(self, upload_id: str) -> Iterator[bytes]:
        """Yield the upload with this id in chunks, unverified; the upload stays. Raises UploadMissing."""
        try:
            yield from self._bucket.stream(upload_key(upload_id), 0, self.upload_size(upload_id))
        except BlobMissing as error:
            raise UploadMissing("the upload went away while it was read") from error

    def discard_upload(self, upload_id: str) -> None:
        """Delete the upload with this id, if it exists."""
        self._bucket.remove(upload_key(upload_id))

    # -- inside --

    def _keep(self, digests: Digests, data: Seekable) -> BlobRef:
        ref = BlobRef.alone(digests)
        if self._enter(ref.key, ref.size):
            self._put_once(ref.key, data, size=ref.size, sha256=ref.sha256)
            return ref
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as salted:
            data.seek(0)
            while chunk := data.read(CHUNK_BYTES):
                salted.write(chunk)
            salted.write(secrets.token_bytes(_SALT_BYTES))
            salted.seek(0)
            stored = hash_stream(cast(BinaryIO, salted))  # it only reads
            key = pack_key(stored.sha256)
            self._enter(key, stored.size)
            self._put_once(key, salted, size=stored.size, sha256=stored.sha256)
            return replace(ref, key=key)

    def _salted(self, data: bytes | bytearray) -> Placed:
        salted = data + secrets.token_bytes(_SALT_BYTES)
        sha256 = sha256_of(salted)
        key = pack_key(sha256)
        self._enter(key, len(salted))
        return Placed(key, sha256, salted)

    def _put_once(self, key: str, data: Seekable, *, size: int, sha256: str) -> None:
        """Write unless the same bytes are there already. Two writers at once both write the same: S3 replaces in one
        step."""
        found = self._bucket.head(key)
        if found is not None and (found.size, found.sha256) == (size, sha256):
            return
        if found is not None and self._is_same(key, found.size, sha256):
            return
        self._bucket.write(key, data, size=size, sha256=sha256)

    def _is_same(self, key: str, size: int, sha256: str) -> bool:
        """Whether an object under our key that others wrote has the same bytes; False for a damaged one. Raises
        DigestCollision for a forged one."""
        hasher = Hasher()
        with suppress(BlobMissing):
            for chunk in self._bucket.stream(key, 0, size):
                hasher.update(chunk)
        stored = hasher.digests()
        if not is_pack(key) and key == blob_key(stored.md5) and stored.sha256 != sha256:
            raise DigestCollision(f"other bytes with the md5 {stored.md5} are stored already")
        return stored.sha256 == sha256


def _made_anew(config: StoreConfig, cache: BlobCache | None, enter: Enter) -> BlobStore:
    return BlobStore(config, cache, enter=enter)
