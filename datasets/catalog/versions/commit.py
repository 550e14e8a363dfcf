"""Commit a change set: write its plan as rows, in one transaction."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from django.db import transaction
from django.dispatch import Signal

from accounts import audit
from accounts.models import User
from blobs.errors import DigestCollision
from blobs.models import Blob
from blobs.services import chunks, note_conversions, rely_on, save_rows
from catalog.changes.plan import CommitResult, Plan
from catalog.changes.sets import ChangeSet
from catalog.duplicates.near import remember
from catalog.labels.rows import object_rows
from catalog.models import (
    Dataset,
    ForkOverride,
    Label,
    Revision,
    RevisionClass,
    Split,
    Version,
)
from catalog.splits.groups import keep_places
from catalog.versions.planning import plan_commit
from catalog.versions.tallies import Change, tallies
from core import gc_pause
from core.bulk import insert
from core.errors import Conflict
from jobs.lifecycle.finding import refuse_archived
from jobs.storage import charge
from worker_programs.wording import plural

# Sent after the transaction that made a version, with `version`. Receivers only wake something: the signal may be lost.
version_committed = Signal()

BLOB_BATCH = 5000
MESSAGE_LENGTH = 500
SHOWN_KEYS = 20


def look_ahead(dataset: Dataset, changes: ChangeSet, *, on_pairs: Callable[[int], None] = lambda _: None) -> None:
    """Compare the pictures that a commit on the current head will need, before its transaction begins.

    `on_pairs` is called with the number of pairs compared. If the head moves meanwhile, the commit compares the rest.
    """
    if any(change.blob is not None or change.split == Split.TEST for change in changes.samples):
        changes.looks.on_pairs = on_pairs
        plan_commit(dataset, changes, head=Dataset.objects.select_related("head").get(pk=dataset.pk).head)


@transaction.atomic
def commit(dataset: Dataset, changes: ChangeSet, *, author: User) -> CommitResult:
    """Commit a change set on the head; the items in `rejected` are left out.

    A change set that names a parent other than the head raises Conflict (`stale_parent`) and writes nothing; one
    without a parent goes on top of the current head. A commit that changes nothing makes no version, unless it settles
    a merge. Blobs of the change set may be unsaved rows: accepted ones are saved in the same transaction. A commit
    whose images exceed the project's storage limit raises Conflict (`storage_quota`) and writes nothing.
    """
    # The row's lock serialises commits of a dataset (SQLite's IMMEDIATE transaction does that for the whole database).
    locked = Dataset.everything.select_for_update().get(pk=dataset.pk)
    refuse_archived(locked)
    for name in ("split_rule", "classes", "schema_version"):
        setattr(dataset, name, getattr(locked, name))
    with gc_pause.paused():
        plan = plan_commit(dataset, changes, head=locked.head)
        if plan.rows or (changes.settles and not plan.result.rejected):
            _write(plan, changes, author)
    return plan.result


def _write(plan: Plan, changes: ChangeSet, author: User) -> None:
    result = plan.result
    result.version = Version.objects.create(
        dataset=plan.dataset,
        number=plan.number,
        parent=plan.head,
        merged=changes.merged,
        message=_message(plan, changes),
        author=author,
        added=result.added,
        updated=result.updated,
        removed=result.removed,
        labelled=result.labelled,
        counts=plan.counts(),
        labelling=changes.labelling,
        schema_version=plan.dataset.schema_version,
    )
    _note_corrections(plan, author)
    Dataset.objects.filter(pk=plan.dataset.pk).update(head=result.version)
    plan.dataset.head = result.version
    _close(plan)
    after = [row.after for row in plan.rows if row.after]
    save_blobs(blob for revision in after for blob in (revision.blob, revision.original) if blob is not None)
    charge(plan.dataset.project_id, {blob.pk: blob.size for row in plan.rows for blob in row.brings})
    insert([row.sample for row in plan.rows if row.sample.pk is None])
    new_labels: list[Label] = []
    for revision in after:
        revision.since = plan.number
        # Set objects, not ids: for a changed id, Django would query each object again.
        revision.sample, revision.blob, revision.original = revision.sample, revision.blob, revision.original
        if revision.label is not None and not revision.label.pk:
            revision.label.sample_id = revision.sample_id
            new_labels.append(revision.label)
    insert(new_labels)
    insert([row for label in new_labels for row in object_rows(plan.dataset.task_type.labels, label)], ids=False)
    for revision in after:
        revision.label = revision.label
    rely_on(blob for revision in after for blob in (revision.blob_id, revision.original_id) if blob is not None)
    note_conversions((revision.original, revision.blob) for revision in after if revision.original)
    insert(after)
    keep_places(plan.dataset, after, since=plan.number)
    remember(plan, allow=changes.allow_near_duplicates)
    if plan.dataset.names_several:
        insert([mention for row in after for mention in _mentions(plan.dataset, row)])
    insert(tallies(plan.dataset.pk, plan.number, _tallied(plan)))
    announce(result.version)


def _message(plan: Plan, changes: ChangeSet) -> str:
    """Return the version's message; it says how many samples left test."""
    if not plan.result.corrected:
        return changes.message[:MESSAGE_LENGTH]
    words = f"{plural(plan.result.corrected, 'sample')} taken out of test, as no model was judged by them"
    return f"{changes.message[: MESSAGE_LENGTH - len(words) - 3]} ({words})" if changes.message else words.capitalize()


def _note_corrections(plan: Plan, author: User) -> None:
    """Put into the audit log which samples left test, and where to; their first few by key."""
    leaving = [row for row in plan.rows if row.leaves_test]
    if not leaving:
        return
    splits = dict(Counter(row.after.split for row in leaving if row.after))
    keys = sorted(row.sample.key for row in leaving)[:SHOWN_KEYS]
    after = {"version": plan.number, "splits": splits, "keys": keys}
    before = {"splits": {Split.TEST.value: len(leaving)}}
    project = plan.dataset.project_id
    audit.note("test_corrected", "dataset", plan.dataset.name, by=author, project=project, before=before, after=after)


def announce(version: Version) -> None:
    """Send `version_committed` once the transaction that made the version has committed."""
    transaction.on_commit(lambda: version_committed.send(Version, version=version), robust=True)


def _close(plan: Plan) -> None:
    """End the revisions that the plan replaces: those of this dataset directly, an origin's by a ForkOverride."""
    replaced = [row.before for row in plan.rows if row.before]
    for ids in chunks(revision.pk for revision in replaced if revision.dataset_id == plan.dataset.pk):
        Revision.objects.filter(pk__in=ids).update(until=plan.number)
    inherited = (revision.sample_id for revision in replaced if revision.dataset_id != plan.dataset.pk)
    overrides = [ForkOverride(dataset=plan.dataset, sample_id=sample, since=plan.number) for sample in inherited]
    insert(overrides)


def _mentions(dataset: Dataset, revision: Revision) -> list[RevisionClass]:
    place = {"dataset_id": revision.dataset_id, "sample_id": revision.sample_id}
    return [RevisionClass(revision=revision, class_name=name, **place) for name in dataset.class_counts(revision.label)]


def _tallied(plan: Plan) -> Iterator[Change]:
    for row in plan.rows:
        for sign, revision in ((-1, row.before), (1, row.after)):
            if revision is not None:
                yield Change(revision, plan.dataset.class_counts(revision.label), sign)


def save_blobs(blobs: Iterable[Blob]) -> None:
    """Save the blobs that have no row yet. Raises Conflict (`digest_collision`).

    A commit does this itself; if there are many, call this before it, for a shorter transaction.
    """
    new: dict[str, list[Blob]] = {}
    for blob in blobs:
        if not blob.pk:
            new.setdefault(blob.md5, []).append(blob)
    # In the order of their digests, so that two writers can't deadlock.
    for names in chunks(sorted(new), BLOB_BATCH):
        try:
            save_rows([new[md5][0] for md5 in names])
        except DigestCollision as error:
            raise Conflict(error.message, code=error.code) from error
        for md5 in names:
            for twin in new[md5][1:]:
                twin.pk = new[md5][0].pk
