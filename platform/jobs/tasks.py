"""Wake-ups. A message carries an id and no truth; losing or doubling one is harmless."""

import logging
from typing import Any

from celery import shared_task
from celery.exceptions import Reject
from django.conf import settings

from accounts import throttling
from core import idempotency
from jobs import draining, fleet, runner, services, storage, turns, wakeups
from jobs.models import Beat, Job, ShardQuerySet

logger = logging.getLogger(__name__)


def wake(job: Job) -> None:
    """Send as many wake-ups as there are shards to claim and free slots to run them. If the broker does not answer, the
    sweep wakes the job later."""
    services.mark_woken(job.pk)
    for on_gpus in (False, True):
        slots = Beat.objects.slots(turns.queue_of(job.kind, on_gpus=on_gpus))
        wanted = services.wanted_wakeups(job.pk, on_gpus=on_gpus, slots=slots)
        if wanted and fleet.can_be_done(job, on_gpus=on_gpus):  # else the sweep looks again: messages would pile up
            shards = turns.line_of(job.kind, on_gpus=on_gpus).shards.filter(job=job)
            send_wakeups(job, _asked(wanted, shards, job, on_gpus=on_gpus), on_gpus=on_gpus)


def send_wakeups(job: Job, count: int, *, on_gpus: bool) -> None:
    """Send `count` messages for the line of this job. One that can't be sent is left to the sweep."""
    queue = settings.QUEUE_PREFIX + turns.queue_of(job.kind, on_gpus=on_gpus)
    for _ in range(count):
        if not wakeups.send(work, job.pk, on_gpus, queue=queue):
            services.mark_unheard(job.pk)
            break


@shared_task(name="jobs.work", bind=True)
def work(self: Any, job_id: int, on_gpus: bool = False) -> None:  # noqa: FBT001, FBT002 - a message
    """Run one shard of this job's line, then hand the slot on to whatever waits there."""
    if draining.is_draining():
        raise Reject("this worker stops", requeue=True)
    worker = self.request.hostname or ""
    done = runner.work_on(job_id, worker=worker, on_gpus=on_gpus)
    while done is not None:
        following = runner.work_on(done.pk, worker=worker, on_gpus=on_gpus) if _goes_on(done) else None
        if following is None or following.pk != done.pk:
            hand_on(done, on_gpus=on_gpus)
        done = following


def _goes_on(done: Job) -> bool:
    """Whether the end of a shard has made exactly one claimable, as the proof after a training: this process is the
    best place for it, as its programs start from what the last one has loaded. Whose turn it is decides all the same
    what it claims."""
    if draining.is_draining():
        return False
    woken = Job.objects.values_list("woken", flat=True).get(pk=done.pk)
    return woken is None and services.claimable_count(done.pk) == 1


def hand_on(done: Job, *, on_gpus: bool) -> None:
    """After a shard of this job: wake what its end made claimable, and one waiting job for the slot that is free
    now."""
    job = Job.objects.get(pk=done.pk)
    if job.woken is None and services.claimable_count(job.pk):
        wake(job)
    if (following := turns.any_waiting(job.kind, on_gpus=on_gpus)) is not None:
        services.mark_woken(following.pk)
        shards = turns.line_of(job.kind, on_gpus=on_gpus).shards
        send_wakeups(following, _asked(1, shards, following, on_gpus=on_gpus), on_gpus=on_gpus)


def _asked(wanted: int, shards: ShardQuerySet, job: Job, *, on_gpus: bool) -> int:
    """How many messages bring `wanted` slots to these shards: one for each, or one for every slot of the queue if a
    message may reach a worker that has no room for what waits."""
    queue = turns.queue_of(job.kind, on_gpus=on_gpus)
    return max(wanted, Beat.objects.slots(queue)) if fleet.are_unlike(shards, queue=queue) else wanted


@shared_task(name="jobs.sweep")
def sweep() -> None:
    """Wake what a lost message or a lost worker left behind."""
    services.tidy()
    for job in services.standing_still():
        logger.info("waking job %s, which stood still", job.pk)
        wake(job)


@shared_task(name="jobs.forget_old")
def forget_old() -> None:
    """Delete idempotency records and counts of wrong secrets that have expired."""
    idempotency.forget_old()
    throttling.forget_old()


@shared_task(name="jobs.count_storage")
def count_storage() -> None:
    """Count anew what projects hold in the object store, where that is due."""
    storage.count_due()
