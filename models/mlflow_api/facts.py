"""What MLflow calls params, metrics and tags, read from the registry and from the jobs of its runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from jobs.models import JobEvent
from registry.models import Model, ModelVersion, Run
from registry.precisions import precisions_of
from registry.runs_compared import settings_of

EVALUATED = "test_"
"""Begins the names of the metrics that were evaluated on the file that ships; others are of the training's curves."""
NO_PARAM = "recipe.seed"  # the run's own seed takes its place
IS_PROMPT = "mlflow.prompt.is_prompt"
"""Clients ask for models without this tag, because MLflow keeps prompts among its models."""


def model_tags(model: Model) -> dict[str, str | None]:
    """Facts of a model; `project` must be loaded."""
    return {"task": model.task, "classes": _text(model.classes), "project": model.project.name}


def version_tags(version: ModelVersion) -> dict[str, str | None]:
    """Facts of a version: what it was trained on, its file, and the proof of it."""
    data, report = version.dataset_version, version.report
    parity = report.get("parity") or {}
    headline = version.model.task_type.metrics.headline
    proofs = [f"{one['precision']}: {one['state']}" for one in precisions_of(version)]
    trained = data if version.run_id else None
    return {
        "dataset": trained.dataset.name if trained else None,
        "dataset_version": str(trained.number) if trained else None,
        "judged_on": str(data) if data and not trained else None,
        "made_from": ", ".join(
            str(row) for row in version.made_from.all() if row.model.project_id == version.model.project_id
        )
        or None,
        "architecture": version.architecture,
        "task": version.model.task,
        "sha256": version.digest,
        "revision": version.lock.get("code"),
        "opset": _text(report.get("opset")),
        "precision": report.get("precision"),
        "precisions": ", ".join(proofs) or None,
        "parity": _passed(parity.get("passed")),
        "parity_max_abs_error": _text(parity.get("max_abs_error")),
        EVALUATED + headline: _text(version.metrics.get(headline)),
    }


def run_tags(run: Run, made: ModelVersion | None) -> dict[str, str | None]:
    """Facts of a run and of the version that it made; those that begin with `mlflow.` are MLflow's own."""
    return {
        "mlflow.runName": run_name(run),
        "mlflow.user": run.created_by.username,
        "mlflow.note.content": run.notes or None,
        "mlflow.source.name": run.architecture,
        "dataset": run.dataset.name,
        "dataset_version": str(run.version.number),
        "architecture": run.architecture,
        "state": run.job.state,
        "error": _text((run.job.error or {}).get("detail")),
        "model": run.model.name,
        "model_version": str(made.number) if made else None,
        "revision": made.lock.get("code") if made else None,
        "cloned_from": None if run.cloned_from_id is None else str(run.cloned_from_id),
    }


def run_name(run: Run) -> str:
    return f"{run.architecture} {run.pk}"


def params_of(runs: Sequence[Run]) -> dict[int, dict[str, str]]:
    """By run: its settings, with the defaults of its recipe."""
    rows = settings_of(runs)
    found: dict[int, dict[str, str]] = {run.pk: {} for run in runs}
    for row in rows:
        for run, value in zip(runs, row["values"], strict=True):
            if row["name"] != NO_PARAM and (text := _text(value)) is not None:
                found[run.pk][row["name"]] = text
    return found


def made_by(runs: Sequence[Run]) -> dict[int, ModelVersion]:
    """By run: the version that it made."""
    rows = ModelVersion.objects.filter(run__in=runs).defer("report").select_related("model")
    return {row.run_id: row for row in rows if row.run_id is not None}


def evaluated(version: ModelVersion) -> dict[str, float]:
    """The metrics of a version that are one number for the whole split, by name."""
    told = {name: version.metrics.get(name) for name in version.model.task_type.metrics.whole}
    return {f"{EVALUATED}{name}": float(value) for name, value in told.items() if _is_number(value)}


Point = dict[str, Any]


def last_points(
    runs: Sequence[Run], made: Mapping[int, ModelVersion], *, curves: bool = True
) -> dict[int, list[Point]]:
    """By run: the last point of each of its curves (unless they are not wanted), and the evaluation of its version."""
    by_job = {run.job_id: run.pk for run in runs}
    last: dict[int, dict[str, Point]] = {run.pk: {} for run in runs}
    if curves:
        events = JobEvent.objects.filter(job__in=list(by_job), kind=JobEvent.Kind.POINT).order_by("pk")
        for job, time, data in events.values_list("job_id", "time", "data").iterator(chunk_size=2000):
            for name, value in data["values"].items():
                if _is_number(value):
                    last[by_job[job]][name] = _point(name, value, time, data["step"])
    for pk, version in made.items():
        step = max((point["step"] for point in last[pk].values()), default=0)
        for name, value in evaluated(version).items():
            last[pk][name] = _point(name, value, version.created, step)
    return {pk: list(points.values()) for pk, points in last.items()}


def history(run: Run, name: str) -> list[Point]:
    """All points of one curve of a run, by step: one that a kill made it repeat counts once. Empty for an unknown
    name."""
    events = JobEvent.objects.filter(job=run.job_id, kind=JobEvent.Kind.POINT).order_by("pk")
    points: dict[int, Point] = {}
    for time, data in events.values_list("time", "data").iterator(chunk_size=2000):
        if _is_number(value := data["values"].get(name)):
            points[data["step"]] = _point(name, value, time, data["step"])
    if not points and name.startswith(EVALUATED):
        told = last_points([run], made_by([run]))[run.pk]
        return [point for point in told if point["key"] == name]
    return [points[step] for step in sorted(points)]


def _point(name: str, value: float, time: datetime, step: int) -> Point:
    return {"key": name, "value": value, "timestamp": int(time.timestamp() * 1000), "step": step}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _passed(value: object) -> str | None:
    return None if value is None else "passed" if value else "failed"


def _text(value: object) -> str | None:
    """A value as text: JSON, unless it is text already."""
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
