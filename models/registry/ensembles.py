"""Several versions of a model as one: a file that averages their probabilities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from catalog.models import Version
from core.errors import Invalid
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from registry.ancestry import closure, edges_above
from registry.models import Model, ModelVersion, Run
from registry.services import check_choices, check_classes

KIND = "join_models"
WHOLE_NUMBERS, GREY = "uint8_nhwc", 1


@dataclass(frozen=True, slots=True)
class EnsembleSpec:
    """The members, the dataset version to prove and evaluate on (None: the newest member's), and the export choices."""

    members: Sequence[ModelVersion]
    dataset_version: Version | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    notes: str = ""


def start_ensemble(model: Model, spec: EnsembleSpec, *, author: User) -> Job:
    """Queue a job that makes, proves and registers the ensemble. The caller wakes it.

    Raises Invalid (`versions`, `dataset`, `export`), Conflict (`archived`).
    """
    refuse_archived(model)
    numbers = [one.number for one in spec.members]
    if len(set(numbers)) < len(numbers):
        raise Invalid.field("versions", "a version is named twice: each member counts once")
    if model.task_type.outputs.operator is None:
        raise Invalid.field("versions", f"the answers of {model.task} can't be averaged: only those over classes can")
    _refuse_unlike(sorted(spec.members, key=lambda one: one.number))
    newest = max(spec.members, key=lambda one: one.number)
    version = spec.dataset_version or newest.dataset_version
    if version is None:
        raise Invalid.field("dataset", f"{newest} was evaluated on none: name one to prove and evaluate on")
    check_classes(model, version.dataset)
    params = {
        "model": model.pk,
        "members": sorted(numbers),
        "dataset_version": version.pk,
        "export": check_choices(spec.choices, field="export"),
        "notes": spec.notes,
    }
    title = f"Join versions {', '.join(map(str, sorted(numbers)))} of {model.name}"[:200]
    return create_job(
        KIND, title, shards=[ShardSpec()], params=params, unit="files", created_by=author, project=model.project_id
    )


def learned_through(members: Sequence[ModelVersion]) -> dict[str, Any]:
    """Return the facts of an ensemble about its members and what they were trained on, themselves or through the
    versions that they descend from, for the file's metadata."""
    ids = [one.pk for one in members]
    runs = Run.objects.filter(model_version__in=closure(edges_above(ids), ids, above=True))
    runs = runs.select_related("version__dataset")
    trained = sorted({(run.version.dataset.name, run.version.number) for run in runs})
    return {
        "members": [str(one) for one in members],
        "members_trained_on": [f"{name} v{number}" for name, number in trained],
    }


def _refuse_unlike(members: Sequence[ModelVersion]) -> None:
    """Raise Invalid, naming the members and what each takes, unless one batch of images fits them all. What a file
    without a report takes, its job finds out."""
    takes = {one: (one.report["input"], one.report["shapes"]["opt"][1:]) for one in members if one.report}
    whole = [f"v{one.number}" for one, (form, _) in takes.items() if form == WHOLE_NUMBERS]
    if whole:
        detail = f"{', '.join(whole)}: the file takes whole numbers (uint8)"
        raise Invalid.field("versions", f"{detail}; choose versions exported with `input` float32_nchw")
    if len({tuple(size) for _, size in takes.values()}) > 1:
        each = ", ".join(f"v{one.number} takes {height} x {width}" + (" (grey)" if channels == GREY else "")
                         for one, (_, (channels, height, width)) in takes.items())  # fmt: skip
        raise Invalid.field("versions", f"{each}: choose versions that take images of one size")
