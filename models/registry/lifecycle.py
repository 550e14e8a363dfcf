"""Models in the lifecycle: find one by name; what depends on a model, and what in this app depends on a dataset."""

from typing import Any

from django.db.models import QuerySet

from catalog.models import Version
from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from jobs.models import Job
from publishing.models import Repository
from publishing.moving import move_repository, publications_of, repositories_of
from registry.ensembles import KIND as ENSEMBLE
from registry.models import Alias, Artifact, Model, ModelVersion, Promotion, Run, Snapshot
from registry.services import find_model
from registry.uploads import KIND as UPLOAD

OF_MODELS = Repository.Kind.MODELS


class Models:
    """See `lifecycle.kinds.Kind`."""

    name = "model"
    noun = "model"
    route = "models"
    model: type[Named] = Model

    def find(self, reference: str) -> Named:
        return find_model(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:  # noqa: ARG002 - the protocol's
        return []

    def renamed(self, row: Any, old: str) -> None:
        """Rename its repository; published commits stay unchanged."""
        move_repository(OF_MODELS, old, row.name)

    def ended(self, row: Any) -> None:
        """Move the repository to the deleted model's name, which nobody can request, until its rows are removed."""
        move_repository(OF_MODELS, row.name, Model.everything.get(pk=row.pk).name)


def _judged_on(dataset: Any) -> QuerySet[Job]:
    """The jobs under way that prove an uploaded model or an ensemble on a version of the dataset."""
    jobs = Job.objects.filter(kind__in=[UPLOAD, ENSEMBLE], state__in=Job.OPEN)
    told = {job.pk: job.params["dataset_version"] for job in jobs}
    versions = set(Version.objects.filter(dataset=dataset, pk__in=told.values()).values_list("pk", flat=True))
    return jobs.filter(pk__in=[pk for pk, version in told.items() if version in versions])


register(
    "model",
    Part("runs", Fate.BUSY, lambda model: Run.objects.filter(model=model, job__state__in=Job.OPEN)),
    Part(
        "runs that start from its weights", Fate.BUSY,
        lambda model: Run.objects.filter(parent__model=model, job__state__in=Job.OPEN).exclude(model=model),
    ),
    Part(
        "uploads", Fate.BUSY,
        lambda model: Job.objects.filter(kind=UPLOAD, state__in=Job.OPEN, params__model=model.pk),
    ),
    Part(
        "ensembles", Fate.BUSY,
        lambda model: Job.objects.filter(kind=ENSEMBLE, state__in=Job.OPEN, params__model=model.pk),
    ),
    Part(
        "proofs of precisions", Fate.BUSY,
        lambda model: ModelVersion.objects.filter(model=model, precisions_job__state__in=Job.OPEN),
    ),
    Part("versions", Fate.STAYS, lambda model: ModelVersion.objects.filter(model=model)),
    Part("trainings", Fate.STAYS, lambda model: Run.objects.filter(model=model)),
    Part("promotions", Fate.STAYS, lambda model: Promotion.objects.filter(model=model)),
    Part("aliases", Fate.GOES, lambda model: Alias.objects.filter(model=model)),
    Part("files of versions", Fate.GOES, lambda model: Artifact.objects.filter(version__model=model)),
    Part("checkpoints", Fate.GOES, lambda model: Snapshot.objects.filter(run__model=model)),
    Part("published versions", Fate.GOES, lambda model: publications_of(OF_MODELS, model.name)),
    Part("repositories", Fate.GOES, lambda model: repositories_of(OF_MODELS, model.name)),
)  # fmt: skip
register(
    "dataset",
    Part("runs", Fate.BUSY, lambda dataset: Run.objects.filter(dataset=dataset, job__state__in=Job.OPEN)),
    Part(
        "proofs of precisions", Fate.BUSY,
        lambda dataset: ModelVersion.objects.filter(
            dataset_version__dataset=dataset, precisions_job__state__in=Job.OPEN
        ),
    ),
    Part("uploads and ensembles", Fate.BUSY, _judged_on),
    Part("trainings", Fate.STAYS, lambda dataset: Run.objects.filter(dataset=dataset)),
    Part(
        "model versions", Fate.STAYS, lambda dataset: ModelVersion.objects.filter(dataset_version__dataset=dataset)
    ),
)  # fmt: skip
