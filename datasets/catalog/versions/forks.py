"""Forks that share rows with their origin, and merges back."""

from django.db import transaction

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset, Version
from catalog.schemas.changing import copy_schema
from catalog.versions.commit import announce
from catalog.versions.datasets import create_dataset
from catalog.versions.pieces import commit_in_pieces, on_the_head
from catalog.versions.three_way import changes_onto
from core.errors import Conflict, Invalid
from worker_programs.wording import plural

SHOWN_CONFLICTS = 100


@transaction.atomic
def fork(version: Version, name: str, *, description: str, author: User) -> Dataset:
    """Create a dataset that begins as a copy of this version, at a cost independent of its size: the fork reads the
    origin's rows until it changes a sample. Raises like `create_dataset`."""
    origin = version.dataset
    kept = {"task": origin.task, "classes": origin.classes, "project": origin.project}
    made = create_dataset(name, description=description, author=author, **kept)
    copy_schema(origin, made, author=author)
    made.origin, made.ancestry = version, [list(line) for line in version.path]
    made.split_rule = origin.split_rule
    message = f"Fork of {origin.name} v{version.number}"
    made.head = Version.objects.create(dataset=made, number=1, author=author, message=message, counts=version.counts)
    made.save(update_fields=["origin", "ancestry", "split_rule", "head"])
    announce(made.head)
    return made


def merge(dataset: Dataset, theirs: Version, *, prefer: str | None, message: str, author: User) -> CommitResult:
    """Commit the changes of `theirs` since the fork of the two datasets (or their last merge).

    A sample that both sides changed differently is a conflict: `prefer` names the side to keep, otherwise Conflict
    (`merge_conflict`) names the keys and nothing is written. Samples that were settled, or changed alike, are no
    conflict in the next merge: if all of them stay as they are here, the version that records this changes no sample.
    Raises Invalid for a version of the dataset itself, and for one that has nothing in common with it.
    """
    if theirs.dataset_id == dataset.pk:
        raise Invalid.field("from", "is this dataset itself: name a fork, or the dataset this is a fork of")

    def attempt() -> CommitResult:
        changes = _merged(dataset, theirs, prefer)
        changes.message = message or f"Merge of {theirs.dataset.name} v{theirs.number}"
        return commit_in_pieces(dataset, changes, author=author)

    return on_the_head(attempt)


def _merged(dataset: Dataset, theirs: Version, prefer: str | None) -> ChangeSet:
    """Return the changes of the merge onto the head as it is now."""
    at = Dataset.objects.select_related("head__dataset").get(pk=dataset.pk)
    if at.head is None:
        raise Invalid.field("from", "has nothing in common with this dataset", code="unrelated_versions")
    base = _base(at.head, theirs)
    changes, conflicts = changes_onto(at, base, theirs, prefer=prefer)
    if conflicts and prefer is None:
        shown = {key: ["changed on both sides"] for key in conflicts[:SHOWN_CONFLICTS]}
        raise Conflict(
            f"Changed on both sides: {plural(len(conflicts), 'sample')}, the first {conflicts[0]!r}. Say "
            "`prefer` ours or theirs, or settle them before. Nothing was written.",
            code="merge_conflict",
            errors=shown,
            extra={"conflicts": len(conflicts), "base": {"dataset": base.dataset.name, "version": base.number}},
        )
    changes.merged, changes.parent = theirs, at.head.number
    return changes


def _base(ours: Version, theirs: Version) -> Version:
    """Return the version at which the two last agreed: of the last merge between them, or of the fork."""
    merges = Version.objects.select_related("dataset", "merged__dataset").exclude(merged=None)
    merges = merges.order_by("-merged__number", "-pk")  # an older version may have been merged after a newer one
    there = merges.filter(dataset=ours.dataset_id, merged__dataset=theirs.dataset_id, merged__number__lte=theirs.number)
    back = merges.filter(dataset=theirs.dataset_id, number__lte=theirs.number, merged__dataset=ours.dataset_id)
    known = [found for rows in (there, back) if (found := rows.first()) is not None]
    if known:
        merged = max(known, key=lambda version: version.pk).merged
        assert merged is not None  # noqa: S101 - those without are excluded
        return merged
    numbers = dict(ours.path)
    for dataset_id, number in theirs.path:
        if dataset_id in numbers:
            met = min(number, numbers[dataset_id])
            return Version.objects.select_related("dataset").get(dataset=dataset_id, number=met)
    raise Invalid.field("from", "has nothing in common with this dataset", code="unrelated_versions")
