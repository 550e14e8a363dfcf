"""Bring your own: an uploaded ONNX file becomes a version, after the same checks as the files made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from blobs.models import Blob
from catalog.models import Version
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import Invalid
from export.adopt_spec import AdoptSpec
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from registry.files import as_document
from registry.metadata import read_object, take_notes
from registry.models import Model, ModelVersion
from registry.services import check_choices, check_classes, resolve
from worker_programs.config import ConfigError, document, parse

KIND = "adopt_model"
MOST_PARENTS = 16
FORM = 'must be like "name@v3" or {"dataset": "name", "version": "v3"}'


@dataclass(frozen=True, slots=True)
class UploadSpec:
    """The metadata of an uploaded file: how to read it, the data to prove it on, and the export choices."""

    adopt: Mapping[str, Any]
    dataset_version: Version | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    notes: str = ""
    parents: Sequence[ModelVersion] = ()
    """The versions whose weights it was made from, outside of the platform."""


def read_spec(text: str, model: Model) -> UploadSpec:
    """Parse an upload's `metadata`. Raises Invalid naming the field (`metadata.mean`), and NotFound for its dataset."""
    told = read_object("metadata", text)
    notes, dataset, choices = take_notes(told), told.pop("dataset", None), told.pop("export", None)
    parents = _parents(told.pop("parents", None))
    adopt = _adopt({"task": model.task, "classes": model.classes} | told)
    if adopt["task"] != model.task:
        raise Invalid.field("metadata.task", f"must be that of the model: {model.task}")
    if adopt["classes"] != model.classes:
        raise Invalid.field("metadata.classes", f"must be those of the model, in its order: {model.classes}")
    version = None if dataset is None else _dataset_version(dataset)
    if version is not None:
        check_classes(model, version.dataset)
    return UploadSpec(adopt, version, check_choices(choices or {}, field="metadata.export"), notes, parents)


def start_upload(model: Model, onnx: Blob, spec: UploadSpec, *, author: User) -> Job:
    """Queue a job that checks the file and registers it as a version. The caller wakes it."""
    params = {
        "model": model.pk,
        "onnx": as_document(onnx.ref),
        "adopt": dict(spec.adopt),
        "dataset_version": spec.dataset_version.pk if spec.dataset_version else None,
        "export": dict(spec.choices),
        "notes": spec.notes,
        "parents": [parent.pk for parent in spec.parents],
    }
    title = f"Check an uploaded file for {model.name}"
    return create_job(
        KIND, title, shards=[ShardSpec()], params=params, unit="files", created_by=author, project=model.project_id
    )


def version_of(job: Job) -> ModelVersion | None:
    """The version that a finished upload was registered as; None if it was not."""
    rows = ModelVersion.objects.select_related("model", "dataset_version", "run")
    return rows.filter(model=job.params["model"], lock__job=job.pk).first()


def _parents(told: Any) -> list[ModelVersion]:
    """Find the versions that a file was derived from. Raises Invalid (`metadata.parents`), and NotFound."""
    if told is None:
        return []
    if not isinstance(told, list) or len(told) > MOST_PARENTS or not all(isinstance(one, str) for one in told):
        words = f'must be a list of at most {MOST_PARENTS} versions like "name@3": those it was derived from'
        raise Invalid.field("metadata.parents", words)
    found = {row.pk: row for row in (resolve(one, field="metadata.parents") for one in told)}
    return list(found.values())


def _adopt(told: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return document(parse(AdoptSpec, told))
    except ConfigError as error:
        named = {f"metadata.{name}": messages for name, messages in error.errors.items()}
        raise Invalid(str(error), errors=named) from error


def _dataset_version(told: Any) -> Version:
    if isinstance(told, str):
        name, _, version = told.partition("@")
    elif isinstance(told, dict) and set(told) <= {"dataset", "version"} and "dataset" in told:
        name, version = told["dataset"], told.get("version", "head")
    else:
        raise Invalid.field("metadata.dataset", FORM)
    if not isinstance(name, str | int) or not isinstance(version, str | int) or not str(name):
        raise Invalid.field("metadata.dataset", FORM)
    return find_dataset_version(find_dataset(str(name)), str(version) or "head")
