"""Delete rows of blobs that nothing refers to. They are deleted first, in a transaction; their objects follow by the
ledger.

A commit that refers to a blob locks its row until it ends (`blobs.services.rely_on`). This code skips locked rows, and
checks for references again once it holds the lock itself: a reference committed meanwhile is seen, and a later commit
finds no row and sends the bytes again. `seen` only makes that rare: an upload that found the bytes here has the grace
period to commit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet

from blobs import ledger
from blobs.keys import is_pack, pack_sha256
from blobs.models import Blob
from blobs.references import unreachable
from blobs.services import store
from garbage_collection.work import Work, before

WINDOW = 5000
BATCH = 500


def drop_unreachable(grace: timedelta, work: Work) -> None:
    """Delete the rows of all blobs that nothing refers to and that nobody has requested within `grace`."""
    for window in windows():
        work.check()
        dead = list(collectable(window, grace).values_list("pk", flat=True))
        for start in range(0, len(dead), BATCH):
            work.check()
            forget(_drop(dead[start : start + BATCH], grace, work))
        work.done(WINDOW)


def collectable(rows: QuerySet[Blob], grace: timedelta) -> QuerySet[Blob]:
    """Filter `rows` to those that can be deleted."""
    return unreachable(rows.filter(seen__lt=before(grace)))


def windows() -> Iterator[QuerySet[Blob]]:
    """Yield all rows in ranges of their ids, so that no query takes longer when there are many."""
    last = 0
    while ids := list(Blob.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:WINDOW]):
        yield Blob.objects.filter(pk__gt=last, pk__lte=ids[-1])
        last = ids[-1]


def forget(blobs: Iterable[Blob]) -> None:
    """Delete these blobs, their packs and their thumbnails from this machine's cache."""
    names = {name for blob in blobs for name in (blob.md5, f"thumb-{blob.md5}", _pack_name(blob.key))}
    store().forget(filter(None, names))


@transaction.atomic
def _drop(ids: Sequence[int], grace: timedelta, work: Work) -> list[Blob]:
    locked = Blob.objects.filter(pk__in=ids).select_for_update(skip_locked=True).values_list("pk", flat=True)
    # A new query under the lock: it sees what was committed since the first one.
    dead = list(collectable(Blob.objects.filter(pk__in=list(locked)), grace))
    delete(dead, work)
    return dead


def delete(dead: Sequence[Blob], work: Work) -> None:
    """Delete the locked rows of blobs that nothing refers to, inside a transaction."""
    sizes: Counter[str] = Counter()
    for blob in dead:
        sizes[blob.key] = max(sizes[blob.key], blob.offset + blob.size)
    ledger.adopt(sizes)  # else the object of a row that was made without the ledger would be forgotten
    ledger.leave_behind(blob.ref for blob in dead)
    Blob.objects.filter(pk__in=[blob.pk for blob in dead]).delete()
    work.count(blobs=len(dead))


def _pack_name(key: str) -> str:
    return pack_sha256(key) if is_pack(key) else ""
