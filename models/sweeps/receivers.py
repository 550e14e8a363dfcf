"""Events elsewhere that wake a sweep."""

from typing import Any

from django.dispatch import receiver

from jobs.models import Job
from jobs.services import job_ended
from sweeps.models import Sweep, Trial
from sweeps.tasks import wake_sweep


@receiver(job_ended)
def wake_sweep_of_job(job: Job, **_: Any) -> None:
    """A trial has ended: the next one can begin."""
    running = Trial.objects.filter(run__job=job, sweep__state=Sweep.State.RUNNING)
    for sweep_id in running.values_list("sweep_id", flat=True):
        wake_sweep(sweep_id)
