"""The rules of collecting: when one may start, and its steps in their order."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from accounts.models import User
from blobs.models import Blob, StoredObject
from core.errors import Conflict, Invalid
from garbage_collection import objects, packs, rows
from garbage_collection.work import Work
from jobs.models import Job
from jobs.services import ShardSpec, create_job

KIND = "collect"
SHORTEST_GRACE = 1.0  # hours: an upload that found its bytes here must have time to commit
LONGEST_GRACE = 24.0 * 365


def start_collection(*, dry_run: bool = False, grace: float | None = None, by: User | None = None) -> Job:
    """A queued collection; `grace` in hours, the setting's without it. The caller's edge wakes it.

    Raises Invalid (grace), or Conflict (`collection_open`) while another one is under way.
    """
    hours = settings.GC_GRACE_HOURS if grace is None else grace
    if not SHORTEST_GRACE <= hours <= LONGEST_GRACE:
        raise Invalid.field("grace", f"must be {SHORTEST_GRACE:g} to {LONGEST_GRACE:g} hours")
    if (found := open_collection()) is not None and not dry_run:
        raise Conflict(f"Job {found.pk} is collecting already: wait for it.", code="collection_open")
    title = "See what nothing refers to" if dry_run else "Take away what nothing refers to"
    params = {"dry_run": dry_run, "grace": hours}
    return create_job(KIND, title, shards=[ShardSpec(params)], params=params, unit="rows", created_by=by)


def open_collection() -> Job | None:
    """The collection that is under way, if any."""
    return Job.objects.filter(kind=KIND, state__in=Job.OPEN, params__dry_run=False).first()


def collect(grace: timedelta, work: Work) -> dict[str, Any]:
    """All steps. Each commits on its own and may be taken again: who was killed in the middle begins anew and finishes.

    Returns what was kept; what was taken away is in what `work` counted.
    """
    rows.drop_unreachable(grace, work)
    objects.close_unused(grace, work)
    finish(grace, work)
    packs.empty_thin_packs(grace, work)
    finish(grace, work)
    objects.forget_gone(work)
    return {"kept": Blob.objects.count()}


def finish(grace: timedelta, work: Work) -> None:
    """Bring what is closed to its end: overwritten, emptied, removed."""
    objects.blank_closed(work)
    while packs.empty_closed(work):  # a copy made in the middle of an erasure is closed in its turn
        objects.blank_closed(work)
    objects.remove_closed(grace, work)


def extent() -> int:
    """About how many rows a collection looks at."""
    return Blob.objects.count() + 2 * StoredObject.objects.count()
