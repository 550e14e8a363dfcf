"""Signal receivers: the steps after a registration, outside its transaction, and the gates that use a slice."""

from typing import Any

from django.db.models import Q
from django.dispatch import receiver

from catalog.models import Slice
from catalog.signals import slice_asked
from jobs.models import Job
from jobs.services import job_ended
from jobs.tasks import wake
from publishing.models import Repository
from publishing.tasks import publish_soon
from registry.gate_grammar import slices_of
from registry.models import Model, ModelVersion
from registry.services import version_registered


@receiver(version_registered)
def prove_or_publish(version: ModelVersion, **_: Any) -> None:
    """Publish a new version as a commit in the model's repository, once its further precisions are proved."""
    if version.precisions_job is not None:
        wake(version.precisions_job)
    else:
        publish_soon(Repository.Kind.MODELS, version.model.name)


@receiver(job_ended)
def publish_proved_version(job: Job, **_: Any) -> None:
    """Publish the version whose precisions job has ended: however it ended, the version no longer changes."""
    for version in ModelVersion.objects.filter(precisions_job=job).select_related("model"):
        publish_soon(Repository.Kind.MODELS, version.model.name)


@receiver(slice_asked)
def gates_with_slice(found: Slice, **_: Any) -> list[str]:
    """Name the models that were trained on the slice's dataset and have a gate on the slice."""
    trained = Q(versions__dataset_version__dataset=found.dataset) | Q(runs__dataset=found.dataset)
    models = Model.objects.exclude(gates=None).filter(trained).distinct().order_by("name")
    return [f"the gates of model {one.name}" for one in models if found.name in slices_of(one.gates)]
