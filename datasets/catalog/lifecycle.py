"""The lifecycle of datasets: how to find one by name, and what depends on it."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from catalog.models import (
    Dataset,
    Export,
    ForkOverride,
    GroupPlace,
    HashPage,
    Label,
    NearDuplicate,
    OpenWrite,
    Revision,
    RevisionClass,
    Sample,
    SchemaVersion,
    Slice,
    Tally,
    Version,
    VersionName,
)
from catalog.versions.datasets import find_dataset
from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from jobs.models import Job, Shard
from publishing.models import Repository
from publishing.moving import move_repository, publications_of, repositories_of

OF_DATASETS = Repository.Kind.DATASETS


class Datasets:
    """See `lifecycle.kinds.Kind`."""

    name = "dataset"
    noun = "dataset"
    route = "datasets"
    model: type[Named] = Dataset

    def find(self, reference: str) -> Named:
        return find_dataset(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:  # noqa: ARG002 - the protocol's
        return []

    def renamed(self, row: Any, old: str) -> None:
        """Rename the dataset's repository; its published commits stay as they are."""
        move_repository(OF_DATASETS, old, row.name)

    def ended(self, row: Any) -> None:
        """Move the repository to the deleted dataset's new name, which nobody can request, until its rows are gone."""
        move_repository(OF_DATASETS, row.name, Dataset.everything.get(pk=row.pk).name)


def _jobs(dataset: Dataset) -> QuerySet[Job]:
    open_jobs = Job.objects.filter(state__in=Job.OPEN)
    named = Q(params__dataset=dataset.pk) | Q(params__dataset=dataset.name)
    exports = Export.objects.filter(dataset=dataset).values("job")
    takes_in = Shard.objects.filter(job=OuterRef("pk"), params__dataset=dataset.pk)  # imports, archives, commits, edits
    return open_jobs.filter(named | Q(pk__in=exports) | Exists(takes_in)).order_by("pk")


def _forks(dataset: Dataset) -> QuerySet[Dataset]:
    return Dataset.objects.filter(origin__dataset=dataset).order_by("name")


def _goes(name: str, model: Any) -> Part:
    return Part(name, Fate.GOES, lambda dataset: model._base_manager.filter(dataset=dataset))  # noqa: SLF001 - all rows


register(
    "dataset",
    Part("jobs", Fate.BUSY, _jobs),
    Part("commits that are being written", Fate.BUSY, lambda dataset: OpenWrite.objects.filter(dataset=dataset)),
    Part("forks", Fate.NEEDS, _forks),
    Part("versions", Fate.STAYS, lambda dataset: Version.objects.filter(dataset=dataset)),
    _goes("exports", Export),
    _goes("slices", Slice),
    _goes("tags and aliases", VersionName),
    _goes("near-duplicates", NearDuplicate),
    _goes("mentions of classes", RevisionClass),
    _goes("states of samples", Revision),
    _goes("changes of a fork", ForkOverride),
    Part("labels", Fate.GOES, lambda dataset: Label.objects.filter(sample__dataset=dataset)),
    _goes("samples", Sample),
    _goes("places of groups", GroupPlace),
    _goes("pages of hashes", HashPage),
    _goes("tallies", Tally),
    _goes("label schemas", SchemaVersion),
    Part("published versions", Fate.GOES, lambda dataset: publications_of(OF_DATASETS, dataset.name)),
    Part("repositories", Fate.GOES, lambda dataset: repositories_of(OF_DATASETS, dataset.name)),
)
