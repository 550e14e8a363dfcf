"""Undo a commit in pieces that was given up, piece by piece: nothing of it stays."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from catalog.busy import ABANDONED
from catalog.duplicates.hash_pages import forget
from catalog.models import (
    Dataset,
    ForkOverride,
    GroupPlace,
    Label,
    LabelObject,
    NearDuplicate,
    OpenWrite,
    Revision,
    RevisionClass,
    Sample,
    Tally,
)
from catalog.versions.pace import Pace
from core.list_parameters import listed


def undo(write: OpenWrite) -> None:
    """Undo a write; its writer writes nothing from now on. Safe to repeat, and beside another that undoes it."""
    OpenWrite.objects.filter(pk=write.pk).update(undoing=True)
    pace = Pace()
    for step in (_drop_added, _reopen, _drop_rest):
        more = True
        while more:
            with pace.piece(), transaction.atomic(durable=True):
                more = _is_there(write) and step(write, pace.size)
    OpenWrite.objects.filter(pk=write.pk, undoing=True).delete()


def undo_abandoned(dataset: Dataset | None = None) -> int:
    """Undo what is abandoned, of one dataset or of all. Returns how many writes were undone."""
    rows = OpenWrite.objects.filter(ABANDONED)
    found = list(rows if dataset is None else rows.filter(dataset=dataset))
    for write in found:
        undo(write)
    return len(found)


def _is_there(write: OpenWrite) -> bool:
    return OpenWrite.objects.select_for_update(no_key=True).filter(pk=write.pk).first() is not None


def _drop_added(write: OpenWrite, size: int) -> bool:
    """Delete some of the revisions, and what came with them. Returns whether there were any."""
    mine = Revision.objects.filter(dataset=write.dataset_id, since=write.number)
    rows = list(mine.values_list("pk", "sample_id", "label_id")[:size])
    ids, samples = [row[0] for row in rows], [row[1] for row in rows]
    _remove(RevisionClass.objects.filter(revision__in=listed(ids)))
    _remove(Revision.objects.filter(pk__in=listed(ids)))
    NearDuplicate.objects.filter(dataset=write.dataset_id, since=write.number, sample__in=listed(samples)).delete()
    _drop_labels([row[2] for row in rows if row[2] is not None])
    new = Sample.objects.filter(~Exists(Revision.objects.filter(sample=OuterRef("pk"))), pk__in=listed(samples))
    if gone := list(new.values_list("pk", flat=True)):
        forget([write.dataset_id], gone)
        Sample.objects.filter(pk__in=listed(gone)).delete()
    return bool(rows)


def _drop_labels(ids: list[int]) -> None:
    """Delete the labels that no revision has."""
    unused = Label.objects.filter(
        ~Exists(Revision.objects.filter(sample=OuterRef("sample"), label=OuterRef("pk"))), pk__in=listed(ids)
    )
    gone = list(unused.values_list("pk", flat=True))
    _remove(LabelObject.objects.filter(label__in=listed(gone)))
    _remove(Label.objects.filter(pk__in=listed(gone)))


def _reopen(write: OpenWrite, size: int) -> bool:
    """Let some of the revisions hold on that the write had ended."""
    ended = Revision.objects.filter(dataset=write.dataset_id, until=write.number)
    ids = list(ended.values_list("pk", flat=True)[:size])
    Revision.objects.filter(pk__in=listed(ids)).update(until=None)
    return bool(ids)


def _drop_rest(write: OpenWrite, size: int) -> bool:
    """Delete some of the rows beside the revisions."""
    for model in (ForkOverride, Tally, GroupPlace):
        rows: QuerySet[Any] = model._base_manager.filter(dataset=write.dataset_id, since=write.number)  # noqa: SLF001 - one name for all of them
        if ids := list(rows.values_list("pk", flat=True)[:size]):
            _remove(model._base_manager.filter(pk__in=listed(ids)))  # noqa: SLF001 - as above
            return True
    return False


_remove: Callable[[QuerySet[Any]], Any] = lambda rows: rows._raw_delete(rows.db)  # noqa: E731, SLF001 - nothing else refers to these rows: Django would look for each
