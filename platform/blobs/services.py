"""The process's one store, and rows for the blobs in it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from django.db import connection, transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now

from blobs import ledger
from blobs.errors import DigestCollision
from blobs.models import Blob, Conversion
from blobs.refs import BlobRef
from blobs.store import BlobStore
from core.bulk import insert
from core.errors import Unavailable

T = TypeVar("T")
CHUNK = 500
FACTS = ("media_type", "width", "height", "phash", "sketch")
# A blob that was found so recently needs no new date: bulk uploads of known bytes would write each row again.
SEEN_LATELY = timedelta(minutes=10)


@cache
def store() -> BlobStore:
    """Return the object store named by the environment, with this machine's cache in front; it writes no object that is
    not in the ledger. A thread that stores bytes in it uses the database, and must close its connection when it
    ends."""
    return BlobStore.from_env(enter=ledger.enter)


def served(ref: BlobRef) -> Iterator[bytes]:
    """Yield the bytes in chunks, the last one only after all of them verified: a corrupt blob arrives too short, never
    whole. Raises like BlobStore.open."""
    held: bytes | None = None
    for chunk in store().open(ref):
        if held is not None:
            yield held
        held = chunk
    if held is not None:
        yield held


def keep(stream: BinaryIO, *, media_type: str) -> Blob:
    """Put a stream into the store and its row into the database; return the row. Idempotent."""
    return row_for(store().put(stream), media_type=media_type)


def keep_bytes(data: bytes, *, media_type: str) -> Blob:
    """Put bytes in memory into the store and their row into the database; return the row. Idempotent."""
    return row_for(store().put_bytes(data), media_type=media_type)


def row_for(ref: BlobRef, **facts: Any) -> Blob:
    """Return the row of stored bytes, made if it is missing."""
    return rows_for([(ref, facts)])[ref.md5]


def rows_for(stored: Iterable[tuple[BlobRef, dict[str, Any]]]) -> dict[str, Blob]:
    """Return rows by md5 for stored bytes, made if missing; safe beside other writers and the collector.

    Raises Unavailable (`bytes_collected`) if the bytes were removed since they were put there.
    """
    new = [Blob.row(ref, **facts) for ref, facts in stored]
    with transaction.atomic():
        ledger.hold(new)
        insert(new, skip_conflicts=True)
        found = by_md5([blob.md5 for blob in new])
        # Somebody stored the same bytes elsewhere at the same time, and was first.
        ledger.leave_behind(blob.ref for blob in new if found[blob.md5].key != blob.key)
    return found


def save_rows(blobs: Sequence[Blob]) -> None:
    """Save many unsaved rows, no two with one md5: each gets the id of the existing row, old or new.

    If a blob was stored as mere bytes and is now known as an image, its row is updated. Raises DigestCollision, and
    like `rows_for`.
    """
    columns = ("md5", "pk", "sha256", "width", "key")
    with transaction.atomic():
        ledger.hold(blobs)
        insert(blobs, skip_conflicts=True)
        rows = Blob.objects.filter(md5__in=[blob.md5 for blob in blobs]).values_list(*columns)
        found = {md5: (pk, sha256, width, key) for md5, pk, sha256, width, key in rows}
        ledger.leave_behind(blob.ref for blob in blobs if found[blob.md5][-1] != blob.key)
    for blob in blobs:
        blob.pk, sha256, width, _ = found[blob.md5]
        if sha256 != blob.sha256:
            raise DigestCollision(f"Other bytes with the md5 {blob.md5} are stored already.")
        if width is None and blob.width is not None:
            Blob.objects.filter(pk=blob.pk).update(**{name: getattr(blob, name) for name in FACTS})


def by_md5(digests: Sequence[str]) -> dict[str, Blob]:
    """Return the rows that exist, by md5. Each is marked as seen: during the grace period it will not be collected, so
    a caller who found it need not send its bytes."""
    found: dict[str, Blob] = {}
    old = ExpressionWrapper(Q(seen__lt=Now() - SEEN_LATELY), output_field=BooleanField())
    for chunk in chunks(digests):
        rows = Blob.objects.filter(md5__in=chunk)
        asked = list(rows.annotate(long_ago=old))
        if stale := [blob.md5 for blob in asked if blob.long_ago]:
            Blob.objects.filter(md5__in=stale).update(seen=Now())
            found |= {blob.md5: blob for blob in rows.all()}  # without what was collected in between
        else:
            found |= {blob.md5: blob for blob in asked}
    return found


def note_conversions(made: Iterable[tuple[Blob, Blob]]) -> None:
    """Record that each first blob was converted to the second; both are saved. An earlier record stays."""
    rows: dict[int, Conversion] = {}
    kinds: dict[str, list[int]] = {}
    for original, image in made:
        rows[original.pk] = Conversion(original_id=original.pk, made_id=image.pk)
        kinds.setdefault(original.media_type, []).append(original.pk)
    insert(list(rows.values()), skip_conflicts=True)
    for media_type, ids in kinds.items():  # the kind of some was not known
        for some in chunks(ids):
            Blob.objects.filter(pk__in=some).exclude(media_type=media_type).update(media_type=media_type)


def conversions_of(digests: Iterable[str]) -> dict[str, tuple[Blob, Blob]]:
    """Return (original, converted blob) by the original's md5. Each is marked as seen, as by `by_md5`."""
    found: dict[str, tuple[Blob, Blob]] = {}
    for names in chunks(digests):
        rows = Conversion.objects.filter(original__md5__in=names).values_list("original__md5", "made__md5")
        pairs = dict(rows)
        blobs = by_md5([*pairs, *pairs.values()])
        found |= {first: (blobs[first], blobs[then]) for first, then in pairs.items() if {first, then} <= blobs.keys()}
    return found


def rely_on(ids: Iterable[int]) -> None:
    """Keep the rows of these blobs until the transaction ends; call it inside the one that refers to them.

    Raises Unavailable (`bytes_collected`) if one is gone: its bytes must be sent again.
    """
    for chunk in chunks(sorted(set(ids))):
        if len(_share(chunk)) < len(chunk):
            raise Unavailable(
                "Bytes this relies on were taken away while it was under way: send them again.", code="bytes_collected"
            )


def _share(ids: Sequence[int]) -> list[int]:
    """Return the rows that exist, locked against deletion only: two commits may refer to the same blob at once.
    (SQLite's transaction has locked the whole database already.)"""
    rows = Blob.objects.filter(pk__in=ids).order_by("pk").values_list("pk", flat=True)
    if not connection.features.has_select_for_update:
        return list(rows)
    sql, params = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} FOR KEY SHARE", params)  # Django has no API for this lock
        return [row[0] for row in cursor.fetchall()]


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Split items into lists that a database takes in one query."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
