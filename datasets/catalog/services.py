"""The rules of datasets: create, commit."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from blobs.services import chunks
from django.db import transaction
from django.db.models import F

from accounts.models import User
from catalog.changes import ChangeSet, Rejection, SampleChange
from catalog.labels import check_label, class_counts
from catalog.models import Dataset, Label, Revision, Sample, Split, Task, Version
from core.errors import Conflict, Invalid, NotFound

MAX_KEY = 500
BATCH = 1000
RACES = 5


def create_dataset(name: str, *, task: str, classes: list[str], description: str, author: User) -> Dataset:
    """A new, empty dataset. Raises Invalid (classes) or Conflict (the name is taken)."""
    if len(set(classes)) != len(classes) or not all(classes):
        raise Invalid.field("classes", "must be different, non-empty names")
    if task not in Task.values:
        raise Invalid.field("task", f"must be one of {', '.join(Task.values)}")
    values = {"task": task, "classes": classes, "description": description, "created_by": author}
    dataset, created = Dataset.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a dataset {name!r} already: choose another name, or POST to it.", code="name_taken")
    return dataset


def find_dataset(reference: str) -> Dataset:
    """A dataset by id or name. Raises NotFound."""
    by_id = {"pk": int(reference)} if reference.isdecimal() and len(reference) < 19 else None  # noqa: PLR2004 - int64
    rows = Dataset.objects.select_related("head")
    dataset = (rows.filter(**by_id).first() if by_id else None) or rows.filter(name=reference).first()
    if dataset is None:
        raise NotFound(f"There is no dataset {reference!r}.", code="dataset_unknown")
    return dataset


def find_version(dataset: Dataset, reference: str) -> Version:
    """A version by number, `v3` or `head`. Raises NotFound."""
    number = reference.removeprefix("v")
    if reference == "head" and dataset.head is not None:
        return dataset.head
    found = dataset.versions.filter(number=int(number)).first() if number.isdecimal() and len(number) < 10 else None  # noqa: PLR2004 - int32
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no version {reference!r}.", code="version_unknown")
    return found


@dataclass(slots=True)
class CommitResult:
    """What a commit did. `version` is None only for a dataset that is still empty."""

    version: Version | None
    parent: int | None
    added: int = 0
    updated: int = 0
    removed: int = 0
    labelled: int = 0
    unchanged: int = 0
    rejected: list[Rejection] = field(default_factory=list)

    def document(self) -> dict[str, object]:
        """As the API shows it."""
        names = ("parent", "added", "updated", "removed", "labelled", "unchanged")
        return {"version": self.version.number if self.version else None} | {
            name: getattr(self, name) for name in names
        } | {"rejected": [item.document() for item in self.rejected]}  # fmt: skip


def commit(dataset: Dataset, changes: ChangeSet, *, author: User) -> CommitResult:
    """Commit a change set on the head: all of it, or nothing but what `rejected` names.

    A change set that names its parent and finds another head raises Conflict (`stale_parent`) and writes nothing;
    one that names none goes on top of whatever head it finds. A commit that changes nothing makes no version.
    """
    for _ in range(RACES):
        with transaction.atomic():
            plan = _plan(dataset, changes)
            if not plan.rows:
                return plan.result
            if _write(plan, changes, author):
                return plan.result
            transaction.set_rollback(True)
        if changes.parent is not None:
            break
    raise _stale(dataset, changes.parent)


@dataclass(slots=True)
class _Row:
    """One revision to write, and the one it replaces."""

    change: SampleChange | None
    sample: Sample
    before: Revision | None
    after: Revision | None


@dataclass(slots=True)
class _Plan:
    dataset: Dataset
    head: Version | None
    result: CommitResult
    rows: list[_Row] = field(default_factory=list)


def _plan(dataset: Dataset, changes: ChangeSet) -> _Plan:
    head = Version.objects.filter(pk=Dataset.objects.values("head").get(pk=dataset.pk)["head"]).first()
    number = head.number if head else 0
    if changes.parent is not None and changes.parent != number:
        raise _stale(dataset, changes.parent)
    result = CommitResult(head, number or None, rejected=list(changes.rejected))
    plan = _Plan(dataset, head, result)
    wanted: dict[str, SampleChange] = {}
    for change in changes.samples:
        if change.key in wanted:
            result.rejected.append(Rejection(change.key, "duplicate_key", "the batch names this key more than once"))
        else:
            wanted[change.key] = change
    samples = _samples(dataset, [*wanted, *changes.remove])
    current = _current(dataset, samples.values())
    for key, change in wanted.items():
        sample = samples.get(key) or Sample(dataset=dataset, key=key)
        _plan_change(plan, change, sample, current.get(sample.pk) if sample.pk else None)
    for key in dict.fromkeys(changes.remove):
        _plan_removal(plan, key, samples.get(key), current, wanted)
    return plan


def _plan_change(plan: _Plan, change: SampleChange, sample: Sample, before: Revision | None) -> None:
    rejection = _refusal(plan.dataset, change, before)
    if rejection is not None:
        plan.result.rejected.append(rejection)
        return
    after = _after(plan.dataset, change, sample, before)
    if before is not None and _same(before, after, change):
        plan.result.unchanged += 1
        return
    plan.rows.append(_Row(change, sample, before, after))
    if before is None:
        plan.result.added += 1
    else:
        plan.result.updated += 1
    plan.result.labelled += change.label is not None


def _refusal(dataset: Dataset, change: SampleChange, before: Revision | None) -> Rejection | None:
    """Why this change can't be taken, or None; brings its label into the normal form."""
    if not 0 < len(change.key) <= MAX_KEY or not change.key.isprintable():
        return Rejection(change.key, "key_malformed", f"key: must be 1 to {MAX_KEY} printable characters")
    if before is None and change.blob is None:
        return Rejection(change.key, "sample_unknown", "key: no such sample; send its bytes to add it")
    if change.split is not None and change.split not in Split.values:
        return Rejection(change.key, "split_unknown", f"split: must be one of {', '.join(Split.values)}")
    if before is not None and before.split == Split.TEST and change.split not in {None, Split.TEST}:
        return Rejection(change.key, "test_is_fixed", "split: a test sample stays in test, or figures would flatter")
    if change.label is not None:
        blob = change.blob or (before.blob if before else None)
        size = (blob.width, blob.height) if blob and blob.width and blob.height else None
        try:
            change.label = check_label(change.label, task=dataset.task, classes=dataset.classes, size=size)
        except Invalid as error:
            return Rejection(change.key, error.code, error.detail)
    return None


def _after(dataset: Dataset, change: SampleChange, sample: Sample, before: Revision | None) -> Revision:
    label = (
        Label(sample=sample, value=change.label, source=change.source, author_id=change.author_id,
              seconds=change.seconds)
        if change.label is not None
        else before.label if before else None
    )  # fmt: skip
    default = Split.TRAIN if change.label is not None else Split.POOL
    blob = change.blob or (before.blob if before else None)
    assert blob is not None  # noqa: S101 - _refusal has seen to it
    return Revision(
        dataset=dataset,
        sample=sample,
        blob=blob,
        split=change.split or (before.split if before else default),
        label=label,
        class_name=label.value.get("class", "") if label else "",
        meta=dict(change.meta) if change.meta is not None else (before.meta if before else {}),
    )


def _same(before: Revision, after: Revision, change: SampleChange) -> bool:
    told = change.label is None or (before.label is not None and before.label.value == after.label.value)  # type: ignore[union-attr]  # a told label is there
    return told and (before.blob_id, before.split, before.meta) == (after.blob_id, after.split, after.meta)


def _plan_removal(
    plan: _Plan, key: str, sample: Sample | None, current: dict[int, Revision], wanted: dict[str, SampleChange]
) -> None:
    if key in wanted:
        plan.result.rejected.append(Rejection(key, "duplicate_key", "the batch both changes and removes this key"))
    elif sample is None or sample.pk not in current:
        plan.result.rejected.append(Rejection(key, "sample_unknown", "remove: no such sample in the head"))
    else:
        plan.rows.append(_Row(None, sample, current[sample.pk], None))
        plan.result.removed += 1


def _samples(dataset: Dataset, keys: Iterable[str]) -> dict[str, Sample]:
    found: dict[str, Sample] = {}
    for chunk in chunks(keys):
        found |= {sample.key: sample for sample in Sample.objects.filter(dataset=dataset, key__in=chunk)}
    return found


def _current(dataset: Dataset, samples: Iterable[Sample]) -> dict[int, Revision]:
    found: dict[int, Revision] = {}
    for chunk in chunks([sample.pk for sample in samples]):
        rows = Revision.objects.current(dataset.pk).filter(sample__in=chunk).select_related("blob", "label")
        found |= {row.sample_id: row for row in rows}
    return found


def _write(plan: _Plan, changes: ChangeSet, author: User) -> bool:
    """Write the plan inside the caller's transaction. False when another commit moved the head meanwhile."""
    number = (plan.head.number if plan.head else 0) + 1
    result = plan.result
    version, created = Version.objects.get_or_create(
        dataset=plan.dataset,
        number=number,
        defaults={
            "parent": plan.head, "message": changes.message[:500], "author": author, "added": result.added,
            "updated": result.updated, "removed": result.removed, "labelled": result.labelled,
            "counts": _counts(plan),
        },
    )  # fmt: skip
    if not created or not Dataset.objects.filter(pk=plan.dataset.pk, head=plan.head).update(head=version):
        return False
    before = [row.before.pk for row in plan.rows if row.before]
    for chunk in chunks(before):
        Revision.objects.filter(pk__in=chunk, until=None).update(until=number)
    Sample.objects.bulk_create([row.sample for row in plan.rows if row.sample.pk is None], batch_size=BATCH)
    after = [row.after for row in plan.rows if row.after]
    for revision in after:
        revision.sample_id = revision.sample.pk
        revision.since = number
        if revision.label is not None:
            revision.label.sample_id = revision.sample_id
    Label.objects.bulk_create([row.label for row in after if row.label and row.label.pk is None], batch_size=BATCH)
    for revision in after:
        revision.label_id = revision.label.pk if revision.label else None
    Revision.objects.bulk_create(after, batch_size=BATCH)
    result.version = version
    plan.dataset.head = version
    return True


def _counts(plan: _Plan) -> dict[str, object]:
    """The parent's counts plus what the plan changes."""
    old = plan.head.counts if plan.head else {"samples": 0, "labelled": 0, "by_split": {}, "by_class": {}}
    samples, labelled = old["samples"], old["labelled"]
    by_split, by_class = dict(old["by_split"]), dict(old["by_class"])
    for row in plan.rows:
        for sign, revision in ((-1, row.before), (1, row.after)):
            if revision is None:
                continue
            samples += sign
            labelled += sign * (revision.label is not None)
            by_split[revision.split] = by_split.get(revision.split, 0) + sign
            for name, count in class_counts(revision.label.value if revision.label else None).items():
                by_class[name] = by_class.get(name, 0) + sign * count
    kept = ({name: count for name, count in counts.items() if count} for counts in (by_split, by_class))
    return {"samples": samples, "labelled": labelled, "by_split": next(kept), "by_class": next(kept)}


def _stale(dataset: Dataset, parent: int | None) -> Conflict:
    since = dataset.versions.filter(number__gt=parent or 0).order_by("number")
    fields = ("number", "message", "added", "updated", "removed", "labelled")
    changed = [
        {"version": row.pop("number")} | row
        for row in since.annotate(by=F("author__username")).values(*fields, "by")[:50]
    ]
    head = changed[-1]["version"] if changed else None
    return Conflict(
        f"parent: version {parent} is not the head any more; nothing was written. Look at what changed, then commit "
        f"on version {head}.",
        code="stale_parent",
        extra={"head": head, "changed": changed},
    )
