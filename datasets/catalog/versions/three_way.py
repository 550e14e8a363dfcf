"""Apply the difference between two versions to the head: merges take a fork's changes this way, and reverts undo a
commit's."""

from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Revision, Sample, Version
from catalog.versions import diffs
from catalog.versions.diffs import Difference, State

OURS, THEIRS = PREFER = ("ours", "theirs")


def changes_onto(
    dataset: Dataset, base: Version, theirs: Version, *, prefer: str | None = None
) -> tuple[ChangeSet, list[str]]:
    """Return the difference from `base` to `theirs` as changes of the dataset's head, and the keys of conflicts:
    samples whose state at the head differs from both, which stay as they are unless `prefer` is theirs. The changes
    have `settles` if both sides changed a sample, alike or not."""
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
            changes.settles = True
            continue
        if not _same(mine, one.before):
            changes.settles = True
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
