"""Run one claimed shard to its end, whatever that is."""

import logging
import os
import socket
import time

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from opentelemetry.trace import SpanKind

from blobs.errors import StoreFailed, StoreSilent
from core import disk_space, host_metrics, tracing
from core.errors import Busy
from core.logs import log_fields
from jobs import services, turns
from jobs.context import ShardContext
from jobs.errors import JobCancelled, LeaseLost, ShardFailed
from jobs.handlers import handler_for
from jobs.models import Job
from jobs.services import Claim

logger = logging.getLogger(__name__)
FAILED, REMOVED = "failed", "removed_meanwhile"


def work_on(job_id: int, *, worker: str = "", on_gpus: bool = False) -> Job | None:
    """Claim the shard whose turn it is in this job's line (see `turns.take`) and run it. Returns the shard's job; None
    if there was no shard to claim."""
    among = _freeing() if disk_space.shortage() else None  # the sweep wakes the others again
    held = turns.take(job_id, owner=me(), worker=worker, on_gpus=on_gpus, among=among)
    if held is None:
        return None
    run(held)
    return held.shard.job


def run(held: Claim) -> None:
    """Run a claimed shard to its end, whatever that is, and count the time that it held a slot."""
    job, began = held.shard.job, time.monotonic()
    fields: dict[str, str | int] = {"job_id": job.pk, "job_kind": job.kind, "shard": held.shard.index}
    told = {f"motherlode.{name}": value for name, value in fields.items()}
    with (
        log_fields(**fields, user_id=job.created_by_id),
        tracing.span(f"shard of {job.kind}", parent=job.trace, kind=SpanKind.CONSUMER, attributes=told),
    ):
        try:
            _run(held)
        finally:
            turns.used(job.project_id, time.monotonic() - began)


def me() -> str:
    """This process as a shard's owner: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _run(held: Claim) -> None:
    try:
        with ShardContext(held) as context:
            outcome = handler_for(held.shard.job.kind).run(context)
        if not services.complete(held, outcome.result, apply=outcome.apply):
            raise LeaseLost
        _count(held, "done")
        logger.info("%s is done", held.shard)
    except LeaseLost:
        _count(held, "lease_lost")
        logger.warning("%s is somebody else's now; this result is thrown away", held.shard)
        services.mark_cancelled(held)
    except JobCancelled:
        _count(held, "cancelled")
        services.mark_cancelled(held)
    except Exception as error:  # noqa: BLE001 - the boundary: whatever a handler raises must end the claim
        _count(held, _ended(held, error))
    except BaseException:
        _count(held, "stopped")
        services.release(held)
        raise


def _count(held: Claim, outcome: str) -> None:
    host_metrics.attempts.add(held.shard.job.kind, outcome)


def _ended(held: Claim, error: Exception) -> str:
    """Postpone a shard that lacked disk space or the object store, or met a busy dataset; else try it again, or end its
    job. Returns the reason, for programs."""
    tracing.failed(error)
    if disk_space.is_cause_of(error):
        services.postpone(held, disk_space.shortage() or f"A disk is full: {error}")
        return "disk_full"
    if isinstance(error, Busy):
        services.postpone(held, error.reason)
        return error.code
    if isinstance(error, StoreSilent):
        services.postpone(held, str(error))
        return error.code
    detail, code, retry = _failure(error)
    if code in {FAILED, REMOVED}:
        logger.error("%s failed", held.shard, exc_info=error)
    services.fail(held, detail, code=code, retry=retry)
    return code


def _failure(error: Exception) -> tuple[str, str, bool]:
    """Return what to say of a failed attempt, its code, and whether another one may go better."""
    if isinstance(error, ShardFailed):
        return error.detail, error.code, False
    if isinstance(error, ObjectDoesNotExist):  # of a job that was taken up again after somebody's deletion
        return f"What this job works on was removed meanwhile ({error}): start another job.", REMOVED, False
    if isinstance(error, StoreFailed):
        return error.message, error.code, True
    return f"{type(error).__name__}: {error}", FAILED, True


def _freeing() -> frozenset[str]:
    """The kinds of jobs that make room on a full disk."""
    return frozenset(kind for kind in settings.JOB_HANDLERS if getattr(handler_for(kind), "frees_space", False))
