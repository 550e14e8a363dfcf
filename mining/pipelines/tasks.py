"""Celery tasks that advance and start rounds."""

import logging

from celery import shared_task
from django.utils import timezone

from jobs import wakeups
from jobs.tasks import wake
from pipelines import schedules
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop

logger = logging.getLogger(__name__)


def wake_round(round_id: int) -> None:
    """Have a worker advance the round soon; if the broker loses the message, the sweep does it."""
    wakeups.send(advance, round_id)


@shared_task(name="rounds.advance")
def advance(round_id: int) -> None:
    """Take every step that the round can take, and wake the jobs it started."""
    for job in loop.advance(round_id):
        wake(job)


@shared_task(name=schedules.TASK)
def start_due(pipeline_id: int) -> None:
    """Start the round that beat says is due; the pipeline's row decides whether it is."""
    if (round_ := loop.start_due(pipeline_id)) is not None:
        wake_round(round_.pk)


@shared_task(name="rounds.sweep")
def sweep() -> None:
    """Check every schedule, trigger and open round: a wake-up may have been lost."""
    for pipeline_id in Pipeline.objects.filter(next_run__lte=timezone.now()).values_list("pk", flat=True):
        loop.start_due(pipeline_id)
    for pipeline_id in Pipeline.objects.to_examine().values_list("pk", flat=True):
        loop.start_triggered(pipeline_id)
    for round_id in Round.objects.exclude(state__in=Round.ENDED).values_list("pk", flat=True):
        wake_round(round_id)  # a step may take long: it must not hold up the sweeps of others
