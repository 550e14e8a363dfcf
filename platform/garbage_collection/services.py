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
    """Queue a collection; `grace` in hours, by default the setting's. The caller must wake the job.

    Raises Invalid (grace), or Conflict (`collection_open`) while another one is running.
    """
    hours = settings.GC_GRACE_HOURS if grace is None else grace
    if not SHORTEST_GRACE <= hours <= LONGEST_GRACE:
        raise Invalid.field("grace", f"must be {SHORTEST_GRACE:g} to {LONGEST_GRACE:g} hours")
    if (found := open_collection()) is not None and not dry_run:
        raise Conflict(f"Job {found.pk} is collecting already: wait for it.", code="collection_open")
    title = "List unreferenced files" if dry_run else "Delete unreferenced files"
    params = {"dry_run": dry_run, "grace": hours}
    sole = "" if dry_run else KIND  # of two requests at once the second gets the first one's job
    return create_job(KIND, title, shards=[ShardSpec(params)], params=params, unit="rows", created_by=by, sole=sole)


def open_collection() -> Job | None:
    """Return the collection that is queued or running, if any."""
    return Job.objects.filter(kind=KIND, state__in=Job.OPEN, params__dry_run=False).first()


def collect(grace: timedelta, work: Work) -> dict[str, Any]:
    """Run all steps. Each commits separately and may be repeated: after a kill, a new run starts over and finishes.

    Returns what was kept; what was deleted is counted by `work`.
    """
    rows.drop_unreachable(grace, work)
    objects.close_unused(grace, work)
    finish(grace, work)
    packs.empty_thin_packs(grace, work)
    finish(grace, work)
    objects.forget_gone(work)
    return {"kept": Blob.objects.count()}


def finish(grace: timedelta, work: Work) -> None:
    """Finish closed objects: overwrite their erased parts, empty them, remove them."""
    objects.blank_closed(work)
    while packs.empty_closed(work):  # a copy made during an erasure gets closed too
        objects.blank_closed(work)
    objects.remove_closed(grace, work)


def extent() -> int:
    """Estimate how many rows a collection looks at."""
    return Blob.objects.count() + 2 * StoredObject.objects.count()
