"""Pipelines and rounds as the API shows them."""

from typing import Any

from jobs.api import job_document
from labeling.services import counts
from registry.models import ModelVersion, Run
from rounds import loop, mining
from rounds.models import Pipeline, Round

State = Round.State


def pipeline_document(pipeline: Pipeline) -> dict[str, Any]:
    """A pipeline and where it stands."""
    last = pipeline.rounds.order_by("-number").first()
    names = ("id", "name", "architecture", "config", "count", "control", "seed", "gates", "paused", "created")
    return {name: getattr(pipeline, name) for name in names} | {
        "dataset": pipeline.dataset.name,
        "model": pipeline.model.name,
        "strategy": {"name": pipeline.strategy, "params": pipeline.params},
        "state": _standing(pipeline, last),
        "current_round": last.number if last else None,
    }


def _standing(pipeline: Pipeline, last: Round | None) -> str:
    if pipeline.paused:
        return "paused"
    if last is None or last.state in {State.DONE, State.CANCELLED}:
        return "idle"
    if last.state == State.FAILED:
        return "failed"
    return "waiting_for_labels" if last.state == State.LABELLING else "running"


def round_document(turn: Round) -> dict[str, Any]:
    """A round with all that it made so far."""
    version = _made_by(turn.run)
    job = loop.live_job(turn)
    committed = turn.dataset_version
    return {
        "number": turn.number,
        "state": turn.state,
        "step_started": turn.step_started,
        "labels": mining.labelled_count(committed) if committed else None,
        "dataset_version": committed.number if committed else None,
        "model_version": version.number if version else None,
        "run": turn.run_id,
        "mining_job": turn.mining_job_id,
        "queue": turn.queue.name if turn.queue else None,
        "queue_id": turn.queue_id,
        "queue_counts": counts(turn.queue) if turn.queue else None,
        "job": job_document(job) if job else None,
        "accuracy": version.metrics.get("accuracy") if version else None,
        "promoted": turn.promotion["promoted"] if turn.promotion else None,
        "promotion": turn.promotion,
        "lift": mining.control_lift(turn.mining_job) if turn.mining_job else None,
        "error": turn.error,
        "timings": turn.timings | _inner_timings(turn, version),
        "images_per_second": _speeds(turn, version),
        "created": turn.created,
        "finished": turn.finished,
    }


def _made_by(run: Run | None) -> ModelVersion | None:
    return ModelVersion.objects.filter(run=run).first() if run else None


def _inner_timings(turn: Round, version: ModelVersion | None) -> dict[str, float]:
    """What the programs themselves took, in seconds, beside the steps' wall time."""
    found = {
        f"program_{name}": seconds for name, seconds in (version.metrics if version else {}).get("seconds", {}).items()
    }
    if turn.mining_job and (select := turn.mining_job.stats.get("select_seconds")) is not None:
        found["program_select"] = select
    return found


def _speeds(turn: Round, version: ModelVersion | None) -> dict[str, float]:
    speeds = dict((version.metrics if version else {}).get("images_per_second", {}))
    if turn.mining_job and (rate := turn.mining_job.stats.get("images_per_second")):
        speeds["score"] = rate
    return speeds


def curve_document(pipeline: Pipeline) -> dict[str, Any]:
    """Accuracy on the test split by number of training labels, one point per model of the pipeline's rounds."""
    points = []
    for turn in pipeline.rounds.select_related("first_run", "run").order_by("number"):
        for number, run in ((turn.number - 1, turn.first_run), (turn.number, turn.run)):
            if (version := _made_by(run)) is not None and "accuracy" in version.metrics:
                low, high = version.metrics.get("accuracy_interval", (None, None))
                points.append(
                    {
                        "round": number,
                        "labels": version.metrics["training_samples"],
                        "accuracy": version.metrics["accuracy"],
                        "low": low,
                        "high": high,
                        "model_version": version.number,
                    }
                )
    return {"pipeline": pipeline.name, "strategy": pipeline.strategy, "points": points}
