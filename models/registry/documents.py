"""Rows of the registry as the API shows them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import Max, Q, prefetch_related_objects

from accounts.rights import is_member, visible
from export.feeding import PREPROCESSING, cpp_program, python_program, table
from jobs.documents import job_documents
from jobs.models import Shard
from jobs.needs import NOTHING
from jobs.services import first_shards
from registry.forecasting import Question, forecast, settings
from registry.gates import default_gates
from registry.inputs import digests, lost_since
from registry.models import Alias, Model, ModelVersion, Promotion, Run, Snapshot
from registry.precisions import precisions_of
from registry.services import TRAIN
from registry.training_data import training_warnings, version_warnings

LONG_METRICS = frozenset(
    {
        "baseline",
        "bootstrap",
        "choice",
        "confused",
        "confusion",
        "curves",
        "few_samples",
        "per_class",
        "slices",
        "variants",
        "worst",
    }
)
"""Metrics that grow with the classes, slices and files of a version: shown for one version, not in lists."""


MODEL_FACTS = ("id", "name", "task", "classes", "description", "archived", "created")


def model_document(model: Model) -> dict[str, Any]:
    """A model with its newest version and its aliases; `project` must be loaded."""
    return model_documents([model])[0]


def model_documents(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Models with their newest version and their aliases; `project` must be loaded."""
    newest = dict(ModelVersion.objects.filter(model__in=models).values_list("model").annotate(Max("number")))
    aliases: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for alias in Alias.objects.filter(model__in=models).select_related("version").order_by("name"):
        aliases[alias.model_id].append({"name": alias.name, "version": alias.version.number})
    return [
        {name: getattr(model, name) for name in MODEL_FACTS}
        | {
            "project": model.project.name,
            "gates": default_gates(model) if model.gates is None else model.gates,
            "latest": newest.get(model.pk),
            "aliases": aliases[model.pk],
        }
        for model in models
    ]


def version_document(version: ModelVersion) -> dict[str, Any]:
    """A model version in a list; prefetch its `artifacts` with their blobs."""
    data = version.dataset_version
    return {
        "model": version.model.name,
        "version": version.number,
        "architecture": version.architecture,
        "digest": version.digest,
        "dataset": data.dataset.name if data else None,
        "dataset_version": data.number if data else None,
        "dataset_role": None if data is None else "trained" if version.run_id else "judged",
        "run": version.run_id,
        "aliases": sorted(alias.name for alias in version.aliases.all()),
        "headline": _headline(version),
        "metrics": {name: value for name, value in version.metrics.items() if name not in LONG_METRICS},
        "size": next((row.blob.size for row in version.artifacts.all() if row.path == "model.onnx"), None),
        "tensorrt": _tensorrt(version),
        "precisions": precisions_of(version),
        "warnings": [one.document() for one in version_warnings(version)],
        "notes": version.notes,
        "created": version.created,
    }


def _headline(version: ModelVersion) -> dict[str, Any]:
    """The most telling metric of a version, as its task type names it."""
    name = version.model.task_type.metrics.headline
    return {"name": name, "value": version.metrics.get(name)}


def _tensorrt(version: ModelVersion) -> str:
    """The status that NVIDIA's builder reported, in a word; older reports hold only that."""
    told = version.report.get("tensorrt") or {}
    return str(told if isinstance(told, str) else told.get("status") or "not verified")


def version_detail(version: ModelVersion) -> dict[str, Any]:
    """A model version with its proof and its history."""
    base = f"/models/{version.model.name}/versions/{version.number}/artifacts/"
    artifacts = [
        {
            "path": row.path,
            "size": row.blob.size,
            "md5": row.blob.md5,
            "sha256": row.blob.sha256,
            "url": base + row.path,
        }
        for row in version.artifacts.select_related("blob").order_by("path")
    ]
    promotions = list(version.promotions.select_related("version", "previous", "by").order_by("-pk"))
    return version_document(version) | {
        "metrics": version.metrics,
        "slices": version.metrics.get("slices", {}),
        "gates": promotions[0].gates if promotions else [],
        "lineage": _lineage(version),
        "report": version.report,
        "feeding": _feeding(version),
        "lock": version.lock,
        "artifacts": artifacts,
        "promotions": [promotion_document(row) for row in promotions],
    }


def _feeding(version: ModelVersion) -> dict[str, Any] | None:
    """How to feed `model.onnx`, from the declaration in its report; None for versions from before it was recorded."""
    told = version.report.get("feeding")
    if told is None:
        return None
    outputs = version.model.task_type.outputs
    temperature = (version.metrics.get("calibration") or {}).get("temperature")
    rows = table(told[PREPROCESSING], outputs.names, outputs.operator, temperature or None)
    return {
        "facts": [{"name": name, "words": words} for name, words in rows.items()],
        "python": python_program(told, outputs.names),
        "cpp": cpp_program(told, outputs.names),
    }


def _lineage(version: ModelVersion) -> dict[str, Any]:
    """The dataset, run and parents that a version came from, and the versions that carry its weights, one step each
    (`registry.lineage` has all). What the caller may not see is left out and counted."""
    data, run = version.dataset_version, version.run
    mine = Q(run__parent=version) | Q(made_from=version)
    rows = ModelVersion.objects.select_related("model").order_by("pk")
    children, made_from = rows.filter(mine).distinct(), rows.filter(made_into=version)
    seen = [list(visible(found, "model__project")) for found in (children, made_from)]
    hidden = children.count() + made_from.count() - sum(map(len, seen))
    parent = run.parent if run else None
    if parent is not None and not is_member(parent.model.project_id):
        parent, hidden = None, hidden + 1
    return {
        "dataset": data.dataset.name if data else None,
        "dataset_version": data.number if data else None,
        "run": run.pk if run else None,
        "cloned_from": run.cloned_from_id if run else None,
        "parent": _reference(parent) if parent else None,
        "made_from": [_reference(row) for row in seen[1]],
        "children": [_reference(row) for row in seen[0]],
        "hidden": hidden,
    }


def _reference(version: ModelVersion) -> str:
    return f"{version.model.name}@{version.number}"


def promotion_document(promotion: Promotion) -> dict[str, Any]:
    """One move of an alias."""
    names = ("alias", "reason", "gates", "overridden", "created")
    return {name: getattr(promotion, name) for name in names} | {
        "version": promotion.version.number,
        "previous": promotion.previous.number if promotion.previous else None,
        "by": promotion.by.username,
    }


def run_document(run: Run) -> dict[str, Any]:
    """A run with its live job."""
    return run_documents([run])[0]


def run_documents(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Runs with their live jobs."""
    prefetch_related_objects(runs, "model", "dataset", "version__dataset", "job", "parent__model")
    jobs = job_documents([run.job for run in runs])
    first = first_shards([run.job_id for run in runs], TRAIN)
    trainings = Shard.objects.filter(pk__in=[shard.pk for shard in first.values()])
    results = trainings.values_list("job", "result__training__train__sent_bytes", "result__training__choice")
    by_job = {job: {"sent_bytes": sent, "choice": choice} for job, sent, choice in results}
    made = dict(ModelVersion.objects.filter(run__in=runs).values_list("run", "number"))
    return [
        _run(run, job, first.get(run.job_id), made.get(run.pk))
        | by_job.get(run.job_id, {"sent_bytes": None, "choice": None})
        for run, job in zip(runs, jobs, strict=True)
    ]


def _run(run: Run, job: dict[str, Any], trained: Shard | None, made: int | None) -> dict[str, Any]:
    params = trained.params if trained else {}
    return {
        "id": run.pk,
        "model": run.model.name,
        "dataset": run.dataset.name,
        "version": run.version.number,
        "architecture": run.architecture,
        "config": run.config,
        "parent": _reference(run.parent) if run.parent else None,
        "seed": run.seed,
        "cloned_from": run.cloned_from_id,
        "read": _read(run),
        "lost": lost_since(run),
        "inputs_changed": run.inputs_changed,
        "notes": run.notes,
        "model_version": made,
        "needs": (trained.needs if trained else NOTHING).document(),
        "left_out": params.get("left_out"),
        "warnings": [one.document() for one in training_warnings(params.get("few_samples") or {}, of=str(run.version))],
        "created": run.created,
        "job": job,
    }


def _read(run: Run) -> dict[str, Any] | None:
    """What the run's training read last; None before it has, and of runs from before that was recorded."""
    return digests(run.inputs[-1]) if run.inputs else None


def snapshot_document(snapshot: Snapshot) -> dict[str, Any]:
    """A checkpoint that was kept while a run trained."""
    return {name: getattr(snapshot, name) for name in ("kind", "step", "metrics", "created")} | {
        "size": snapshot.blob.size,
        "sha256": snapshot.blob.sha256,
        "url": f"/runs/{snapshot.run_id}/snapshots/{snapshot.step}?kind={snapshot.kind}",
    }


def forecast_document(question: Question) -> dict[str, Any]:
    """The forecast of a training, with its settings. Raises ConfigError."""
    return {
        "architecture": question.architecture,
        "config": question.config,
        **settings(question),
        **asdict(forecast(question)),
    }
