"""Write planned rows: those of a whole commit, or of a piece of one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from blobs.errors import DigestCollision
from blobs.models import Blob
from blobs.services import chunks, note_conversions, rely_on, save_rows
from catalog.changes.plan import Plan, Row
from catalog.duplicates.near import keep_hashes, keep_pairs
from catalog.labels.rows import object_rows
from catalog.models import Dataset, ForkOverride, Label, Revision, RevisionClass
from catalog.splits.groups import keep_places
from catalog.versions.tallies import Change, tallies
from core.bulk import insert
from core.errors import Conflict
from jobs.storage import charge

BLOB_BATCH = 5000


def write_rows(plan: Plan, rows: Sequence[Row]) -> None:
    """Write some of a plan's rows, and what counts and describes them, inside a transaction. No version shows them
    before the head has the plan's number.

    Raises Conflict (`storage_quota`, `digest_collision`), Unavailable (`bytes_collected`)."""
    _close(plan, rows)
    after = [row.after for row in rows if row.after]
    save_blobs(blob for revision in after for blob in (revision.blob, revision.original) if blob is not None)
    charge(plan.dataset.project_id, {blob.pk: blob.size for row in rows for blob in row.brings})
    insert([row.sample for row in rows if row.sample.pk is None])
    _write_labels(plan, after)
    rely_on(blob for revision in after for blob in (revision.blob_id, revision.original_id) if blob is not None)
    note_conversions((revision.original, revision.blob) for revision in after if revision.original)
    insert(after)
    keep_places(plan.dataset, after, since=plan.number)
    keep_hashes(plan, rows)
    keep_pairs(plan, rows)
    if plan.dataset.names_several:
        insert([mention for row in after for mention in _mentions(plan.dataset, row)])
    insert(tallies(plan.dataset.pk, plan.number, _tallied(plan.dataset, rows)))


def save_blobs(blobs: Iterable[Blob]) -> None:
    """Save the blobs that have no row yet. Raises Conflict (`digest_collision`).

    A commit does this itself; if there are many, call this before it, for a shorter transaction.
    """
    new: dict[str, list[Blob]] = defaultdict(list)
    for blob in blobs:
        if not blob.pk:
            new[blob.md5].append(blob)
    # In the order of their digests, so that two writers can't deadlock.
    for names in chunks(sorted(new), BLOB_BATCH):
        try:
            save_rows([new[md5][0] for md5 in names])
        except DigestCollision as error:
            raise Conflict(error.message, code=error.code) from error
        for md5 in names:
            for twin in new[md5][1:]:
                twin.pk = new[md5][0].pk


def _write_labels(plan: Plan, after: Sequence[Revision]) -> None:
    new: list[Label] = []
    for revision in after:
        revision.since = plan.number
        # Set objects, not ids: for a changed id, Django would query each object again.
        revision.sample, revision.blob, revision.original = revision.sample, revision.blob, revision.original
        if revision.label is not None and not revision.label.pk:
            revision.label.sample_id = revision.sample_id
            new.append(revision.label)
    insert(new)
    insert([row for label in new for row in object_rows(plan.dataset.task_type.labels, label)], ids=False)
    for revision in after:
        revision.label = revision.label


def _close(plan: Plan, rows: Sequence[Row]) -> None:
    """End the revisions that the rows replace: those of this dataset directly, an origin's by a ForkOverride."""
    replaced = [row.before for row in rows if row.before]
    for ids in chunks(revision.pk for revision in replaced if revision.dataset_id == plan.dataset.pk):
        Revision.objects.filter(pk__in=ids).update(until=plan.number)
    inherited = (revision.sample_id for revision in replaced if revision.dataset_id != plan.dataset.pk)
    insert([ForkOverride(dataset=plan.dataset, sample_id=sample, since=plan.number) for sample in inherited])


def _mentions(dataset: Dataset, revision: Revision) -> list[RevisionClass]:
    place = {"dataset_id": revision.dataset_id, "sample_id": revision.sample_id}
    return [RevisionClass(revision=revision, class_name=name, **place) for name in dataset.class_counts(revision.label)]


def _tallied(dataset: Dataset, rows: Iterable[Row]) -> Iterator[Change]:
    for row in rows:
        for sign, revision in ((-1, row.before), (1, row.after)):
            if revision is not None:
                yield Change(revision, dataset.class_counts(revision.label), sign)
