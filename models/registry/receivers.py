"""What follows a registration or the end of a run, outside of its transaction."""

from typing import Any

from django.dispatch import receiver

from jobs.models import Job
from jobs.services import job_ended
from publishing.models import Repository
from publishing.tasks import publish_soon
from registry.models import ModelVersion, Run
from registry.services import version_registered
from registry.snapshots import forget_recovery


@receiver(version_registered)
def publish_model_version(version: ModelVersion, **_: Any) -> None:
    """Every model version becomes a commit in the model's repository."""
    publish_soon(Repository.Kind.MODELS, version.model.name)


@receiver(job_ended)
def forget_recovery_of_ended_run(job: Job, **_: Any) -> None:
    """A run that failed or was cancelled is not gone on with either."""
    for run in Run.objects.filter(job=job):
        forget_recovery(run)
