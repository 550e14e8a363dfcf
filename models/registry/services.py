"""The rules of models: create, train, register, find."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.dispatch import Signal

from accounts import audit
from accounts.models import Project, User
from accounts.projects import project_for
from blobs.models import Blob
from catalog.models import Dataset, Split, Version
from catalog.splits.barring import barred
from core.errors import Conflict, Invalid, NotFound, Unprocessable
from core.references import as_number
from export.config import ExportChoices
from jobs.lifecycle.finding import find_named, refuse_archived
from jobs.lifecycle.services import locked
from jobs.needs import NOTHING, Needs
from jobs.services import ShardSpec, create_job
from registry.gates import check_gates
from registry.inputs import difference
from registry.models import Artifact, Model, ModelVersion, Run
from registry.precisions import refuse_unproven, start_precisions
from registry.training_data import few_samples
from registry.trunks import ENCODERS, asked_encoders
from tasktypes import names as task_types
from tasktypes import task_type
from training.auto import AUTO, learner, learner_recipe
from training.config import Recipe
from worker_programs.config import ConfigError, document, parse

# Sent with `version` after the commit that made a model version. It may be lost: receivers only wake something up.
version_registered = Signal()

WEIGHTS = "checkpoint.safetensors"
TRAIN, PROVE = 0, 1


def create_model(
    name: str, *, task: str, classes: list[str], description: str, author: User, project: Project | None = None
) -> Model:
    """Create a model without versions; without a `project`, in the one that `project_for` chooses. Raises Invalid
    (`task`) for a task type that can't be trained here, and Conflict when the name is taken."""
    if task not in task_types():
        raise Invalid.field("task", f"there is no task type {task!r}: use one of {', '.join(task_types())}")
    task_type(task).require("training", field="task")
    values: dict[str, Any] = {"task": task, "classes": classes, "description": description, "created_by": author}
    values["project"] = project or project_for(author, None)
    model, created = Model.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a model {name!r} already: choose another name.", code="name_taken")
    return model


def find_model(reference: str) -> Model:
    """A model by id, name or former name. Raises NotFound."""
    rows = Model.everything.select_related("archived_by", "project")
    found: Model = find_named("model", "model", rows.filter, reference)
    return found


def find_version(model: Model, reference: str) -> ModelVersion:
    """A version by number, `v3`, or alias. Raises NotFound."""
    number = as_number(reference.removeprefix("v"))
    rows = model.versions.select_related("model", "dataset_version", "run", "precisions_job")
    wanted = {"aliases__name": reference} if number is None else {"number": number}
    version = rows.filter(**wanted).first()
    if version is None:
        raise NotFound(f"Model {model.name!r} has no version or alias {reference!r}.", code="model_version_unknown")
    return version


def artifact_blob(version: ModelVersion, path: str) -> Blob:
    """The blob of one of a version's files. Raises NotFound naming those it has, Conflict `precision_unproven`."""
    refuse_unproven(version, path)
    artifact = version.artifacts.filter(path=path).select_related("blob").first()
    if artifact is None:
        have = ", ".join(version.artifacts.order_by("path").values_list("path", flat=True))
        raise NotFound(f"{version} has no artefact {path!r}: it has {have or 'none'}.", code="artifact_unknown")
    return artifact.blob


def change_notes(row: ModelVersion | Run, notes: str) -> None:
    """Replace the notes of a version or a run; everything else stays as it was proved."""
    row.notes = notes
    row.save(update_fields=["notes"])


def change_model(model: Model, changes: Mapping[str, Any]) -> Model:
    """Change fields of a model; `gates` None: the defaults. Raises Invalid naming the gate that can't be read."""
    values = dict(changes)
    if values.get("gates") is not None:
        values["gates"] = check_gates(values["gates"], model.task_type.metrics)
    before = {name: getattr(model, name) for name in values}
    for name, value in values.items():
        setattr(model, name, value)
    if values:
        with transaction.atomic():
            model.save(update_fields=list(values))
            audit.note("changed", "model", model.name, project=model.project_id, before=before, after=values)
    return model


def resolve(reference: str, *, field: str) -> ModelVersion:
    """Find a version by `name@production` or `name@3`. Raises Invalid (`field`) for another form, and NotFound."""
    name, at, version = reference.rpartition("@")
    if not at or not name:
        raise Invalid.field(field, 'must be like "name@production" or "name@3"')
    return find_version(find_model(name), version)


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The specification of a run. `config` holds `params` of the architecture, changes to its `recipe`, and choices for
    its `export`. `needs` are those of the training; what comes after it runs anywhere. Without `prove` the run ends
    with a checkpoint, from which a version can be made later (`runs.prove_run`)."""

    architecture: str
    config: Mapping[str, Any]
    seed: int = 0
    parent: ModelVersion | None = None
    needs: Needs = NOTHING
    prove: bool = True
    notes: str = ""


@transaction.atomic
def start_run(model: Model, version: Version, spec: RunSpec, *, author: User, cloned_from: Run | None = None) -> Run:
    """Queue a training on a dataset version. The caller wakes its job. The training's shard records how many labelled
    samples are left out as near-duplicates of test samples.

    Raises Invalid naming the field: architecture, config (an encoder that can't be trained on, too), classes, parent,
    version; Unprocessable for a patience on a
    version without labelled validation samples.
    """
    model, dataset, *source = locked(model, version.dataset, *([spec.parent.model] if spec.parent else []))
    check_classes(model, dataset)
    recipe = check_spec(spec, task=dataset.task)
    labelled = version.revisions.filter(split=Split.TRAIN).exclude(label=None).count()
    if not labelled:
        raise Invalid.field(
            "version", f"{version} has no labelled sample in split train: label some first", code="nothing_to_train_on"
        )
    check_patience(recipe, version)
    if spec.parent:
        _check_weights(spec.parent, *source)
    with naming_config():
        steps = recipe.total_steps(labelled)
    encoders = asked_encoders(spec.architecture, spec.config.get("params", {}), model.project_id)
    left_out = barred(version).exclude(label=None).count()
    job = create_job(
        "train",
        f"Train {spec.architecture} for {model.name} on {version}",
        # Progress counts steps of the training; the proof after it has none.
        shards=[
            ShardSpec(
                {
                    "left_out": left_out,
                    "few_samples": few_samples(version, dataset.classes),
                    **({ENCODERS: encoders} if encoders else {}),
                },
                phase=TRAIN,
                units=steps,
                needs=spec.needs,
            ),
            *([ShardSpec(phase=PROVE, units=0)] if spec.prove else []),
        ],
        unit="steps",
        created_by=author,
        project=model.project_id,
    )
    return Run.objects.create(
        model=model,
        dataset=dataset,
        version=version,
        architecture=spec.architecture,
        config=dict(spec.config),
        parent=spec.parent,
        seed=spec.seed,
        cloned_from=cloned_from,
        inputs_changed=difference(cloned_from, version) if cloned_from else None,
        notes=spec.notes,
        job=job,
        created_by=author,
    )


def _check_weights(parent: ModelVersion, model: Model) -> None:
    """Raise Invalid (`parent`) where there is nothing to start from. `model` is the parent's, as it is now."""
    if model.deleted or not parent.artifacts.filter(path=WEIGHTS).exists():
        why = "its model is deleted" if model.deleted else "no training made it"
        raise Invalid.field("parent", f"{parent} has no weights to start from, as {why}: name another version, or null")


def check_spec(spec: RunSpec, *, task: str) -> Recipe:
    """Return the whole recipe, with its defaults. Raises Invalid where architecture, params or recipe can't be run, or
    not for this task type."""
    if unknown := set(spec.config) - {"params", "recipe", "export"}:
        raise Invalid.field("config", f"unknown {sorted(unknown)}: it takes `params`, `recipe` and `export`")
    for part in ("params", "recipe"):
        if not isinstance(spec.config.get(part, {}), Mapping):
            raise Invalid.field(f"config.{part}", "must be an object")
    check_choices(spec.config.get("export", {}), field="config.export")
    with naming_config():
        made = learner(spec.architecture, dict(spec.config.get("params", {})))
        made.check_task(task)
        return learner_recipe(made, dict(spec.config.get("recipe", {})), task=task)


def require_architecture(name: str, *, field: str) -> None:
    """Raise Invalid (`field`) for the learner `auto`, where all trainings have to be of one architecture."""
    if name == AUTO:
        raise Invalid.field(field, f"{AUTO} chooses anew in each training: name an architecture, or leave it out")


@contextmanager
def naming_config() -> Iterator[None]:
    """Turn a ConfigError into Invalid that names the field within `config`."""
    try:
        yield
    except ConfigError as error:
        named = {
            field if field == "architecture" else f"config.{field}": messages
            for field, messages in error.errors.items()
        }
        raise Invalid(str(error), errors=named) from error


def check_patience(recipe: Recipe, version: Version) -> None:
    """Raise Unprocessable for a patience without validation samples: training would refuse it minutes later."""
    if recipe.patience is None or version.revisions.filter(split=Split.VAL).exclude(label=None).exists():
        return
    raise Unprocessable.field(
        "config.recipe.patience",
        f"{version} has no labelled sample in split val to judge by: label some there, or leave patience out",
        code="nothing_to_judge_by",
    )


def check_choices(told: Any, *, field: str) -> dict[str, Any]:
    """Return the choices for an export, with all defaults. Raises Invalid naming what can't be read."""
    if not isinstance(told, Mapping):
        raise Invalid.field(field, "must be an object")
    try:
        return document(parse(ExportChoices, told))
    except ConfigError as error:
        named = {f"{field}.{name}": messages for name, messages in error.errors.items()}
        raise Invalid(str(error), errors=named) from error


def check_classes(model: Model, dataset: Dataset) -> None:
    """Check that a model and the dataset it learns from or scores are in one project, agree on task and classes, and
    are not archived. Raises Invalid and Conflict (`archived`)."""
    refuse_archived(model, dataset)
    check_together(model, dataset)
    check_trainable(dataset)
    if (model.task, model.classes) != (dataset.task, dataset.classes):
        raise Invalid.field(
            "model",
            f"{model.name!r} answers {model.task} of {model.classes}, dataset {dataset.name!r} holds {dataset.task} "
            f"of {dataset.classes}: {_classes_mended(model, dataset)}",
            code="classes_differ",
        )


def check_together(model: Model, dataset: Dataset) -> None:
    """Raise Invalid (`model`) for a model and a dataset of different projects: their results belong to one project."""
    if model.project_id != dataset.project_id:
        words = f"{model.name!r} is in the project {model.project}, dataset {dataset.name!r} in {dataset.project}: "
        raise Invalid.field("model", f"{words}use a model of that project", code="projects_differ")


def check_trainable(dataset: Dataset) -> None:
    """Raise Invalid for a dataset whose task type no model here can learn."""
    dataset.task_type.require("training", field="dataset")


def _classes_mended(model: Model, dataset: Dataset) -> str:
    known = len(model.classes)
    if model.task == dataset.task and model.classes == dataset.classes[:known]:
        added = ", ".join(repr(name) for name in dataset.classes[known:])
        return f"the dataset got {added} since; make a new model that has these classes too"
    return "use a model of the same task and classes"


@dataclass(frozen=True, slots=True)
class Proof:
    """The files, metrics and report of a new version, to be registered."""

    digest: str
    metrics: Mapping[str, Any]
    report: Mapping[str, Any]
    lock: Mapping[str, Any]
    artifacts: Mapping[str, Blob]


@dataclass(frozen=True, slots=True)
class Origin:
    """The architecture, author, dataset version, run, and versions that a version comes from."""

    architecture: str
    author: User
    dataset_version: Version | None = None
    run: Run | None = None
    notes: str = ""
    made_from: Sequence[ModelVersion] = ()


def register_run(run: Run, proof: Proof) -> ModelVersion:
    """Register the next version of the run's model, and queue the job that proves its further precisions. Runs inside
    the transaction that ends the run's job."""
    metrics = dict(proof.metrics) | {"few_samples": few_samples(run.version, run.model.classes)}
    made = replace(proof, metrics=metrics)
    choice = metrics.get("choice")
    trained = choice["architecture"] if choice else run.architecture
    version = register(run.model_id, made, Origin(trained, run.created_by, run.version, run))
    start_precisions(version, list(check_choices(run.config.get("export", {}), field="config.export")["precisions"]))
    return version


def register(model_id: int, proof: Proof, origin: Origin) -> ModelVersion:
    """Register the next version of a model. Runs inside the transaction that ends a job."""
    model = Model.objects.select_for_update().get(pk=model_id)
    last = model.versions.aggregate(last=Max("number"))["last"] or 0
    version = ModelVersion.objects.create(
        model=model,
        number=last + 1,
        run=origin.run,
        dataset_version=origin.dataset_version,
        architecture=origin.architecture,
        digest=proof.digest,
        metrics=dict(proof.metrics),
        report=dict(proof.report),
        lock=dict(proof.lock),
        notes=origin.notes,
        created_by=origin.author,
    )
    version.made_from.set(origin.made_from)
    Artifact.objects.bulk_create(
        Artifact(version=version, path=path, blob=blob) for path, blob in proof.artifacts.items()
    )
    transaction.on_commit(lambda: version_registered.send(ModelVersion, version=version), robust=True)
    return version
