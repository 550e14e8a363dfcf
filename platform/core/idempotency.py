"""Idempotency keys: claim before the work, remember the answer after it."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from django.db.models.functions import Now
from django.http import HttpRequest

from core.errors import Conflict, Invalid, Unprocessable
from core.models import IdempotencyRecord
from core.rows import insert_row, save_fields

Need = tuple[int | None, str]
"""A right that a request used: the project (None: the whole platform), and the right's name."""
MAX_KEY = 200
# How long a claim without an answer is valid: after that its process is assumed dead, and a repeat does the work.
PATIENCE = timedelta(seconds=20)
PATIENCE_WITH_FILES = timedelta(minutes=10)
KEPT = timedelta(days=7)


class RequestRights(Protocol):
    """The rights of a request, as the code that knows people and projects sets them on it (`request.rights`)."""

    def used(self) -> Sequence[Need]:
        """Return the rights that the request has been allowed by so far."""

    def hold(self, needs: Sequence[Need]) -> bool:
        """Whether the caller still has all of these rights."""


def patience(request: HttpRequest) -> timedelta:
    """Return the time that the request may reasonably take: minutes for an upload, seconds for anything else."""
    return PATIENCE_WITH_FILES if (request.content_type or "").startswith("multipart/") else PATIENCE


def fingerprint(request: HttpRequest, *, read: bool = True) -> str:
    """Return a digest of method, path and body; files are hashed as a stream, never read whole. With `read=False` the
    body is left out: a webhook's body is never read."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if not read:
        return digest.hexdigest()
    if (request.content_type or "").startswith("multipart/"):
        for name in sorted(request.POST):
            digest.update(repr((name, request.POST.getlist(name))).encode())
        for name in sorted(request.FILES):
            for file in request.FILES.getlist(name):
                digest.update(repr((name, getattr(file, "sent_name", file.name), file.size)).encode())
                for chunk in file.chunks():
                    digest.update(chunk)
                file.seek(0)
    else:
        digest.update(request.body)
    return digest.hexdigest()


def claim(*, caller: str, key: str, fingerprint: str, patience: timedelta = PATIENCE) -> IdempotencyRecord:
    """Claim the key, or return the complete record of its first use. A claim older than `patience` is taken over.

    Raises Invalid (bad key), Unprocessable (another body), Conflict (the first request is still under way).
    """
    if not 0 < len(key) <= MAX_KEY or not key.isprintable():
        raise Invalid.field("Idempotency-Key", f"must be 1 to {MAX_KEY} printable characters")
    claimed = IdempotencyRecord(caller=caller, key=key, fingerprint=fingerprint)
    # A single statement, as nearly every POST makes one; the commit of the request's work makes it durable too.
    if insert_row(claimed, skip_conflicts=True, flushed=False):
        return claimed
    record = IdempotencyRecord.objects.get(caller=caller, key=key)
    if record.fingerprint != fingerprint:
        raise Unprocessable(
            "This Idempotency-Key was used for another request: make a new key for a new request.",
            code="idempotency_key_reused",
        )
    if record.is_complete:
        return record
    abandoned = IdempotencyRecord.objects.filter(pk=record.pk, status=0, created__lt=Now() - patience)
    if abandoned.update(created=Now()) == 0:
        raise Conflict("The first request with this key is still under way.", code="idempotency_in_progress")
    return record


def complete(
    record: IdempotencyRecord, *, status: int, content_type: str, body: bytes, needs: Sequence[Need] = ()
) -> None:
    """Store the answer, and the rights that its request was allowed by."""
    record.status, record.content_type, record.body = status, content_type, body
    record.needs = [list(need) for need in needs]
    save_fields(record, "status", "content_type", "body", "needs")


def release(record: IdempotencyRecord) -> None:
    """Release the key, as the request changed nothing."""
    IdempotencyRecord.objects.filter(pk=record.pk, status=0).delete()


def forget_old() -> int:
    """Delete answers older than a week. Returns how many."""
    return IdempotencyRecord.objects.filter(created__lt=Now() - KEPT).delete()[0]
