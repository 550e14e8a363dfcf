"""Forks that share rows with their origin, and merges back."""

from django.db import transaction

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Revision, Sample, Version
from catalog.schemas.changing import copy_schema
from catalog.versions import diffs
from catalog.versions.commit import announce, commit
from catalog.versions.datasets import create_dataset
from catalog.versions.diffs import Difference, State
from core.errors import Conflict, Invalid

OURS, THEIRS = PREFER = ("ours", "theirs")
SHOWN_CONFLICTS = 100


@transaction.atomic
def fork(version: Version, name: str, *, description: str, author: User) -> Dataset:
    """A dataset that begins as this version is, at a cost that knows nothing of its size: the fork reads the origin's
    rows until it changes a sample. Raises like `create_dataset`."""
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


@transaction.atomic
def merge(dataset: Dataset, theirs: Version, *, prefer: str | None, message: str, author: User) -> CommitResult:
    """Commit what changed in `theirs` since it and the dataset parted (or were merged last).

    A sample that both sides changed, to different ends, is a conflict: `prefer` says whose it shall be, otherwise
    Conflict (`merge_conflict`) names the keys and nothing is written. Raises Invalid for a version of the dataset
    itself, and for one that has nothing in common with it.
    """
    locked = Dataset.objects.select_for_update().get(pk=dataset.pk)
    if theirs.dataset_id == dataset.pk:
        raise Invalid.field("from", "is this dataset itself: name a fork, or the dataset this is a fork of")
    if locked.head is None:
        raise Invalid.field("from", "has nothing in common with this dataset", code="unrelated_versions")
    base = _base(locked.head, theirs)
    changes, conflicts = _changes(locked, base, theirs, prefer=prefer)
    if conflicts:
        shown = {key: ["changed on both sides"] for key in conflicts[:SHOWN_CONFLICTS]}
        raise Conflict(
            f"{len(conflicts)} samples were changed on both sides, the first is {conflicts[0]!r}: say `prefer` ours or "
            "theirs, or settle them before. Nothing was written.",
            code="merge_conflict",
            errors=shown,
            extra={"conflicts": len(conflicts), "base": {"dataset": base.dataset.name, "version": base.number}},
        )
    changes.message = message or f"Merge of {theirs.dataset.name} v{theirs.number}"
    result = commit(dataset, changes, author=author)
    if result.version is not None and result.version.pk != locked.head_id:
        Version.objects.filter(pk=result.version.pk).update(merged=theirs)
    return result


def _base(ours: Version, theirs: Version) -> Version:
    """Where the two were last the same: at the last merge between them, or where one was forked from the other."""
    merges = Version.objects.select_related("dataset", "merged__dataset").exclude(merged=None).order_by("-pk")
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


def _changes(dataset: Dataset, base: Version, theirs: Version, *, prefer: str | None) -> tuple[ChangeSet, list[str]]:
    changes, conflicts = ChangeSet(remove=[]), list[str]()
    removed: list[str] = []
    batch: list[Difference] = []
    for difference in diffs.differences(base, theirs):
        batch.append(difference)
        if len(batch) == diffs.STEP:
            _weigh(dataset, batch, prefer, changes, removed, conflicts)
            batch = []
    _weigh(dataset, batch, prefer, changes, removed, conflicts)
    changes.remove = removed
    return changes, conflicts


def _weigh(
    dataset: Dataset,
    batch: list[Difference],
    prefer: str | None,
    changes: ChangeSet,
    removed: list[str],
    conflicts: list[str],
) -> None:
    keys = dict(Sample.objects.filter(pk__in=[one.sample for one in batch]).values_list("pk", "key"))
    rows = diffs.rows_of(batch)
    ours = _ours(dataset, list(keys.values()))
    for one in batch:
        key = keys[one.sample]
        mine = ours.get(key)
        if _same(mine, one.after):
            continue
        if not _same(mine, one.before):
            if prefer is None:
                conflicts.append(key)
            if prefer != THEIRS:
                continue
        if one.after is None:
            removed.append(key)
        else:
            changes.samples.append(_as_change(key, rows[one.after.revision]))


def _ours(dataset: Dataset, keys: list[str]) -> dict[str, State]:
    if dataset.head is None:
        return {}
    rows = dataset.head.revisions.filter(sample__key__in=keys).values_list("sample__key", *diffs.FACTS)
    return {key: State(*facts) for key, *facts in rows}


def _same(one: State | None, other: State | None) -> bool:
    return one.same(other) if one is not None and other is not None else one is other


def _as_change(key: str, row: Revision) -> SampleChange:
    told = {} if row.label is None else {
        "label": row.label.value, "source": row.label.source, "author_id": row.label.author_id,
        "seconds": row.label.seconds, "facts": row.label.facts,
    }  # fmt: skip
    return SampleChange(key, blob=row.blob, original=row.original, split=row.split, meta=row.meta, exact=True, **told)
