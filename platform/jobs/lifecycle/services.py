"""Rename, archive and restore things, and refuse what is in use. Deletion is in `deletion`."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts import audit, rights
from accounts.models import User
from core.errors import Conflict
from jobs.lifecycle.finding import refuse_archived
from jobs.lifecycle.former_names import refuse_reserved
from jobs.lifecycle.kinds import Fate, Kind, kind_of, kinds, parts_of
from jobs.lifecycle.models import LifecycleEvent, Named

Action = LifecycleEvent.Action
NAMED_AT_MOST = 5


def rename(kind: Kind, row: Named, name: str, *, by: User) -> None:
    """Rename a thing. Its old name still finds it, and is reserved for it (`jobs.lifecycle.former_names`).

    Raises Invalid (name), Conflict (`name_taken`, `name_reserved`, `archived`).
    """
    kind.check_name(name)
    try:
        with transaction.atomic():
            locked = lock(kind, row.pk)
            refuse_archived(locked)
            old = str(locked)
            if old == name:
                return
            refuse_reserved(kind, name, locked)
            kind.model.everything.filter(pk=row.pk).update(name=name)
            note(kind, locked, Action.RENAMED, old, {"to": name}, by=by)
            locked.refresh_from_db()
            kind.renamed(locked, old)
    except IntegrityError as error:
        raise Conflict(f"There is a {kind.noun} {name!r} already: choose another name.", code="name_taken") from error


@transaction.atomic
def archive(kind: Kind, row: Named, *, by: User) -> None:
    """Archive a thing: it can be read, but nothing is started with it or written to it. Archiving twice changes
    nothing.

    Raises Conflict (`in_use`) while work on it is under way.
    """
    locked = lock(kind, row.pk)
    if locked.archived is not None:
        return
    refuse_busy(kind, locked)
    kind.model.everything.filter(pk=row.pk).update(archived=Now(), archived_by=by)
    note(kind, locked, Action.ARCHIVED, str(locked), {}, by=by)


@transaction.atomic
def restore(kind: Kind, row: Named, *, by: User) -> None:
    """Restore a thing from the archive."""
    locked = lock(kind, row.pk)
    if locked.archived is not None:
        kind.model.everything.filter(pk=row.pk).update(archived=None, archived_by=None)
        note(kind, locked, Action.RESTORED, str(locked), {}, by=by)


def listed(rows: QuerySet[Any], query: Mapping[str, Any], archived: bool) -> QuerySet[Any]:  # noqa: FBT001 - what it is asked
    """Filter `rows` to what the caller may see: only what is archived, or only what is not; of one project if the query
    names it."""
    named: type[Named] = rows.model
    return rights.listed(rows, named.in_project, query).filter(archived__isnull=not archived)


def refuse_busy(kind: Kind, row: Named) -> None:
    """Raise Conflict (`in_use`) naming work that is under way."""
    for part in parts_of(kind.name, Fate.BUSY):
        if found := [str(one) for one in part.rows(row)[:NAMED_AT_MOST]]:
            detail = f"{str(row)!r} is in use: {', '.join(found)}. Wait for it to end, or cancel it."
            raise Conflict(detail, code="in_use", extra={"busy": {part.name: found}})


def lock(kind: Kind, pk: int) -> Any:
    """The row as it is now, locked until the transaction ends. Raises NotFound when it is deleted."""
    row = kind.model.everything.select_for_update(of=("self",)).get(pk=pk)
    return row if row.deleted is None else kind.find(str(pk))


def locked(*rows: Named) -> list[Any]:
    """The rows as they are now, locked until the transaction ends: none is archived or deleted meanwhile. All that lock
    several lock them in the same order: by kind, then id."""
    found = {(kind_of(row).name, row.pk): row for row in rows}
    for name, pk in sorted(found):
        found[name, pk] = kinds()[name].model.everything.select_for_update(of=("self",)).get(pk=pk)
    return [found[kind_of(row).name, row.pk] for row in rows]


def note(kind: Kind, row: Named, action: str, name: str, detail: dict[str, Any], *, by: User) -> None:
    """Record who did what, inside the transaction that does it."""
    what = {"kind": kind.name, "object_id": row.pk, "project_id": row.project_of}
    LifecycleEvent.objects.create(**what, action=action, name=name[:100], detail=detail, by=by)
    after = {"name": detail["to"]} if action == Action.RENAMED else None
    audit.note(action, kind.noun, name, project=row.project_of, before=after and {"name": name}, after=after, by=by)
