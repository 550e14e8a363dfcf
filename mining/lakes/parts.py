"""The rules of a lake's parts: how to add one, what must hold then, and how to remove one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts import audit
from accounts.models import User
from blobs.ledger import hold_objects
from blobs.models import Blob, StoredObject
from blobs.refs import BlobRef
from blobs.services import chunks, rely_on, rows_for
from catalog.intake import archive_uploads
from catalog.models import ArchiveUpload, Dataset, Revision
from core.errors import Conflict, NotFound
from core.list_parameters import listed
from jobs.errors import ShardFailed
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from jobs.storage import charge
from lakes.models import LakeGroup, LakePack, LakePart, LakeScan
from lakes.reading import columns_of

ADD, FILL = "lake_add", "lake_fill"
PARQUET = "application/vnd.apache.parquet"


@dataclass(frozen=True, slots=True)
class NewGroup:
    """The file of a group in the store."""

    ref: BlobRef
    first: str
    last: str
    rows: int


@dataclass(frozen=True, slots=True)
class NewPart:
    """The groups of a manifest or an archive by their keys, and the byte where the last frame ends in each object, by
    the object's key."""

    source: LakePart.Source
    groups: Sequence[NewGroup]
    bytes: int
    objects: Mapping[str, int]
    columns: Mapping[str, str]


@transaction.atomic
def start_adding(
    dataset: Dataset, upload: ArchiveUpload, *, source: LakePart.Source, author: User, names_encoding: str | None = None
) -> Job:
    """Create a queued job that packs the images of an archive, or checks a manifest, and adds them; the caller wakes
    it.

    Raises Conflict (`parts_missing`).
    """
    refuse_archived(dataset)
    archive_uploads.check_complete(upload)
    params = {"dataset": dataset.pk, "parts": upload.pk, "names_encoding": names_encoding}
    title = f"Put {upload.name} into the lake of {dataset.name}"[:200]
    kind = ADD if source == LakePart.Source.MANIFEST else FILL
    upload.job = create_job(kind, title, shards=[ShardSpec(params)], params=params, unit="frames", created_by=author,
                            project=dataset.project_id)  # fmt: skip
    upload.save(update_fields=["job"])
    return upload.job


def add_part(dataset: Dataset, new: NewPart, *, job: Job, author: User) -> LakePart:
    """Create the rows of a part, inside the transaction that counts the job's result.

    Raises ShardFailed (`lake_overlap`, `lake_columns`, `storage_quota`), Unavailable (`bytes_collected`).
    """
    dataset = Dataset.everything.select_for_update().get(pk=dataset.pk)  # parts of one lake come one after another
    refuse_archived(dataset)
    first, last = new.groups[0].first, new.groups[-1].last
    _check_apart(dataset, first, last)
    _check_columns(dataset, new.columns)
    hold_objects(new.objects)
    blobs = rows_for([(group.ref, {"media_type": PARQUET}) for group in new.groups])
    objects = list(StoredObject.objects.filter(key__in=listed(sorted(new.objects))))
    try:
        charge(
            dataset.project_id, {blob.pk: blob.size for blob in blobs.values()}, {row.pk: row.size for row in objects}
        )
    except Conflict as refusal:
        raise ShardFailed(refusal.detail, code=refusal.code) from refusal
    rely_on(blob.pk for blob in blobs.values())
    part = LakePart.objects.create(
        dataset=dataset,
        source=new.source,
        first=first.encode(),
        last=last.encode(),
        rows=sum(group.rows for group in new.groups),
        bytes=new.bytes,
        columns=dict(new.columns),
        job=job,
        created_by=author,
    )
    LakeGroup.objects.bulk_create(_group(part, group, blobs[group.ref.md5]) for group in new.groups)
    for rows in chunks(objects):
        LakePack.objects.bulk_create(LakePack(part=part, object=row) for row in rows)
    audit.note("added", "lake part", str(part.pk), project=dataset.project_id, after=audited(part), by=author)
    return part


def _group(part: LakePart, group: NewGroup, blob: Blob) -> LakeGroup:
    ends = {"first": group.first.encode(), "last": group.last.encode()}
    return LakeGroup(part=part, dataset_id=part.dataset_id, rows=group.rows, blob=blob, **ends)


def _check_apart(dataset: Dataset, first: str, last: str) -> None:
    other = LakePart.objects.filter(dataset=dataset, first__lte=last.encode(), last__gte=first.encode()).first()
    if other is not None:
        has = f"from {bytes(other.first).decode()!r} to {bytes(other.last).decode()!r}"
        words = (
            f"key: part {other.pk} of this lake has keys {has}, this one from {first!r} to {last!r}: the keys of a part"
        )
        raise ShardFailed(f"{words} may not reach into those of another; give each a prefix", code="lake_overlap")


def _check_columns(dataset: Dataset, columns: Mapping[str, str]) -> None:
    known = columns_of(dataset)
    for name, kind in columns.items():
        if known.get(name, kind) != kind:
            words = (
                f"column {name}: is {kind}, and {known[name]} in the other parts of this lake: make it {known[name]}"
            )
            raise ShardFailed(words, code="lake_columns")


def packs_of(project: int, keys: Sequence[str]) -> set[str]:
    """Filter the keys to objects that hold frames of a lake, or images of samples, of the project: knowing the name of
    another project's object gives no right to its bytes."""
    held = LakePack.objects.filter(part__dataset__project=project, object__key__in=keys)
    ours = set(held.values_list("object__key", flat=True))
    rest = [key for key in keys if key not in ours]
    samples = Revision.objects.filter(dataset__project=project, blob__key__in=rest)
    return ours | set(samples.values_list("blob__key", flat=True).distinct())


def find_part(dataset: Dataset, pk: int) -> LakePart:
    """Return a part of the dataset's lake. Raises NotFound."""
    found = LakePart.objects.filter(dataset=dataset, pk=pk).first()
    if found is None:
        raise NotFound(f"The lake of {dataset.name!r} has no part {pk}.", code="part_unknown")
    return found


@transaction.atomic
def remove_part(part: LakePart, *, by: User) -> None:
    """Remove a part from the lake. Frames that are samples by now stay samples; what nothing else refers to is
    collected.

    Raises Conflict (`part_busy`) while a scan of the lake is running.
    """
    Dataset.everything.select_for_update().get(pk=part.dataset_id)
    busy = LakeScan.objects.filter(dataset=part.dataset_id, job__state__in=Job.OPEN).first()
    if busy is not None:
        words = f"Scan {busy.pk} of this lake is not done: wait for it, or cancel its job {busy.job_id}."
        raise Conflict(words, code="part_busy")
    audit.note("removed", "lake part", str(part.pk), project=part.dataset.project_id, before=audited(part), by=by)
    part.delete()


def audited(part: LakePart) -> dict[str, Any]:
    """What the audit log stores of a part."""
    return {"dataset": part.dataset.name, "frames": part.rows, "bytes": part.bytes, "source": part.source,
            "first": bytes(part.first).decode(), "last": bytes(part.last).decode()}  # fmt: skip
