"""What a project holds in the object store: counted from the rows that refer to bytes, and kept within a limit.

A project is charged once for every blob that its rows refer to, however many of them do and whichever other projects
refer to it. Counting looks at all of these rows, so it is done now and then: `count_due`. In between, for projects with
a limit, the bytes of each commit are added, which may overestimate what is held but never underestimates it. A refusal
never rests on the estimate: what is held is counted again first.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from accounts.models import Project
from blobs.models import Blob, StoredObject
from blobs.services import chunks
from core.errors import Conflict
from jobs.models import Storage

COUNTED_EVERY = 300.0
"""Seconds from one count of a project to the next, if a count takes at most three seconds."""
SHARE = 100
"""A project is counted at most 1/SHARE of the time, so one whose count takes longer is counted less often."""
NOTHING: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class Holding:
    """A foreign key to blobs, or to objects that lie in the store without being blobs."""

    model: type[Model]
    field: str
    of_project: Callable[[int], Q]

    @property
    def target(self) -> type[Model]:
        found: type[Model] = self.model._meta.get_field(self.field).related_model  # type: ignore[assignment]  # noqa: SLF001 - the documented way to ask a model
        return found

    def rows(self, project: int) -> QuerySet[Any]:
        """The rows of a project whose foreign key is set."""
        chosen = self.model._base_manager.filter(self.of_project(project), **{f"{self.field}__isnull": False})  # noqa: SLF001 - as above
        return chosen.order_by()

    def among(self, project: int, ids: list[int]) -> QuerySet[Any]:
        """Those of `ids` that a project's rows refer to; each id is looked up by itself, however many rows there
        are."""
        pointing = self.rows(project).filter(**{self.field: OuterRef("pk")})
        return self.target._base_manager.filter(Exists(pointing), pk__in=ids).values_list("pk", flat=True)  # noqa: SLF001 - as above


_holdings: dict[str, Holding] = {}


def register(model: type[Model], of_project: str | Callable[[int], Q], *fields: str) -> None:
    """Charge projects for what these foreign keys of a model refer to. `of_project` is the path from a row to its
    project, or returns the filter for the rows of a project. Raises ValueError for a foreign key registered before."""
    chosen = of_project if callable(of_project) else lambda project: Q(**{of_project: project})
    for field in fields:
        name = f"{model._meta.label}.{field}"  # noqa: SLF001 - as above
        if name in _holdings:
            raise ValueError(f"{name} is registered already")
        _holdings[name] = Holding(model, field, chosen)


def registered() -> list[str]:
    """The foreign keys for which projects are charged, as `app.Model.field`."""
    return sorted(_holdings)


def storage_of(project: int) -> Storage:
    """The storage row of a project; an unsaved one if there is none."""
    return Storage.objects.filter(project=project).first() or Storage(project_id=project)


@transaction.atomic
def set_limit(project: int, limit: int | None) -> None:
    """Set the project's storage limit in bytes. What it holds is counted first: the limit is right from the start."""
    Storage.objects.get_or_create(project_id=project)
    row = Storage.objects.select_for_update().get(project=project)
    _note(row, limit=limit)


def count_due() -> int:
    """Count what projects hold whose last count is old. Returns how many were counted."""
    known = {row.project_id: row for row in Storage.objects.all()}
    due = [pk for pk in Project.objects.values_list("pk", flat=True) if pk not in known or _is_due(known[pk])]
    for pk in due:
        row, _ = Storage.objects.get_or_create(project_id=pk)
        _count_beside_others(row)
    return len(due)


def check_room(project: int, size: int = 1) -> None:
    """Raise Conflict (`storage_quota`) if `size` more bytes exceed the project's limit."""
    row = _limited(project)
    if row is None or _fits(row, size):
        return
    row.held, row.added = counted(project), 0
    if not _fits(row, size):
        raise _refusal(row, size)


def charge(project: int, blobs: Mapping[int, int], objects: Mapping[int, int] = NOTHING) -> None:
    """Charge a project for blobs and objects (sizes by id), inside the transaction that makes its rows refer to them,
    before they do.

    Raises Conflict (`storage_quota`) if that exceeds the project's limit."""
    brought = sum(blobs.values()) + sum(objects.values())
    if not brought or _limited(project) is None or _add(project, brought):
        return
    brought = _new(project, Blob, blobs) + _new(project, StoredObject, objects)
    if not brought or _add(project, brought):
        return
    # Other charges to this project wait from here on, and what they charged before can be counted.
    row = Storage.objects.select_for_update().get(project=project)
    _note(row, limit=row.limit)
    if not _add(project, brought):
        raise _refusal(row, brought)


def counted(project: int) -> int:
    """The bytes that a project holds: each blob once, and objects that are no blobs in full. A blob inside such an
    object is counted with the object."""
    objects, blobs = _held(project, StoredObject), _held(project, Blob)
    total = _sum(StoredObject.objects.filter(pk__in=objects)) if objects is not None else 0
    if blobs is None:
        return total
    rows = Blob.objects.filter(pk__in=blobs)
    if total and objects is not None:
        rows = rows.filter(~Exists(StoredObject.objects.filter(key=OuterRef("key"), pk__in=objects)))
    return total + _sum(rows)


def told(size: int) -> str:
    """Format bytes: `48_200_000` -> `48.2 MB`."""
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.4g} {unit}" if amount < 1000 else f"{amount:,.0f} {unit}"


def _sum(rows: QuerySet[Any]) -> int:
    return int(rows.aggregate(total=Sum("size"))["total"] or 0)


def _held(project: int, target: type[Model]) -> QuerySet[Any] | None:
    """The ids that the rows of a project refer to, without duplicates; None if no foreign key refers to `target`."""
    parts = [one.rows(project).values_list(one.field) for one in _holdings.values() if one.target is target]
    return parts[0].union(*parts[1:]) if parts else None


def _new(project: int, target: type[Model], sizes: Mapping[int, int]) -> int:
    """The bytes among `sizes` that no row of the project refers to yet."""
    return sum(sizes[pk] for some in chunks(sizes) for pk in set(some) - set(_there(project, target, some)))


def _there(project: int, target: type[Model], ids: list[int]) -> Iterator[int]:
    for one in _holdings.values():
        if one.target is target:
            yield from one.among(project, ids)


def _limited(project: int) -> Storage | None:
    return Storage.objects.filter(project=project, limit__isnull=False).first()


def _fits(row: Storage, size: int) -> bool:
    return row.limit is None or row.in_all + size <= row.limit


def _add(project: int, size: int) -> bool:
    """Charge `size` more bytes if they are within the limit; returns whether they are."""
    room = Storage.objects.filter(project=project, limit__gte=F("held") + F("added") + size)
    return bool(room.update(added=F("added") + size))


def _note(row: Storage, *, limit: int | None) -> None:
    """Count what a project holds while nobody can charge it: its row is locked."""
    began, row.limit = time.monotonic(), limit
    row.held, row.added, row.counted = counted(row.project_id), 0, timezone.now()
    row.took = time.monotonic() - began
    row.save()


def _count_beside_others(row: Storage) -> None:
    """Count without a lock: what is charged meanwhile stays charged. Of two counts at once, only one is written."""
    began, now = time.monotonic(), timezone.now()
    held = counted(row.project_id)
    unchanged = Storage.objects.filter(project=row.project_id, counted=row.counted)
    unchanged.update(held=held, added=F("added") - row.added, counted=now, took=time.monotonic() - began)


def _is_due(row: Storage) -> bool:
    after = timedelta(seconds=max(COUNTED_EVERY, SHARE * row.took))
    return row.counted is None or row.counted < timezone.now() - after


def _refusal(row: Storage, size: int) -> Conflict:
    more = f"{told(size)} more are" if size > 1 else "more is"
    return Conflict(
        f"The project {row.project.name} holds {told(row.held)} of the {told(row.limit or 0)} that it may store, and "
        f"{more} beyond that; nothing of it is kept. Delete datasets, models or exports that nobody needs, or ask an "
        "owner of the platform for a larger limit.",
        code="storage_quota",
        extra={"held": row.held, "limit": row.limit},
    )
