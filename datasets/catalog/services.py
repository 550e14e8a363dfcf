"""The rules of datasets: create, find, commit."""

import re
from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from blobs.models import Blob
from blobs.services import chunks, rows_for
from catalog.changes import ChangeSet
from catalog.models import NAME, NAME_PATTERN, Dataset, Label, Revision, Sample, Task, Version
from catalog.plans import CommitResult, Plan, plan_commit
from core.errors import Conflict, Invalid, NotFound
from core.references import as_number, by_id_or_name

__all__ = ["CommitResult", "commit", "create_dataset", "find_dataset", "find_version", "save_blobs"]

BATCH = 1000
BLOB_BATCH = 5000
MAX_CLASS = 200


def create_dataset(name: str, *, task: str, classes: list[str], description: str, author: User) -> Dataset:
    """A new, empty dataset. Raises Invalid (name, task, classes) or Conflict (the name is taken)."""
    if not re.fullmatch(NAME_PATTERN, name) or name.isdecimal():
        raise Invalid.field("name", f"{NAME.message}, and not a number alone")
    if task not in Task.values:
        raise Invalid.field("task", f"must be one of {', '.join(Task.values)}")
    if not classes or len(set(classes)) != len(classes):
        raise Invalid.field("classes", "must be different names, at least one")
    if not all(0 < len(known) <= MAX_CLASS and known.isprintable() for known in classes):
        raise Invalid.field("classes", f"each must be 1 to {MAX_CLASS} printable characters")
    values = {"task": task, "classes": classes, "description": description, "created_by": author}
    dataset, created = Dataset.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a dataset {name!r} already: choose another name, or POST to it.", code="name_taken")
    return dataset


def find_dataset(reference: str) -> Dataset:
    """A dataset by id or name. Raises NotFound."""
    dataset = by_id_or_name(Dataset.objects.select_related("head"), reference)
    if dataset is None:
        raise NotFound(f"There is no dataset {reference!r}.", code="dataset_unknown")
    return dataset


def find_version(dataset: Dataset, reference: str) -> Version:
    """A version by number, `v3` or `head`. Raises NotFound."""
    if reference == "head" and dataset.head is not None:
        return dataset.head
    number = as_number(reference.removeprefix("v"))
    found = None if number is None else dataset.versions.filter(number=number).first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no version {reference!r}.", code="version_unknown")
    return found


@transaction.atomic
def commit(dataset: Dataset, changes: ChangeSet, *, author: User) -> CommitResult:
    """Commit a change set on the head: all of it, or nothing but what `rejected` names.

    A change set that names its parent and finds another head raises Conflict (`stale_parent`) and writes nothing;
    one that names none goes on top of whatever head it finds. A commit that changes nothing makes no version. Blobs of
    the change set may be unsaved rows: those that are taken get their rows in the same transaction.
    """
    # The row's lock puts commits of one dataset in line (SQLite's IMMEDIATE transaction does it for the database).
    locked = Dataset.objects.select_for_update().get(pk=dataset.pk)
    plan = plan_commit(dataset, changes, head=locked.head)
    if plan.rows:
        _write(plan, changes, author)
    return plan.result


def _write(plan: Plan, changes: ChangeSet, author: User) -> None:
    result = plan.result
    result.version = Version.objects.create(
        dataset=plan.dataset,
        number=plan.number,
        parent=plan.head,
        message=changes.message[:500],
        author=author,
        added=result.added,
        updated=result.updated,
        removed=result.removed,
        labelled=result.labelled,
        counts=plan.counts(),
    )
    Dataset.objects.filter(pk=plan.dataset.pk).update(head=result.version)
    plan.dataset.head = result.version
    for ids in chunks(row.before.pk for row in plan.rows if row.before):
        Revision.objects.filter(pk__in=ids).update(until=plan.number)
    after = [row.after for row in plan.rows if row.after]
    saved = save_blobs(row.blob for row in after)
    Sample.objects.bulk_create([row.sample for row in plan.rows if row.sample.pk is None], batch_size=BATCH)
    for revision in after:
        revision.blob = saved.get(revision.blob.md5, revision.blob)
        revision.since = plan.number
        revision.sample_id = revision.sample.pk
        if revision.label is not None:
            revision.label.sample_id = revision.sample_id
    Label.objects.bulk_create([row.label for row in after if row.label and not row.label.pk], batch_size=BATCH)
    for revision in after:
        revision.label_id = revision.label.pk if revision.label else None
    Revision.objects.bulk_create(after, batch_size=BATCH)


def save_blobs(blobs: Iterable[Blob]) -> dict[str, Blob]:
    """Rows, by md5, for those of the blobs that have none. Raises Conflict (`digest_collision`).

    A commit does this itself; who has many saves them before, for a shorter transaction.
    """
    new = {blob.md5: blob for blob in blobs if blob.pk is None}
    saved: dict[str, Blob] = {}
    # In the order of their digests, so that two writers can't lock each other out.
    for names in chunks(sorted(new), BLOB_BATCH):
        saved |= rows_for((new[md5].ref, _facts(new[md5])) for md5 in names)
    for md5, blob in saved.items():
        if blob.sha256 != new[md5].sha256:
            raise Conflict(f"Other bytes with the md5 {md5} are stored already.", code="digest_collision")
        if blob.width is None:  # kept before as something else (a part of an archive, an upload), now known as an image
            Blob.objects.filter(pk=blob.pk).update(**_facts(new[md5]))
    return saved


def _facts(blob: Blob) -> dict[str, object]:
    return {"media_type": blob.media_type, "width": blob.width, "height": blob.height}
