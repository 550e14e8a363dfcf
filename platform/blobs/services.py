"""The one store of this process, and rows for what lies in it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.store import BlobStore

T = TypeVar("T")
CHUNK = 500


@cache
def store() -> BlobStore:
    """The object store named by the environment, with this machine's cache in front."""
    return BlobStore.from_env()


def keep(stream: BinaryIO, *, media_type: str) -> Blob:
    """Put a stream into the store and its row into the database. Idempotent."""
    return row_for(store().put(stream), media_type=media_type)


def keep_bytes(data: bytes, *, media_type: str) -> Blob:
    """The same for bytes in memory."""
    return row_for(store().put_bytes(data), media_type=media_type)


def row_for(ref: BlobRef, **facts: Any) -> Blob:
    """The row of stored bytes, made when it is missing."""
    return rows_for([(ref, facts)])[ref.md5]


def rows_for(stored: Iterable[tuple[BlobRef, dict[str, Any]]]) -> dict[str, Blob]:
    """Rows by md5 for stored bytes, made where they are missing; safe beside other writers."""
    new = [Blob.row(ref, **facts) for ref, facts in stored]
    Blob.objects.bulk_create(new, ignore_conflicts=True, batch_size=CHUNK)
    return by_md5([blob.md5 for blob in new])


def by_md5(digests: Sequence[str]) -> dict[str, Blob]:
    """The rows that exist, by md5."""
    found: dict[str, Blob] = {}
    for chunk in chunks(digests):
        found |= {blob.md5: blob for blob in Blob.objects.filter(md5__in=chunk)}
    return found


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Cut into lists a database takes in one query."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
