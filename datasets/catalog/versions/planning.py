"""Plan a commit: check its changes against the head, without writing anything."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import F

from blobs.models import Blob
from blobs.services import chunks
from catalog.changes.plan import CommitResult, Plan, Row
from catalog.changes.sets import ChangeSet, Rejection, SampleChange, meta_fault
from catalog.changes.split_counts import DEFAULT, ONCE_TEST, REQUEST, RULE
from catalog.duplicates.exact import exact_duplicates
from catalog.duplicates.near import exclude_from_train
from catalog.keys import key_fault, name_fault
from catalog.models import Dataset, Label, Revision, Sample, Split, Version
from catalog.splits.groups import GroupSplits
from catalog.splits.judging import judged_by
from core.bulk import build
from core.errors import Conflict, Invalid
from core.list_parameters import listed
from formats import SplitSource

SPLITS = tuple(Split.values)
AT_ONCE = 5000
"""The number of samples in one query."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The dataset's data about the samples that a change set names."""

    samples: dict[str, Sample]
    current: dict[int, Revision]
    once_test: frozenset[int]
    """Samples that are not in the head and were in test before."""
    judged: Mapping[int, str]
    """Samples that a commit may want out of test, with what was judged by them there: they stay."""
    groups: GroupSplits

    def before(self, sample: Sample | None) -> Revision | None:
        return self.current.get(sample.pk) if sample is not None and sample.pk else None


def plan_commit(dataset: Dataset, changes: ChangeSet, *, head: Version | None) -> Plan:
    """Check every change against `head`. Raises Conflict (`stale_parent`) when the change set names another parent."""
    number = head.number if head else 0
    if changes.parent is not None and changes.parent != number:
        raise _stale(dataset, changes.parent, head=number)
    plan = Plan(dataset, head, CommitResult(head, number or None, rejected=list(changes.rejected)))
    plan.allows = changes.allow_near_duplicates
    wanted: dict[str, SampleChange] = {}
    for change in changes.samples:
        if change.key in wanted:
            plan.result.rejected.append(
                Rejection(change.key, "duplicate_key", "key: the batch names it more than once")
            )
        else:
            wanted[change.key] = change
    known = _known(dataset, wanted, changes.remove, head=head)
    for key, change in wanted.items():
        _plan_change(plan, change, known.samples.get(key) or build(Sample, dataset=dataset, key=key), known)
    for key in dict.fromkeys(changes.remove):
        _plan_removal(plan, key, known, clashes=key in wanted)
    plan.result.exact_duplicates = exact_duplicates(head, [(row.before, row.after) for row in plan.rows])
    exclude_from_train(plan, looks=changes.looks, restores=changes.restores)
    plan.result.converted = sum(row.brings_original for row in plan.rows)
    plan.note_splits()
    return plan


def _plan_change(plan: Plan, change: SampleChange, sample: Sample, known: _Known) -> None:
    before = known.before(sample)
    judged = known.judged.get(sample.pk) if sample.pk else None
    group = known.groups.group(change.key, change.meta_on(before.meta if before else {}))
    rejection = _refusal(plan.dataset, change, before, judged=judged)
    if rejection is None:
        assigned = Split.TEST if before is None and judged else known.groups.split(group)
        after = _after(plan.dataset, change, sample, before=before, assigned=assigned)
        rejection = known.groups.refusal(change.key, group, after.split, new=before is None)
    if rejection is not None:
        plan.result.rejected.append(rejection)
        return
    if before is not None and before.says_the_same(after):
        plan.result.unchanged += 1
        return
    was_test = before.split == Split.TEST if before else sample.pk in known.once_test
    source = _source(change, after, group=group, judged=judged)
    plan.rows.append(Row(sample, before, after, source, leaves_test=was_test and after.split != Split.TEST))
    if before is None:
        plan.result.added += 1
    else:
        plan.result.updated += 1
    known_label = before.label.value if before and before.label else None
    plan.result.labelled += change.label is not None and change.label != known_label


def _source(change: SampleChange, after: Revision, *, group: str | None, judged: str | None) -> SplitSource:
    """Return what decided on the split of a sample that is new or changes its split."""
    if change.split is not None:
        return change.split_source or SplitSource(REQUEST)
    if judged and after.split == Split.TEST:
        return SplitSource(ONCE_TEST)
    return SplitSource(DEFAULT if group is None else RULE)


def _refusal(
    dataset: Dataset, change: SampleChange, before: Revision | None, *, judged: str | None
) -> Rejection | None:
    """Return why this change is rejected, or None; normalise its label."""
    if (fault := key_fault(change.key) or (name_fault(change.key) if before is None else None)) is not None:
        return Rejection(change.key, "key_malformed", fault)
    if before is None and change.blob is None:
        return Rejection(change.key, "sample_unknown", "key: no such sample; send its bytes to add it")
    if change.split is not None and change.split not in SPLITS:
        return Rejection(change.key, "split_unknown", f"split: must be one of {', '.join(SPLITS)}")
    if judged and change.split not in {None, Split.TEST}:
        words = f"split: {judged} was judged by this sample in test: it stays there, or figures would flatter"
        return Rejection(change.key, "test_is_fixed", words)
    if change.meta and (fault := meta_fault(change.meta_on(before.meta if before else {}))) is not None:
        return Rejection(change.key, "meta_refused", f"meta: {fault}")
    if change.label is not None:
        size = _size(change.blob or (before.blob if before else None))
        try:
            change.label = dataset.task_type.labels.check(change.label, classes=dataset.classes, size=size)
        except Invalid as error:
            return Rejection(change.key, error.code, error.detail)
    return _misplaced(dataset, change, before)


def _misplaced(dataset: Dataset, change: SampleChange, before: Revision | None) -> Rejection | None:
    """Reject an image that would keep a label whose places are pixels of an image of another size."""
    if before is None or change.blob is None or (kept := _kept_label(change, before)) is None:
        return None
    old, new, labels = _size(before.blob), _size(change.blob), dataset.task_type.labels
    if old is None or new is None or old == new or not labels.in_pixels or not any(labels.objects(kept.value)):
        return None
    detail = (
        f"label: its places are pixels of the image before, {old[0]} x {old[1]}, and this one has {new[0]} x {new[1]}: "
        "send its label with it, or clear the label first"
    )
    return Rejection(change.key, "label_of_another_size", detail)


def _size(blob: Blob | None) -> tuple[int, int] | None:
    return (blob.width, blob.height) if blob and blob.width and blob.height else None


def _kept_label(change: SampleChange, before: Revision | None) -> Label | None:
    """Return the label that a sample has already and keeps; None if the change gives it one or takes it away."""
    if before is None or change.label is not None or change.exact or change.clear_label:
        return None
    return before.label


def _after(
    dataset: Dataset, change: SampleChange, sample: Sample, *, before: Revision | None, assigned: str
) -> Revision:
    label = _kept_label(change, before)
    if change.label is not None:
        told = {"source": change.source, "author_id": change.author_id, "seconds": change.seconds}
        label = build(Label, sample=sample, value=change.label, facts=change.facts, **told)
    blob = change.blob or (before.blob if before else None)
    assert blob is not None  # noqa: S101 - _refusal has seen to it
    return build(
        Revision,
        dataset=dataset,
        sample=sample,
        blob=blob,
        original=_original(change, blob, before),
        split=change.split or _split(change, before, assigned=assigned),
        label=label,
        class_name=label.value.get("class", "") if label else "",
        meta=change.meta_on(before.meta if before else {}),
    )


def _original(change: SampleChange, blob: Blob, before: Revision | None) -> Blob | None:
    """Return the original of the sample's image; it stays as long as the image does."""
    same = before is not None and before.blob.md5 == blob.md5
    return change.original or (before.original if before is not None and same else None)


def _split(change: SampleChange, before: Revision | None, *, assigned: str) -> str:
    """Return the split of a sample whose change names none: its own, or the assigned one for a new sample or for one in
    pool that gets a label, which goes to train rather than stay in pool."""
    old = before.split if before else assigned
    if change.label is None or old != Split.POOL:
        return old
    return assigned if assigned != Split.POOL else Split.TRAIN


def _plan_removal(plan: Plan, key: str, known: _Known, *, clashes: bool) -> None:
    sample = known.samples.get(key)
    before = known.before(sample)
    if clashes:
        plan.result.rejected.append(Rejection(key, "duplicate_key", "remove: the batch also changes this key"))
    elif sample is None or before is None:
        plan.result.rejected.append(Rejection(key, "sample_unknown", "remove: no such sample in the head"))
    else:
        plan.rows.append(Row(sample, before, None))
        plan.result.removed += 1


def _known(
    dataset: Dataset, wanted: Mapping[str, SampleChange], remove: Iterable[str], *, head: Version | None
) -> _Known:
    samples: dict[str, Sample] = {}
    nearest = [dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)]
    for names in chunks([*wanted, *remove], AT_ONCE):
        found = Sample.objects.filter(dataset__in=nearest, key__in=listed(names))
        # For a key of both a fork and its origin, the fork's own sample counts.
        samples |= {row.key: row for row in sorted(found, key=lambda row: nearest.index(row.dataset_id), reverse=True)}
    current: dict[int, Revision] = {}
    if head is not None:
        for ids in chunks((sample.pk for sample in samples.values()), AT_ONCE):
            rows = head.revisions.filter(sample__in=listed(ids)).select_related("blob", "original", "label")
            current |= {row.sample_id: row for row in rows}
    leaving = {
        row.sample_id
        for key, change in wanted.items()
        if key in samples and (row := current.get(samples[key].pk)) and row.split == Split.TEST
        and change.split not in {None, Split.TEST}
    }  # fmt: skip
    once_test: set[int] = set()
    for ids in chunks((sample.pk for sample in samples.values() if sample.pk not in current), AT_ONCE):
        past = Revision.objects.ever(dataset).filter(sample__in=listed(ids), split=Split.TEST)
        once_test |= set(past.values_list("sample_id", flat=True))
    leaving |= once_test
    judged = judged_by(dataset, leaving) if leaving else {}
    was = {key: current.get(sample.pk) for key, sample in samples.items()}
    metas = {key: row.meta for key, row in was.items() if row}
    named = ((key, change.meta_on(metas.get(key, {}))) for key, change in wanted.items())
    return _Known(samples, current, frozenset(once_test), judged, GroupSplits.of(dataset, named, head=head))


def _stale(dataset: Dataset, parent: int, *, head: int) -> Conflict:
    fields = ("message", "added", "updated", "removed", "labelled")
    since = dataset.versions.filter(number__gt=parent).order_by("number").annotate(by=F("author__username"))
    changed = [{"version": row.pop("number")} | row for row in since.values("number", *fields, "by")[:50]]
    return Conflict(
        f"parent: version {parent} is not the head, version {head} is; nothing was written. Look at what changed, "
        "then commit on the head.",
        code="stale_parent",
        extra={"head": head, "changed": changed},
    )
