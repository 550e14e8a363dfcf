"""One bucket over the MinIO SDK: bounded time, bounded retries, and the SDK's many errors mapped to our few.

Nothing here verifies content; `blobs.store` does. Plain GET, HEAD, PUT, DELETE and multipart only; LIST is for
maintenance (`listed`), never for serving requests.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, BinaryIO, Protocol, TypeVar, cast

import urllib3
from minio import Minio
from minio.commonconfig import ENABLED, Filter
from minio.error import InvalidResponseError, S3Error, ServerError
from minio.lifecycleconfig import AbortIncompleteMultipartUpload, LifecycleConfig, Rule
from urllib3.exceptions import HTTPError, MaxRetryError, ProtocolError, ReadTimeoutError, ResponseError

from blobs.credentials import provider_of
from blobs.errors import BlobArchived, BlobFault, BlobMissing, StoreFailed, StoreMisconfigured, StoreSilent
from blobs.keys import checked
from blobs.settings import StoreConfig
from worker_programs.breaker import Breaker

log = logging.getLogger(__name__)
T = TypeVar("T")

SINGLE_PUT_BYTES = 64 << 20  # up to here one PUT, held in memory; above, multipart
_MIN_PART_BYTES = 5 << 20  # S3's own limit
_PART_BYTES = 16 << 20
_STREAM_BYTES = 256 << 10
_BROKEN_UPLOADS_DAYS = 2
_CONNECTIONS = 32
_UNREADY = (500, 502, 503, 504)
_SHA256_HEADER = "x-amz-meta-sha256"
_MISSING = {"NoSuchKey", "NoSuchObject", "NoSuchVersion"}
_OPERATOR = {"NoSuchBucket", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "RequestTimeTooSkewed",
             "ExpiredToken", "InvalidToken"}  # fmt: skip
_OTHER_REGION = {"AuthorizationHeaderMalformed", "PermanentRedirect"}
# The request's body was damaged on its way; sending it again is right.
_DAMAGED = {"XAmzContentSHA256Mismatch", "BadDigest", "InvalidDigest", "IncompleteBody", "RequestTimeout"}


Observer = Callable[[str, float], None]
"""Is told of every call to the store: `ok`, `missing`, `silent`, `refused` or `failed`, and its seconds."""
observers: list[Observer] = []


class _BrokenOffError(Exception):
    """An answer or a request was cut off, damaged or stalled halfway: try again."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to HEAD: the size in bytes, and the sha256 we stored as metadata ("" for an object that others put
    there)."""

    size: int
    sha256: str


class Seekable(Protocol):
    """A stream of bytes that can be read again from the start."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, /) -> int: ...


class Bucket:
    """A bucket of objects by key. Threads may share it; after a fork or unpickling it connects anew."""

    checked = staticmethod(checked)  # the last gate before the network

    def __init__(self, config: StoreConfig) -> None:
        self.config = config
        self._pid = 0
        self._made: Minio | None = None
        self._breaker = Breaker(rest=config.rest)

    def __reduce__(self) -> tuple[type["Bucket"], tuple[StoreConfig]]:
        return type(self), (self.config,)

    def ensure(self) -> None:
        """Create the bucket if it is missing, and have the store delete the parts of aborted multipart uploads: they
        are no objects, so no ledger knows them."""
        with self.asking(self.config.bucket):
            if not self._client.bucket_exists(self.config.bucket):
                try:
                    self._client.make_bucket(self.config.bucket)
                except S3Error as error:  # another process was first
                    if error.code not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                        raise
            self._drop_broken_uploads()

    def _drop_broken_uploads(self) -> None:
        """Set a lifecycle rule, unless an operator has set rules; a store that doesn't support it answers with an
        error, which is logged."""
        rule = Rule(
            ENABLED,
            rule_filter=Filter(prefix=""),
            rule_id="broken-uploads",
            abort_incomplete_multipart_upload=AbortIncompleteMultipartUpload(_BROKEN_UPLOADS_DAYS),
        )
        try:
            if self._client.get_bucket_lifecycle(self.config.bucket) is None:
                self._client.set_bucket_lifecycle(self.config.bucket, LifecycleConfig([rule]))
        except (S3Error, ValueError) as error:
            log.info("%s takes no rule for broken uploads (%s)", self.config.bucket, type(error).__name__)

    def head(self, key: str) -> Found | None:
        """Return the size and sha256 of the object under `key`, None if there is none."""
        try:
            with self.asking(key):
                stat = self._client.stat_object(self.config.bucket, self.checked(key))
        except BlobMissing:
            return None
        return Found(stat.size or 0, (stat.metadata or {}).get(_SHA256_HEADER, ""))

    def read(self, key: str, offset: int, length: int, *, ranged: bool = True) -> bytes:
        """Return `length` bytes of `key` from `offset`; fewer if the object ends before. With `ranged=False` it reads
        the object from its start, and returns one byte more if the object is longer, so that you notice. Raises
        BlobMissing, StoreUnavailable."""
        if ranged and not length:
            return b""

        def attempt() -> bytes:
            return b"".join(self._body(key, offset, length, ranged=ranged))

        return self._again(key, attempt)

    def read_into(self, key: str, offset: int, buffer: memoryview) -> int:
        """Fill `buffer` with bytes of `key` from `offset`; returns how many there were. Raises like `read`."""

        def attempt() -> int:
            at = 0
            for chunk in self._body(key, offset, len(buffer), ranged=True):
                buffer[at : at + len(chunk)] = chunk
                at += len(chunk)
            return at

        return self._again(key, attempt)

    def stream(self, key: str, offset: int, length: int) -> Iterator[bytes]:
        """Yield the bytes in chunks; a connection that breaks is resumed where it broke. Raises like `read`."""
        done, failures = 0, 0
        while done < length:
            try:
                for chunk in self._body(key, offset + done, length - done, ranged=True):
                    done += len(chunk)
                    yield chunk
                break
            except _BrokenOffError as error:
                failures += 1
                if failures >= self.config.attempts:
                    raise _unavailable(key, error) from error
                time.sleep(self.config.backoff * 2**failures)

    def write(self, key: str, data: Seekable, *, size: int, sha256: str) -> None:
        """Put `size` bytes from the start of `data` under `key`, with their sha256 as metadata: all or nothing."""

        def attempt() -> None:
            data.seek(0)
            with self.asking(key):
                self._client.put_object(
                    self.config.bucket,
                    self.checked(key),
                    cast(BinaryIO, data),  # it only reads
                    size,
                    metadata={"sha256": sha256},
                    part_size=max(_MIN_PART_BYTES, size) if size <= SINGLE_PUT_BYTES else _PART_BYTES,
                    num_parallel_uploads=2,
                )

        self._again(key, attempt)

    def remove(self, key: str) -> None:
        """Delete the object, if there is one."""
        with self.asking(key):
            self._client.remove_object(self.config.bucket, self.checked(key))

    def listed(self) -> Iterator[tuple[str, int]]:
        """Yield every object's key and size in bytes, as of the time when its page was requested."""
        items = self._client.list_objects(self.config.bucket, recursive=True)
        while True:
            with self.asking(self.config.bucket):
                item = next(items, None)
            if item is None:
                return
            yield item.object_name or "", item.size or 0

    def reading_link(self, key: str, *, expires: timedelta) -> str:
        """Return a URL for a GET of one object until it expires, for our own programs: it uses the same endpoint as we
        do."""
        return self._client.get_presigned_url("GET", self.config.bucket, self.checked(key), expires=expires)

    def _body(self, key: str, offset: int, length: int, *, ranged: bool) -> Iterator[bytes]:
        """Yield at most `length` bytes (one more if not `ranged` and there are more), in chunks."""
        left = length if ranged else length + 1
        try:
            with self.asking(key):
                response = self._answer(key, (offset, length) if ranged else (0, 0))  # no Range header at all
        except BeyondTheEndError:
            return
        try:
            while left and (chunk := response.read(min(_STREAM_BYTES, left))):
                left -= len(chunk)
                yield chunk
        except (ProtocolError, ReadTimeoutError) as error:
            raise _BrokenOffError(type(error).__name__) from error
        finally:
            if ranged and not left:
                response.release_conn()
            else:
                response.close()

    def _answer(self, key: str, span: tuple[int, int]) -> Any:
        """Return the answer to a GET of (offset, length), its body still unread."""
        return self._client.get_object(self.config.bucket, self.checked(key), *span)

    def _again(self, key: str, attempt: Callable[[], T]) -> T:
        """Call `attempt` and return its result; repeat it if it breaks off halfway. (The connection pool below already
        repeats what fails before an answer starts.)"""
        for number in range(1, self.config.attempts + 1):
            try:
                return attempt()
            except _BrokenOffError as error:
                if number == self.config.attempts:
                    raise _unavailable(key, error) from error
                time.sleep(self.config.backoff * 2**number)
        raise StoreMisconfigured("the store's `attempts` must be at least 1")

    @contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """Wrap one call of the SDK: translate its errors and the network's to ours. Raises StoreSilent without a try
        for a while after a call to the store timed out."""
        if not self._breaker.lets_through():
            raise StoreSilent(f"the object store does not answer ({self.config.bucket}/{key}); try again later")
        try:
            with observed(), _translated(self.config.bucket, key):
                yield
        except StoreSilent as error:
            if isinstance(getattr(error.__cause__, "reason", None), urllib3.exceptions.TimeoutError):
                self._breaker.silent()
            raise
        except Exception:
            self._breaker.heard()
            raise
        self._breaker.heard()

    @property
    def _client(self) -> Minio:
        """The process's own client, because sockets must not be shared over a fork."""
        if self._made is None or self._pid != os.getpid():
            self._made = _minio(self.config, self.config.endpoint, secure=self.config.secure)
            self._pid = os.getpid()
        return self._made


class BeyondTheEndError(Exception):
    """The object ends before the first requested byte."""


def pool_for(config: StoreConfig) -> urllib3.PoolManager:
    """Return a connection pool with the config's timeouts and retries."""
    retries = urllib3.Retry(
        total=config.attempts - 1,
        redirect=False,
        allowed_methods=None,  # every request we make is idempotent
        status_forcelist=_UNREADY,
        backoff_factor=config.backoff,
        raise_on_status=False,
    )
    timeout = urllib3.Timeout(connect=config.connect_timeout, read=config.read_timeout)
    return urllib3.PoolManager(num_pools=4, maxsize=_CONNECTIONS, timeout=timeout, retries=retries)


def _minio(config: StoreConfig, endpoint: str, *, secure: bool) -> Minio:
    return Minio(
        endpoint,
        credentials=provider_of(config),
        secure=secure,
        region=config.region,
        http_client=pool_for(config),
    )


@contextmanager
def observed() -> Iterator[None]:
    """Tell the observers how a call went and how long it took."""
    began, outcome = time.monotonic(), "ok"
    try:
        yield
    except Exception as error:
        outcome = _outcome_of(error)
        raise
    finally:
        for observe in observers:
            observe(outcome, time.monotonic() - began)


def _outcome_of(error: Exception) -> str:
    if isinstance(error, (BlobMissing, BeyondTheEndError)):
        return "missing"
    if isinstance(error, StoreMisconfigured):
        return "refused"
    return "silent" if isinstance(error, StoreSilent) else "failed"


@contextmanager
def _translated(bucket: str, key: str) -> Iterator[None]:
    """Translate errors of the SDK and of the network to ours."""
    try:
        yield
    except S3Error as error:
        raise _from_s3(error, bucket, key) from error
    except (ServerError, InvalidResponseError, MaxRetryError) as error:
        raise _unavailable(f"{bucket}/{key}", error) from error
    except HTTPError as error:
        raise _BrokenOffError(type(error).__name__) from error


def _from_s3(error: S3Error, bucket: str, key: str) -> Exception:
    code = error.code or ""
    if code in _MISSING:
        return BlobMissing(f"the object {key} is not in the store")
    if code == "InvalidRange":
        return BeyondTheEndError()
    if code in _DAMAGED:
        return _BrokenOffError(code)
    if code == "InvalidObjectState":
        return BlobArchived(f"the object {key} is in an archive tier of its store ({code}): restore it there first")
    place = repr(bucket) if key in {"", bucket} else f"{bucket!r} and {key!r} in it"
    if code in _OPERATOR:
        told = f"asked for the bucket {place}, the object store answered {code}"
        return StoreMisconfigured(f"{told}: check its address, keys and bucket")
    if code in _OTHER_REGION:
        told = f"asked for the bucket {place}, the object store answered {code}"
        return StoreMisconfigured(f"{told}: check its region ({error.message})")
    return _unavailable(f"{bucket}/{key}", error)


def _unavailable(key: str, error: Exception) -> BlobFault:
    if isinstance(error, MaxRetryError) and not isinstance(error.reason, ResponseError):  # no answer to any attempt
        return StoreSilent(f"the object store does not answer ({key}: {type(error.reason).__name__}); try again later")
    reason = getattr(error, "code", None) or type(error).__name__
    return StoreFailed(f"the object store failed on {key} ({reason}); try again later")
