"""Objects of the bucket, by their rows in the ledger: close those that nothing needs, then remove closed ones.

Closing is a decision of the database: a writer that entered the object before and makes rows of it later holds its
ledger row (`blobs.ledger.hold`), so either it is first and the object stays, or it finds it closed and sends the bytes
again. Removal comes after that and is final: nobody writes under a closed key, nor under a gone one until its row is
deleted a week later. A kill between any two steps leaves a row with which the next run continues.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from blobs.models import Remnant, StoredObject
from blobs.references import unused
from blobs.services import store
from blobs.store import LONGEST_UPLOAD
from garbage_collection.work import Work, before
from jobs.models import Job

PAGE = 500
REMOVALS = 4  # requests at a time
# A direct upload's URL may be used again until it expires.
UPLOADS_STAY = 2 * LONGEST_UPLOAD
# How long a key is not used again: longer than a process can be frozen between its decision to remove the object and
# the request, and then still continue.
GONE_STAYS = timedelta(days=7)
OWN_KINDS = ("collect", "erase")


def close_unused(grace: timedelta, work: Work) -> None:
    """Close the objects that hold no blob's bytes and that nobody has written to since `grace`."""
    for page in pages(StoredObject.objects.present()):
        work.check()
        with transaction.atomic():
            ids = [row.pk for row in page]
            locked = StoredObject.objects.filter(pk__in=ids).select_for_update(skip_locked=True, no_key=True)
            rows = StoredObject.objects.filter(pk__in=[row.pk for row in locked])
            closable(rows, grace).update(state=StoredObject.State.CLOSED, closed=Now())
        work.done(len(page))


def closable(rows: QuerySet[StoredObject], grace: timedelta) -> QuerySet[StoredObject]:
    """Filter `rows` to objects that nothing needs and that nobody is about to refer to."""
    uploads = Q(key__startswith="tmp/", written__gte=before(UPLOADS_STAY))
    return unused(rows.filter(state=StoredObject.State.PRESENT, written__lt=before(grace))).exclude(uploads)


def blank_closed(work: Work) -> None:
    """Overwrite with zeros the erased parts of packs that still hold other members, or that rows refer to."""
    for page in pages(StoredObject.objects.closed().exclude(blanks=[])):
        for row in page:
            work.check()
            if row.moved or not unused(StoredObject.objects.filter(pk=row.pk)).exists():
                store().blank(row.key, [(offset, size) for offset, size in row.blanks])
            with transaction.atomic():
                now = StoredObject.objects.select_for_update(no_key=True).get(pk=row.pk)
                now.blanks = [part for part in now.blanks if part not in row.blanks]
                now.save(update_fields=["blanks"])


def remove_closed(grace: timedelta, work: Work) -> None:
    """Remove the closed objects that nothing needs any more."""
    for page in pages(removable(grace)):
        work.check()
        _remove(page)
        with transaction.atomic():
            closed = StoredObject.objects.closed().filter(pk__in=[row.pk for row in page])
            # In the lock order of all code that locks several rows: two parallel collections would else deadlock.
            sizes = dict(closed.select_for_update().order_by("key").values_list("pk", "size"))
            rows = StoredObject.objects.filter(pk__in=sizes)
            rows.update(state=StoredObject.State.GONE, closed=Now(), blanks=[])
            Remnant.objects.filter(object__in=sizes).delete()
            work.count(objects=len(sizes), bytes=sum(sizes.values()))


def removable(grace: timedelta) -> QuerySet[StoredObject]:
    """Return the closed objects without members that can be removed.

    A reader that noted the offsets of a moved pack's members may still read them: the pack stays for the grace period,
    and while a job older than the move is open (manifests of programs name objects).
    """
    older = Job.objects.filter(state__in=Job.OPEN, created__lte=OuterRef("closed")).exclude(kind__in=OWN_KINDS)
    wanted = Q(moved=True) & (Q(closed__gte=before(grace)) | Q(Exists(older)))
    return unused(StoredObject.objects.closed()).exclude(wanted)


def forget_gone(work: Work) -> None:
    """Delete the rows of objects removed long ago: their keys may be used again. Each object is removed once more
    before, because a writer that entered it and was suspended until after its removal has written it again, for a
    commit that was refused."""
    gone = StoredObject.objects.filter(state=StoredObject.State.GONE, closed__lt=before(GONE_STAYS))
    for page in pages(gone):
        work.check()
        _remove(page)
        StoredObject.objects.filter(pk__in=[row.pk for row in page]).delete()


def _remove(page: list[StoredObject]) -> None:
    with ThreadPoolExecutor(REMOVALS, thread_name_prefix="removals") as pool:
        list(pool.map(store().remove_object, [row.key for row in page]))


def pages(rows: QuerySet[StoredObject]) -> Iterator[list[StoredObject]]:
    """Yield the rows in pages by id; changes to a page do not disturb the next."""
    last = 0
    while page := list(rows.filter(pk__gt=last).order_by("pk")[:PAGE]):
        yield page
        last = page[-1].pk
