"""Archives uploaded in parts: an interrupted upload resumes with the missing parts, from any page or machine.

A part is a blob; the upload's rows refer to the parts, so none is garbage-collected while the upload is open. An upload
ends when its commit is made, when it is discarded, or a week after its last part.
"""

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Max, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User
from blobs.models import Blob
from blobs.services import keep_bytes, rely_on, store
from catalog.models import PART_BYTES, ArchivePart, ArchiveUpload, Dataset
from core.errors import Conflict, Invalid, NotFound
from jobs.models import Job
from jobs.storage import charge, check_room

MAX_ARCHIVE_BYTES = 64 << 30
KEPT = timedelta(days=7)


def begin(dataset: Dataset, *, name: str, size: int, fingerprint: str, author: User) -> ArchiveUpload:
    """Create an upload, or return the author's open upload of the same file to this dataset. Raises Invalid (`size`),
    Conflict (`storage_quota`)."""
    if size > MAX_ARCHIVE_BYTES:
        raise Invalid.field("size", f"must be at most {MAX_ARCHIVE_BYTES} bytes: split the archive")
    facts = {"dataset": dataset, "author": author, "size": size, "fingerprint": fingerprint}
    found = ArchiveUpload.objects.filter(**facts, job=None).first()
    check_room(dataset.project_id, size - received_bytes(found))
    return found or ArchiveUpload.objects.create(pk=uuid4().hex, name=name, **facts)


def opened(dataset: Dataset, pk: str, *, author: User) -> ArchiveUpload | None:
    """Return the author's open upload with this id, or None."""
    return ArchiveUpload.objects.filter(pk=pk, dataset=dataset, author=author, job=None).first()


def find(dataset: Dataset, pk: str, *, author: User) -> ArchiveUpload:
    """Return the author's open upload with this id. Raises NotFound."""
    found = opened(dataset, pk, author=author)
    if found is None:
        raise NotFound(f"There is no open upload {pk!r} of yours: begin it again.", code="upload_unknown")
    return found


def received_bytes(upload: ArchiveUpload | None) -> int:
    """Return the total size of the parts that have arrived."""
    if upload is None:
        return 0
    return int(ArchivePart.objects.filter(upload=upload).aggregate(total=Sum("blob__size"))["total"] or 0)


def add_part(upload: ArchiveUpload, number: int, data: bytes) -> None:
    """Store a part; sent again, it replaces the earlier one. Raises Invalid if its number or size is wrong, Conflict
    (`storage_quota`)."""
    if not 0 <= number < upload.parts_expected:
        raise Invalid.field("part", f"must be from 0 to {upload.parts_expected - 1}")
    wanted = min(PART_BYTES, upload.size - number * PART_BYTES)
    if len(data) != wanted:
        raise Invalid.field("part", f"part {number} must have {wanted} bytes, not {len(data)}", code="part_size")
    check_room(upload.dataset.project_id, len(data))
    blob = keep_bytes(data, media_type="application/octet-stream")
    _charge_part(upload, number, blob)


@transaction.atomic
def _charge_part(upload: ArchiveUpload, number: int, blob: Blob) -> None:
    charge(upload.dataset.project_id, {blob.pk: blob.size})
    rely_on([blob.pk])
    ArchivePart.objects.update_or_create(upload=upload, number=number, defaults={"blob": blob})


def check_complete(upload: ArchiveUpload) -> None:
    """Raise Conflict (`parts_missing`) naming the parts that have not arrived."""
    missing = sorted(set(range(upload.parts_expected)) - set(upload.received))
    if missing:
        raise Conflict(
            f"{len(missing)} of the {upload.parts_expected} parts of {upload.name!r} have not come: send them, then "
            "commit again.",
            code="parts_missing",
            extra={"missing": missing[:1000]},
        )


def read(pk: str) -> Iterator[bytes]:
    """Yield the archive's bytes, part after part, verified."""
    for part in ArchivePart.objects.filter(upload=pk).select_related("blob").order_by("number"):
        yield from store().open(part.blob.ref)


def mark_taken(pk: str) -> None:
    """Note that the upload is being committed: what is in it is to have the room that its parts take."""
    ArchiveUpload.objects.filter(pk=pk).update(taken=True)


@transaction.atomic
def discard(pk: str) -> None:
    """Delete an upload: its parts are garbage-collected unless something else has the same bytes."""
    ArchivePart.objects.filter(upload=pk).delete()
    ArchiveUpload.objects.filter(pk=pk).delete()


def forget_abandoned() -> int:
    """Delete uploads whose last part arrived more than a week ago and that no open job reads; return how many."""
    ends = timezone.now() - KEPT
    last = Coalesce(Max("parts__received"), "created")
    idle = ArchiveUpload.objects.annotate(last=last).filter(last__lt=ends).exclude(job__state__in=Job.OPEN)
    abandoned = list(idle.values_list("pk", flat=True))
    for pk in abandoned:
        discard(pk)
    return len(abandoned)
