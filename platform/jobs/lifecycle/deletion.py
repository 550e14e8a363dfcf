"""Deleting a thing for good.

A deletion is a job of two phases. The first takes one transaction: the thing and all that ends with it get the mark of
deleted things, and no list, name or address shows them any more. Until then it can be cancelled, from then on it can't.
The second takes the rows away, a batch at a time, and may be killed and run again. Bytes that nothing refers to any
more are left to the collector.
"""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import User
from core.errors import Conflict, Invalid
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.lifecycle.kinds import Fate, Kind, Part, kinds, parts_of
from jobs.lifecycle.models import LifecycleEvent, Named
from jobs.lifecycle.services import NAMED_AT_MOST, lock, note, refuse_busy
from jobs.models import Job
from jobs.services import ShardSpec, create_job

JOB = "delete"
MARK, PURGE = 0, 1
BATCH = 1000


def preview(kind: Kind, row: Named) -> dict[str, Any]:
    """What a deletion would do, with counts: `goes`, `stays`, `needs` (why it is refused), `busy`; `allowed` says
    whether it could be done now."""
    told: dict[str, Any] = {fate.value: _counted(kind, row, fate) for fate in Fate}
    allowed = row.archived is not None and not told["needs"] and not told["busy"]
    return {"name": str(row), "archived": row.archived is not None, "allowed": allowed} | told


@transaction.atomic
def start_deletion(kind: Kind, row: Named, *, confirm: str, by: User) -> Job:
    """Create a queued deletion job; the caller has to wake it.

    Raises Invalid (`confirm` is not its name), Conflict: `not_archived`, `in_use`, `still_needed`, `deletion_open`.
    """
    locked = lock(kind, row.pk)
    if confirm != str(locked):
        raise Invalid.field("confirm", f"must be its name, {str(locked)!r}: what is deleted can't be had back")
    _check(kind, locked)
    params = {"kind": kind.name, "id": row.pk}
    if Job.objects.filter(kind=JOB, state__in=Job.OPEN, params__kind=kind.name, params__id=row.pk).exists():
        raise Conflict(f"{str(locked)!r} is being deleted already.", code="deletion_open")
    total = sum(one["count"] for one in _counted(kind, locked, Fate.GOES))
    shards = [ShardSpec(units=0, phase=MARK), ShardSpec(units=max(1, total), phase=PURGE)]
    title = f"Delete {kind.noun} {locked}"[:200]
    return create_job(JOB, title, shards=shards, params=params, unit="rows", created_by=by, project=row.project_of)


class DeleteHandler:
    """Runs either phase of a deletion; each may be killed and run again."""

    lane = lanes.LIGHT
    frees_space = True

    def run(self, context: ShardContext) -> Outcome:
        params = context.job.params
        kind = kinds()[params["kind"]]
        if context.claim.shard.phase == MARK:
            return Outcome({}, lambda: _mark(kind, params["id"], context.job))
        row = kind.model.everything.get(pk=params["id"])
        gone = _purge(kind, row, context)
        return Outcome({"kind": kind.name, "name": str(row), "gone": gone})


def _mark(kind: Kind, pk: int, job: Job) -> None:
    """Mark the thing as deleted, inside the transaction that ends the first phase: the point of no return."""
    row = kind.model.everything.select_for_update(of=("self",)).get(pk=pk)
    try:
        _check(kind, row)
    except Conflict as fault:
        raise ShardFailed(f"{fault.detail} Nothing was deleted.", code=fault.code) from fault
    assert job.created_by is not None  # noqa: S101 - who asked for it
    end(kind, row, by=job.created_by, report=preview(kind, row) | {"job": job.pk})


def end(kind: Kind, row: Named, *, by: User, report: dict[str, Any]) -> None:
    """Mark a thing and all that ends with it as deleted."""
    for part in parts_of(kind.name, Fate.GOES):
        for one in _present(part, row) if part.nested else ():
            end(kinds()[part.nested], one, by=by, report={"with": f"{kind.noun} {row}"})
    name = str(row)
    kind.model.everything.filter(pk=row.pk).update(deleted=Now(), name=f"{name} (deleted {row.pk})")
    note(kind, row, LifecycleEvent.Action.DELETED, name, report, by=by)
    kind.ended(row)


def _check(kind: Kind, row: Named) -> None:
    if row.archived is None:
        detail = f"Archive {str(row)!r} first (POST /{kind.route}/{row.pk}/archive): deleting takes two steps."
        raise Conflict(detail, code="not_archived")
    refuse_busy(kind, row)
    if needs := _counted(kind, row, Fate.NEEDS):
        words = "; ".join(f"{one['count']} {one['name']}: {', '.join(one['names'])}" for one in needs)
        raise Conflict(f"{str(row)!r} is still needed by {words}.", code="still_needed", extra={"needs": needs})


def _counted(kind: Kind, row: Named, fate: Fate) -> list[dict[str, Any]]:
    """List the parts with this fate that have rows: their names, counts, and the names of the first rows where
    shown."""
    found = []
    for part in parts_of(kind.name, fate):
        rows = _present(part, row)
        if count := rows.count():
            shown = fate in {Fate.NEEDS, Fate.BUSY} or part.nested
            names = [str(one) for one in rows[:NAMED_AT_MOST]] if shown else []
            found.append({"name": part.name, "count": count, "names": names})
    return found


def _present(part: Part, row: Named) -> QuerySet[Any]:
    """Return the part's rows; of a nested kind, only those that are not deleted yet."""
    rows = part.rows(row)
    return rows.filter(deleted=None) if part.nested else rows


def _purge(kind: Kind, row: Named, context: ShardContext) -> dict[str, int]:
    """Delete the rows, what is nested first. Returns how many this run deleted, by part."""
    gone: dict[str, int] = {}
    done = context.claim.shard.units_done
    for owner, part in _emptied(kind, row):
        for count in _batches(owner, part):
            gone[part.name] = gone.get(part.name, 0) + count
            done += count
            context.progress(done, max(done, context.claim.shard.units))
            context.check()
    return gone


def _emptied(kind: Kind, row: Named) -> Iterator[tuple[Named, Part]]:
    for part in parts_of(kind.name, Fate.GOES):
        if not part.nested:
            yield row, part
            continue
        nested = kinds()[part.nested]
        for one in part.rows(row):
            yield from _emptied(nested, one)


def _batches(row: Named, part: Part) -> Iterator[int]:
    while ids := list(part.rows(row).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            part.rows(row).model._base_manager.filter(pk__in=ids).delete()  # noqa: SLF001 - past what hides the deleted
        yield len(ids)
