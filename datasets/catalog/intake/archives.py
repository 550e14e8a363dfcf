"""Uploaded archives, read member by member: small ones in the request, large ones by a job."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from os import SEEK_END
from typing import BinaryIO

from django.db import transaction

from accounts.models import User
from blobs.archives import Member, iter_members
from blobs.budget import excess_of, request_pixels
from blobs.services import keep, keep_bytes, store
from catalog.changes.sets import Rejection
from catalog.intake import archive_uploads
from catalog.intake.incoming import Document, Incoming, sorted_out
from catalog.intake.ingest import Terms, empty_upload
from catalog.models import ArchiveUpload, Dataset
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from jobs.storage import check_room

AT_ONCE_BYTES = 8 << 20
AT_ONCE_UNPACKED = 64 << 20
AT_ONCE_MEMBERS = 2000
# Error codes of the archive reader that have another name for samples.
CODES = {"unsafe_name": "key_malformed", "duplicate_name": "duplicate_key"}


def members(
    file: BinaryIO, *, convert: bool = False, names_encoding: str | None = None
) -> Iterator[Incoming | Document | Rejection]:
    """Yield the files of an archive. Raises blobs.errors.ArchiveRefused."""
    for item in iter_members(file, names_encoding=names_encoding):
        if isinstance(item, Member):
            yield sorted_out(item.name, item.data, convert=convert)
        else:
            yield Rejection(item.name, CODES.get(item.code, item.code), item.message)


def is_large(file: BinaryIO, size: int, *, names_encoding: str | None = None) -> bool:
    """Whether the archive is too large for one request. Raises ArchiveRefused if it is not an archive, Invalid if
    it has no files."""
    count = unpacked = pixels = 0
    large = False
    for item in members(file, names_encoding=names_encoding):
        count += 1
        unpacked += 0 if isinstance(item, Rejection) else len(item.data)
        pixels += excess_of(item.data) if isinstance(item, Incoming) else 0
        if size > AT_ONCE_BYTES or count > AT_ONCE_MEMBERS or unpacked > AT_ONCE_UNPACKED or pixels > request_pixels():
            large = True
            break
    file.seek(0)
    if not count:
        raise empty_upload("archive: there are no files in it")
    return large


def create_ingest_job(
    dataset: Dataset, file: BinaryIO, terms: Terms, *, annotations: Document | None, author: User, name: str
) -> Job:
    """Store the archive and queue the job that reads it; the caller wakes it. Raises Conflict (`storage_quota`)."""
    file.seek(0, SEEK_END)
    check_room(dataset.project_id, file.tell())
    file.seek(0)
    archive = keep(file, media_type="application/octet-stream")
    return _queue(dataset, {"archive": archive.md5}, terms, annotations=annotations, author=author, name=name)


def create_direct_job(dataset: Dataset, archive: Mapping[str, str], terms: Terms, *, author: User) -> Job:
    """Queue the job that reads an archive `{upload, sha256?, name}` in a direct upload. Raises UploadMissing, Conflict
    (`storage_quota`)."""
    check_room(dataset.project_id, store().upload_size(archive["upload"]))
    params = {"upload": archive["upload"], "sha256": archive.get("sha256")}
    return _queue(dataset, params, terms, annotations=None, author=author, name=archive["name"])


@transaction.atomic
def create_parts_job(upload: ArchiveUpload, terms: Terms, *, author: User) -> Job:
    """Queue the job that reads an archive uploaded in parts. Raises Conflict (`parts_missing`)."""
    archive_uploads.check_complete(upload)
    job = _queue(upload.dataset, {"parts": upload.pk}, terms, annotations=None, author=author, name=upload.name)
    upload.job = job
    upload.save(update_fields=["job"])
    return job


def _queue(
    dataset: Dataset, archive: Mapping[str, str | None], terms: Terms, *, annotations: Document | None, author: User,
    name: str,
) -> Job:  # fmt: skip
    params = {
        **archive,
        "dataset": dataset.pk,
        "annotations": kept_document(annotations),
        "terms": asdict(terms),
        "author": author.pk,
    }
    title = f"Ingest {name} into {dataset.name}"[:200]
    return create_job(
        "ingest", title, shards=[ShardSpec(params)], unit="images", created_by=author, project=dataset.project_id
    )


def kept_document(document: Document | None) -> dict[str, str] | None:
    """Store an annotation file and return it as a job's parameter, `{path, md5}`."""
    if document is None:
        return None
    return {"path": document.path, "md5": keep_bytes(document.data, media_type="application/octet-stream").md5}
