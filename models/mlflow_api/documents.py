"""Models, versions, runs and experiments as MLflow's clients read them."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Max

from jobs.models import Job
from mlflow_api.facts import last_points, made_by, model_tags, params_of, run_name, run_tags, version_tags
from mlflow_api.files import SCHEME, run_uri, version_uri
from mlflow_api.protocol import milliseconds, tag_list
from registry.models import Alias, Model, ModelVersion, Run

Document = dict[str, Any]
NO_STAGE = "None"
STAGES = {"Production": "production", "Staging": "staging"}
"""MLflow's old stages, as the aliases that stand for them."""
STATUS = {
    Job.State.QUEUED: "SCHEDULED",
    Job.State.RUNNING: "RUNNING",
    Job.State.SUCCEEDED: "FINISHED",
    Job.State.FAILED: "FAILED",
    Job.State.CANCELLED: "KILLED",
}
VERSION_ROWS = ("model__project", "run", "dataset_version__dataset", "precisions_job", "created_by")
VERSION_SETS = ("aliases", "made_from__model")
MODEL_ROWS = ("project", "created_by")


def model_documents(models: Sequence[Model]) -> list[Document]:
    """Registered models; load MODEL_ROWS."""
    newest = latest(models)
    aliases: dict[int, list[Document]] = {}
    for row in Alias.objects.filter(model__in=models).select_related("version").order_by("name"):
        aliases.setdefault(row.model_id, []).append({"alias": row.name, "version": str(row.version.number)})
    return [
        {
            "name": model.name,
            "creation_timestamp": milliseconds(model.created),
            "last_updated_timestamp": milliseconds(max([model.created, *(row.created for row in newest[model.pk])])),
            "user_id": model.created_by.username,
            "description": model.description,
            "latest_versions": [version_document(row) for row in newest[model.pk]],
            "tags": tag_list(model_tags(model)),
            "aliases": aliases.get(model.pk, []),
        }
        for model in models
    ]


def latest(models: Sequence[Model], stages: Collection[str] = (*STAGES, NO_STAGE)) -> dict[int, list[ModelVersion]]:
    """By model: the newest version in each of the stages, which are those that the aliases of STAGES point to, and the
    newest of the others."""
    staged = Alias.objects.filter(model__in=models, name__in=STAGES.values())
    wanted = {row.version_id for row in staged if row.name in {STAGES.get(stage) for stage in stages}}
    if NO_STAGE in stages:
        others = ModelVersion.objects.filter(model__in=models).exclude(pk__in=[row.version_id for row in staged])
        wanted |= {row["newest"] for row in others.order_by().values("model").annotate(newest=Max("pk"))}
    found: dict[int, list[ModelVersion]] = {model.pk: [] for model in models}
    rows = ModelVersion.objects.filter(pk__in=wanted).select_related(*VERSION_ROWS).prefetch_related(*VERSION_SETS)
    for version in rows.order_by("number"):
        found[version.model_id].append(version)
    return found


def version_document(version: ModelVersion) -> Document:
    """A version; load VERSION_ROWS and prefetch VERSION_SETS."""
    aliases = sorted(row.name for row in version.aliases.all())
    return {
        "name": version.model.name,
        "version": str(version.number),
        "creation_timestamp": milliseconds(version.created),
        "last_updated_timestamp": milliseconds(version.created),
        "user_id": version.created_by.username,
        "current_stage": next((stage for stage, alias in STAGES.items() if alias in aliases), NO_STAGE),
        "description": version.notes,
        "source": version_uri(version),
        "run_id": "" if version.run_id is None else str(version.run_id),
        "run_link": "" if version.run_id is None else f"/app/runs/{version.run_id}",
        "status": "READY",
        "tags": tag_list(version_tags(version)),
        "aliases": aliases,
    }


def experiment_document(model: Model) -> Document:
    """The trainings of a model as an experiment."""
    return {
        "experiment_id": str(model.pk),
        "name": model.name,
        "artifact_location": f"{SCHEME}/models/{model.name}",
        "lifecycle_stage": "active" if model.archived is None else "deleted",
        "creation_time": milliseconds(model.created),
        "last_update_time": milliseconds(model.created),
        "tags": tag_list(model_tags(model) | {"mlflow.note.content": model.description or None}),
    }


def run_documents(runs: Sequence[Run]) -> list[Document]:
    """Runs; what they measured and made is read together."""
    made = made_by(runs)
    params, points = params_of(runs), last_points(runs, made)
    return [
        {
            "info": run_info(run),
            "data": {
                "metrics": points[run.pk],
                "params": tag_list(params[run.pk]),
                "tags": tag_list(run_tags(run, made.get(run.pk))),
            },
            "inputs": {"dataset_inputs": [_input(run)]},
        }
        for run in runs
    ]


def run_info(run: Run) -> Document:
    """When a run began and ended, and how."""
    return {
        "run_id": str(run.pk),
        "run_uuid": str(run.pk),
        "run_name": run_name(run),
        "experiment_id": str(run.model_id),
        "user_id": run.created_by.username,
        "status": STATUS[Job.State(run.job.state)],
        "start_time": milliseconds(run.job.started or run.created),
        "end_time": milliseconds(run.job.finished),
        "artifact_uri": run_uri(run.pk),
        "lifecycle_stage": "active",
    }


def _input(run: Run) -> Document:
    """The dataset version that a run learned from."""
    name, number = run.dataset.name, run.version.number
    dataset = {"name": name, "digest": f"v{number}", "source_type": "motherlode", "source": f"{name}@v{number}"}
    return {"dataset": dataset, "tags": [{"key": "mlflow.data.context", "value": "training"}]}
