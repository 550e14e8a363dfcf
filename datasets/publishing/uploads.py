"""Uploads by `dvc push`: bytes named by their md5s, and at the end the listing of a directory."""

import tempfile
from datetime import timedelta
from typing import BinaryIO, cast

from django.db import transaction
from django.db.models.functions import Now

from blobs.digests import CHUNK_BYTES, Hasher, parse_md5
from blobs.errors import BlobTooLarge, DigestCollision, DigestMismatch
from blobs.models import Blob
from blobs.services import keep
from jobs.storage import charge, check_room
from publishing.models import Repository, Upload
from publishing.sources import source

MAX_BYTES = 512 << 20
SPOOL_BYTES = 8 << 20
KEPT = timedelta(days=7)


def receive(repository: Repository, md5: str, stream: BinaryIO, *, listing: bool) -> Upload:
    """Store the bytes sent as `md5`. Raises DigestMismatch if their md5 differs, BlobTooLarge, DigestInvalid, Conflict
    (`storage_quota`).

    Clients must send bytes even if they are stored already: knowing a digest gives no right to read.
    """
    expected, project = parse_md5(md5), source(repository.kind).project_of(repository.name)
    hasher = Hasher()
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        while chunk := stream.read(CHUNK_BYTES):
            hasher.update(chunk)
            if hasher.size > MAX_BYTES:
                raise BlobTooLarge(f"more than {MAX_BYTES} bytes: send large files by the platform's own upload")
            spool.write(chunk)
        digests = hasher.digests()
        if digests.md5 != expected:
            raise DigestMismatch(f"the bytes sent as {expected} have the md5 {digests.md5}: send them again")
        blob = Blob.objects.filter(md5=expected).first()
        if blob is None:
            if project is not None:
                check_room(project, digests.size)
            spool.seek(0)
            blob = keep(cast(BinaryIO, spool), media_type="application/octet-stream")
    if blob.sha256 != digests.sha256:
        raise DigestCollision(f"other bytes with the md5 {expected} are stored already")
    with transaction.atomic():
        if project is not None:
            charge(project, {blob.pk: blob.size})
        return Upload.objects.get_or_create(repository=repository, blob=blob, listing=listing)[0]


def forget_abandoned() -> int:
    """Delete uploads older than a week that no committed push names; nothing refers to their bytes any more. Returns
    how many."""
    return Upload.objects.filter(kept=False, created__lt=Now() - KEPT).delete()[0]
