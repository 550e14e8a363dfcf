"""Packs with few members still in use: these move into new packs, and the old object is removed as unused."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Sum
from django.db.models.functions import Now

from blobs import ledger
from blobs.digests import Digests, parse_md5, parse_sha256
from blobs.errors import BlobFault
from blobs.keys import is_pack
from blobs.models import Blob, StoredObject
from blobs.packs import PackWriter
from blobs.references import without_references
from blobs.refs import BlobRef
from blobs.services import store
from core.errors import Unavailable
from garbage_collection.objects import pages
from garbage_collection.work import Work, before

BATCH = 500
MOVED_AT_ONCE = 64 << 20  # bytes; their rows are in memory
CLOSED = StoredObject.State.CLOSED


def empty_thin_packs(grace: timedelta, work: Work) -> None:
    """Move the remaining members of packs whose share in use is below the setting, unless rows refer to the whole
    pack."""
    quiet = without_references(StoredObject.objects.present().filter(written__lt=before(grace)))
    _empty(quiet, work, share=settings.GC_LIVE_SHARE)


def empty_closed(work: Work) -> int:
    """Move the remaining members of packs that were closed by an erasure. Returns how many were emptied; a pack with an
    unreadable member is not."""
    return _empty(StoredObject.objects.closed(), work, share=None)


def _empty(rows: QuerySet[StoredObject], work: Work, *, share: float | None) -> int:
    emptied = 0
    for page in pages(_packs(rows)):
        work.check()
        batch: list[str] = []
        held = 0
        for row, live in live_bytes(page):
            if share is not None and live >= share * row.size:
                continue
            batch.append(row.key)
            held += live
            if held >= MOVED_AT_ONCE:
                emptied += _move(batch, work)
                batch, held = [], 0
        if batch:
            emptied += _move(batch, work)
        work.done(len(page))
    return emptied


def live_bytes(objects: Sequence[StoredObject]) -> list[tuple[StoredObject, int]]:
    """Return each object with the number of its bytes that belong to a blob."""
    sums = Blob.objects.filter(key__in=[row.key for row in objects]).order_by().values_list("key")
    live = dict(sums.annotate(live=Sum("size")))
    return [(row, live.get(row.key, 0)) for row in objects]


def _packs(rows: QuerySet[StoredObject]) -> QuerySet[StoredObject]:
    return rows.filter(Exists(Blob.objects.filter(key=OuterRef("key"))), key__startswith="packs/")


def _move(keys: Sequence[str], work: Work) -> int:
    """Copy the members of these packs, verified, into new packs; then update their rows, in one transaction for each
    old pack.

    A member that can't be read stays in its pack, which stays too: its readers get the error.
    """
    blobs = list(Blob.objects.filter(key__in=keys).order_by("key", "offset"))
    unreadable: list[BlobRef] = []

    def skip(ref: BlobRef, _: BlobFault) -> None:
        unreadable.append(ref)

    by_md5 = {blob.md5: blob for blob in blobs}
    read: list[Blob] = []
    with PackWriter(store()) as writer:
        for ref, data in store().get_many([blob.ref for blob in blobs], on_error=skip):
            work.check()
            writer.add(data, digests=Digests(parse_md5(ref.md5), parse_sha256(ref.sha256), ref.size))
            read.append(by_md5[ref.md5])
        refs = writer.close()
    moves = list(zip(read, refs, strict=True))
    emptied = 0
    for key in keys:
        # Another collection, without a grace period, may have closed the copies as unused: then the members stay.
        with suppress(Unavailable):
            emptied += _say_moved(key, [(blob, ref) for blob, ref in moves if blob.key == key], work)
    return emptied


@transaction.atomic
def _say_moved(key: str, moves: Sequence[tuple[Blob, BlobRef]], work: Work) -> bool:
    """Point the rows that are still in the old pack to the new ones; True when nothing is left in the old one.

    A row deleted meanwhile may have been erased: then its copy must be deleted as well.
    """
    old = StoredObject.objects.select_for_update(no_key=True).get(key=key)
    ledger.hold(Blob.row(ref) for _, ref in moves)
    here = Blob.objects.filter(pk__in=[blob.pk for blob, _ in moves], key=key).select_for_update(no_key=True)
    still = set(here.values_list("pk", flat=True))
    moved = [(blob, ref) for blob, ref in moves if blob.pk in still]
    ledger.leave_behind(blob.ref for blob, _ in moved)
    for blob, ref in moved:
        blob.key, blob.offset = ref.key, ref.offset
    Blob.objects.bulk_update([blob for blob, _ in moved], ["key", "offset"], batch_size=BATCH)
    close_places((ref.key, ref.offset, ref.size) for blob, ref in moves if blob.pk not in still)
    if Blob.objects.filter(key=key).exists():
        return False
    freed = without_references(StoredObject.objects.filter(pk=old.pk))
    freed.update(state=CLOSED, moved=True, closed=Now())
    work.count(rewritten=1)
    return True


def close_places(places: Iterable[tuple[str, int, int]]) -> None:
    """Inside a transaction: close the objects that hold the bytes at these (key, offset, size), so that these are
    deleted. In a pack the bytes are overwritten first, then its other members are moved out.

    A place that a blob's row names stays: somebody stored the same bytes again, and the same pack has the same key.
    This is checked with the object's row locked, because code that makes such a row holds it (`blobs.ledger.hold`).
    """
    parts: dict[str, list[list[int]]] = {}
    for key, offset, size in places:
        parts.setdefault(key, []).append([offset, size])
    for row in StoredObject.objects.filter(key__in=parts).select_for_update(no_key=True).order_by("key"):
        wanted = set(Blob.objects.filter(key=row.key).values_list("offset", flat=True))
        freed = [part for part in parts[row.key] if part[0] not in wanted]
        if freed and row.state != StoredObject.State.GONE:
            row.blanks = [*row.blanks, *(freed if is_pack(row.key) else [])]
            row.save(update_fields=["blanks"])
            StoredObject.objects.filter(pk=row.pk).update(state=CLOSED, closed=Now())
