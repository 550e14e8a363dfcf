"""Events elsewhere that wake up a round."""

from typing import Any

from django.db.models import Q
from django.db.models.signals import post_delete
from django.dispatch import receiver

from catalog.models import Slice
from catalog.signals import slice_asked
from jobs.models import Job
from jobs.services import job_ended
from labeling.models import Queue
from labeling.services import queue_completed
from pipelines import schedules
from pipelines.models import Pipeline, Round
from pipelines.services import slices_named
from pipelines.tasks import wake_round


@receiver(job_ended)
def wake_round_of_job(job: Job, **_: Any) -> None:
    """Wake the rounds whose training or mining job has ended, or whose model's precision, which gates may name, has
    been proved."""
    mine = Q(first_run__job=job) | Q(run__job=job) | Q(mining_job__job=job) | Q(run__model_version__precisions_job=job)
    for round_id in Round.objects.filter(mine).exclude(state__in=Round.ENDED).values_list("pk", flat=True):
        wake_round(round_id)


@receiver(queue_completed)
def wake_round_of_queue(queue: Queue, **_: Any) -> None:
    """Wake the round of a queue when its last answer is in."""
    for round_id in Round.objects.filter(queue=queue).exclude(state__in=Round.ENDED).values_list("pk", flat=True):
        wake_round(round_id)


@receiver(post_delete, sender=Pipeline)
def forget_schedule(instance: Pipeline, **_: Any) -> None:
    """Remove the schedule of a deleted pipeline, so that nothing wakes it."""
    schedules.forget(instance)


@receiver(slice_asked)
def pipelines_with_slice(found: Slice, **_: Any) -> list[str]:
    """List the pipelines of the dataset that mine in the slice, compose by it or have a gate on it."""
    rows = Pipeline.objects.filter(dataset=found.dataset).order_by("name")
    return [f"pipeline {one.name}" for one in rows if found.name in slices_named(one)]
