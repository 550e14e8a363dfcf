"""Runs side by side: their settings, their curves, and the metrics of their versions."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from accounts.rights import visible
from core.errors import Invalid
from jobs.models import JobEvent
from registry.models import ModelVersion, Run
from registry.services import RunSpec, check_spec
from worker_programs.config import document

FEWEST, MOST = 2, 10
RELATED = ("model", "dataset", "version", "parent__model", "job")
POINTS = 500
"""The most points sent of a curve; a longer one is thinned evenly, its last point kept."""


def find_runs(ids: str) -> list[Run]:
    """The runs of a list like `3,5`, in that order. Raises Invalid (`ids`)."""
    words = list(dict.fromkeys(word.strip() for word in ids.split(",") if word.strip()))
    if not all(word.isascii() and word.isdecimal() and len(word) < 18 for word in words):
        raise Invalid.field("ids", "must be the numbers of runs with commas between them, like 3,5")
    if not FEWEST <= len(words) <= MOST:
        raise Invalid.field("ids", f"name {FEWEST} to {MOST} runs")
    rows = visible(Run.objects.select_related(*RELATED), "model__project")
    found = rows.in_bulk([int(word) for word in words])
    if absent := [word for word in words if int(word) not in found]:
        raise Invalid.field("ids", f"there is no run {absent[0]}")
    return [found[int(word)] for word in words]


def settings_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """`{name, values, same}` of each setting, one value per run; None where a run has no such setting."""
    known: dict[str, dict[str, Any]] = {}
    told = [_settings(run, known) for run in runs]
    names = list(dict.fromkeys(name for one in told for name in one))
    rows = [{"name": name, "values": [one.get(name) for one in told]} for name in names]
    return [row | {"same": all(value == row["values"][0] for value in row["values"])} for row in rows]


def _settings(run: Run, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The settings of a run by dotted name, with today's defaults of the recipe. `known` caches parsed configs."""
    found: dict[str, Any] = {
        "model": run.model.name,
        "dataset": run.dataset.name,
        "version": run.version.number,
        "architecture": run.architecture,
        "seed": run.seed,
        "parent": f"{run.parent.model.name}@{run.parent.number}" if run.parent else None,
    }
    asked = json.dumps([run.architecture, run.model.task, run.config], sort_keys=True)
    if asked not in known:
        config = dict(run.config)
        with suppress(Invalid):  # the architecture or a setting was removed: show only what was requested
            config["recipe"] = document(check_spec(RunSpec(run.architecture, run.config), task=run.model.task))
        known[asked] = dict(_flat(config))
    return found | known[asked]


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from _flat(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner


def series_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """`{name, curves: [[[step, value], ..] per run]}` of everything that was measured during the trainings."""
    found: dict[str, dict[int, list[list[float]]]] = {}
    events = JobEvent.objects.filter(job__in=[run.job_id for run in runs], kind=JobEvent.Kind.POINT).order_by("pk")
    for job, data in events.values_list("job_id", "data").iterator(chunk_size=2000):
        for name, value in data["values"].items():
            found.setdefault(name, {}).setdefault(job, []).append([data["step"], value])
    return [
        {"name": name, "curves": [_thinned(curves.get(run.job_id, [])) for run in runs]}
        for name, curves in found.items()
    ]


def _thinned(points: list[list[float]]) -> list[list[float]]:
    if len(points) <= POINTS:
        return points
    return [points[round(at * (len(points) - 1) / (POINTS - 1))] for at in range(POINTS)]


def rows_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row for each run: its model and version, its state, and how long it took in seconds (None before its end)."""
    made = dict(ModelVersion.objects.filter(run__in=runs).values_list("run_id", "number"))
    return [
        {
            "id": run.pk,
            "model": run.model.name,
            "model_version": made.get(run.pk),
            "state": run.job.state,
            "seconds": (run.job.finished - run.job.started).total_seconds()
            if run.job.started and run.job.finished
            else None,
            "notes": run.notes,
            "created": run.created,
        }
        for run in runs
    ]


def results_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """`{name, values}` of each metric of the resulting versions, one value per run; None where there is none (yet)."""
    rows = ModelVersion.objects.filter(run__in=runs).values_list("run_id", "metrics")
    metrics: dict[int, Mapping[str, Any]] = dict(rows)
    names = list(dict.fromkeys(name for run in runs for name in run.model.task_type.metrics.whole))
    told = [{"name": name, "values": [(metrics.get(run.pk) or {}).get(name) for run in runs]} for name in names]
    return [row for row in told if any(value is not None for value in row["values"])]
