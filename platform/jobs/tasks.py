"""Wake-ups. A message carries an id and no truth; losing or doubling one is harmless."""

import logging

from celery import shared_task
from django.conf import settings

from accounts import throttling
from core import idempotency
from jobs import runner, services, turns, wakeups
from jobs.handlers import handler_for
from jobs.models import Job

logger = logging.getLogger(__name__)


def wake(job: Job) -> None:
    """Send as many wake-ups as there are shards to claim and free slots to run them. A silent broker is survived:
    the sweep wakes the job later."""
    _send(job, services.wanted_wakeups(job.pk))


def _send(job: Job, count: int) -> None:
    services.mark_woken(job.pk)
    queue = settings.QUEUE_PREFIX + handler_for(job.kind).queue
    for _ in range(count):
        if not wakeups.send(work, job.pk, queue=queue):
            services.mark_unheard(job.pk)
            break


@shared_task(name="jobs.work")
def work(job_id: int) -> None:
    """Run one shard of this job's queue, then hand the slot on to whatever waits there."""
    done = runner.work_on(job_id)
    if done is None:
        return
    job = Job.objects.get(pk=done.pk)
    if job.woken is None and services.claimable_count(job.pk):
        wake(job)
    elif (following := turns.any_waiting(job.kind)) is not None:
        _send(following, 1)


@shared_task(name="jobs.sweep")
def sweep() -> None:
    """Wake what a lost message or a lost worker left behind."""
    services.tidy()
    for job in services.standing_still():
        logger.info("waking job %s, which stood still", job.pk)
        wake(job)


@shared_task(name="jobs.forget_old")
def forget_old() -> None:
    """Drop idempotency records nobody will ask for again, and counts of wrong secrets that count no more."""
    idempotency.forget_old()
    throttling.forget_old()
