"""Model versions as directories to publish: `model/model.onnx`, its report, its checkpoint."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Max, Min, Q, QuerySet

from accounts.models import User
from blobs.models import Blob
from core.errors import NotAllowed
from jobs.models import Job
from publishing.sources import Facts
from registry.ancestry import ENSEMBLE
from registry.models import Alias, Artifact, Model, ModelVersion
from registry.services import find_model
from versioning import Entry
from versioning.mirror import MAIN, is_ref


class ModelSource:
    """Published as the directory `model`; its ONNX files are artifacts of dvc.yaml."""

    path = "model"

    def name_of(self, reference: str) -> str:
        """Raises NotFound."""
        return find_model(reference).name

    def project_of(self, name: str) -> int | None:
        """The project of the model that has this name now."""
        found: int | None = Model.everything.filter(name=name).values_list("project", flat=True).first()
        return found

    def names_in(self, project: int) -> QuerySet[Any]:
        """The names of a project's models, deleted ones too."""
        return Model.everything.filter(project=project).values("name")

    def latest(self, name: str) -> int:
        """The number of the newest version before which nothing is still being proved, 0 before the first."""
        return self._latest(ModelVersion.objects.filter(model__name=name)).get(name, 0)

    def latest_of_all(self) -> Mapping[str, int]:
        return self._latest(ModelVersion.objects.filter(model__deleted=None))

    def _latest(self, versions: QuerySet[ModelVersion]) -> dict[str, int]:
        """The newest publishable version by model. A commit never changes, so all of its files must be there."""
        unfinished = Min("number", filter=Q(precisions_job__state__in=Job.OPEN))
        rows = versions.values_list("model__name").annotate(last=Max("number"), unfinished=unfinished)
        return {name: last if open_ is None else open_ - 1 for name, last, open_ in rows}

    def facts(self, name: str, number: int) -> Facts:
        version = _version(name, number)
        data = version.dataset_version
        message = f"Version {number} of {name}: {version.architecture}{_origin(version)}"
        meta: dict[str, Any] = {"model": name, "id": version.model_id, "version": number, "digest": version.digest}
        if data is not None:
            name_of, number_of = (
                ("dataset", "dataset_version") if version.run_id else ("judged_on", "judged_on_version")
            )
            meta |= {name_of: data.dataset.name, number_of: data.number}
        if members := [str(row) for row in _made_from(version)]:
            meta["made_from"] = members
        return Facts(message, version.created_by.username, version.created, meta, _artifacts(version))

    def entries(self, name: str, number: int) -> Iterator[Entry]:
        """The files of a version, sorted by path in code point order."""
        rows = _files(name, number).values_list("path", "blob__md5", "blob__size")
        return iter(sorted(Entry(*row) for row in rows))

    def changes(self, name: str, number: int) -> None:
        """A version has a handful of files, all of them new."""

    def documents(self, name: str, number: int) -> Mapping[str, Iterable[bytes]]:  # noqa: ARG002 - the protocol's
        """No documents: the report is one of the version's files."""
        return {}

    def blobs(self, name: str, number: int) -> QuerySet[Blob]:
        return Blob.objects.filter(pk__in=_files(name, number).values("blob"))

    def holds(self, name: str, blob: Blob) -> bool:
        return Artifact.objects.filter(version__model__name=name, blob=blob).exists()

    def adopt(self, name: str, listing: Blob, *, author: User) -> Job:  # noqa: ARG002 - the protocol's
        """Raises NotAllowed: model versions come from runs, not from pushes."""
        raise NotAllowed("Model versions come from runs: nothing is pushed here.", code="read_only")

    def refs(self, name: str, *, up_to: int) -> Mapping[str, int]:
        """Aliases as branches."""
        rows = Alias.objects.filter(model__name=name, version__number__lte=up_to)
        refs = {f"refs/heads/{alias}": number for alias, number in rows.values_list("name", "version__number")}
        return {ref: number for ref, number in refs.items() if ref != MAIN and is_ref(ref)}


def _made_from(version: ModelVersion) -> QuerySet[ModelVersion]:
    return version.made_from.select_related("model").order_by("pk")


def _origin(version: ModelVersion) -> str:
    """What a version was trained on, or what it was made from and judged on."""
    data, parents = version.dataset_version, ", ".join(str(row) for row in _made_from(version))
    if version.run_id:
        return f"\n\nTrained on {data}"
    how = "Trained through its members" if version.architecture == ENSEMBLE else "Derived from"
    lines = [f"{how} {parents}"] if parents else []
    lines += [f"Judged on {data}"] if data else []
    return "".join(f"\n\n{line}" for line in lines)


def _artifacts(version: ModelVersion) -> dict[str, dict[str, Any]]:
    """The artifact entries of dvc.yaml, whose names are letters, digits and hyphens."""
    named = {}
    for path in version.artifacts.filter(path__endswith=".onnx").order_by("path").values_list("path", flat=True):
        name = re.sub(r"[^A-Za-z0-9]+", "-", path.removesuffix(".onnx")).strip("-")
        desc = f"{version.architecture}: {version.model.task} of {', '.join(version.model.classes)}"
        named[name] = {"path": f"{ModelSource.path}/{path}", "type": "model", "desc": desc, "labels": ["onnx"]}
    return named


def _files(name: str, number: int) -> QuerySet[Artifact]:
    return Artifact.objects.filter(version__model__name=name, version__number=number)


def _version(name: str, number: int) -> ModelVersion:
    rows = ModelVersion.objects.select_related("model", "dataset_version__dataset", "created_by")
    return rows.get(model__name=name, number=number)
