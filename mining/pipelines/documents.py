"""Pipelines and rounds as the API shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Max

from catalog.filtering.documents import read_document
from catalog.filtering.faults import Faults
from catalog.filtering.printing import write_text
from jobs.documents import job_documents
from jobs.models import Job
from labeling.grace import auto_commits
from labeling.services import counts_of
from mining_jobs.services import control_lifts, labelled_counts
from pipelines import schedules
from pipelines.curves import CurvePoint, curve, headline_of, made_by, metrics_of
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop
from pipelines.rounds.against_random import comparison
from pipelines.spending import Spent, spent_by_each
from registry.models import ModelVersion

State = Round.State


def pipeline_document(pipeline: Pipeline) -> dict[str, Any]:
    """A pipeline, what starts and stops it, and its state."""
    return pipeline_documents([pipeline])[0]


def pipeline_documents(pipelines: Sequence[Pipeline]) -> list[dict[str, Any]]:
    """Pipelines, what starts and stops them, and their states; `dataset` and `model` must be loaded."""
    ids = [pipeline.pk for pipeline in pipelines]
    newest = Round.objects.filter(pipeline__in=ids).order_by().values("pipeline").annotate(newest=Max("pk"))
    last = {round_.pipeline_id: round_ for round_ in Round.objects.filter(pk__in=newest.values("newest"))}
    spent = spent_by_each(ids)
    return [_pipeline(pipeline, last.get(pipeline.pk), spent[pipeline.pk]) for pipeline in pipelines]


def _pipeline(pipeline: Pipeline, last: Round | None, spent: Spent) -> dict[str, Any]:
    names = ("id", "name", "architecture", "config", "count", "control", "seed", "filter", "compose", "committee",
             "answers_per_task", "commit_grace", "gates", "warm_start", "needs", "next_run", "trigger", "last_trigger",
             "budget", "stop", "stopped", "paused", "archived", "created")  # fmt: skip
    return {name: getattr(pipeline, name) for name in names} | {
        "dataset": pipeline.dataset.name,
        "task": pipeline.dataset.task,
        "model": pipeline.model.name,
        "strategy": {"name": pipeline.strategy, "params": pipeline.params},
        "filter_text": None if pipeline.filter is None else write_text(read_document(pipeline.filter, Faults())),
        "schedule": pipeline.schedule or None,
        "schedule_words": schedules.words(pipeline.schedule) if pipeline.schedule else None,
        "webhook_url": webhook_url(pipeline) if pipeline.webhook_digest and pipeline.trigger.get("webhook") else None,
        "spent": spent.document(pipeline.budget),
        "state": _standing(pipeline, last),
        "current_round": last.number if last else None,
    }


def webhook_url(pipeline: Pipeline) -> str:
    """Return the address of the pipeline's webhook."""
    return f"{settings.PUBLIC_URL}/hooks/pipelines/{pipeline.pk}"


def _standing(pipeline: Pipeline, last: Round | None) -> str:
    if pipeline.paused:
        return "paused"
    if pipeline.stopped is not None and (last is None or last.state in Round.ENDED):
        return "stopped"
    if last is None or last.state in {State.DONE, State.CANCELLED, State.STOPPED}:
        return "idle"
    if last.state == State.FAILED:
        return "failed"
    if last.waiting is not None:
        return "waiting_for_budget"
    return "waiting_for_labels" if last.state == State.LABELLING else "running"


@dataclass(frozen=True, slots=True)
class _Beside:
    """What is read together for several rounds: documents of their open jobs and comparisons of their mining jobs, by
    the job's id, and counts and commits of their queues and labels of their dataset versions, by id."""

    jobs: Mapping[int, dict[str, Any]]
    controls: Mapping[int, dict[str, Any] | None]
    queues: Mapping[int, dict[str, int]]
    commits: Mapping[int, dict[str, Any] | None]
    labels: Mapping[int, int]


def round_document(round_: Round) -> dict[str, Any]:
    """A round with everything it has made so far."""
    return round_documents([round_])[0]


def round_documents(rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """Rounds with everything they have made so far; what they point to should be loaded."""
    jobs = [job for round_ in rounds if (job := _open_job(round_)) is not None]
    queues = [round_.queue for round_ in rounds if round_.queue is not None]
    beside = _Beside(
        jobs={document["id"]: document for document in job_documents(jobs)},
        controls=control_lifts(round_.mining_job for round_ in rounds if round_.mining_job is not None),
        queues=counts_of([queue.pk for queue in queues]),
        commits=auto_commits(queues),
        labels=labelled_counts([at.dataset_version for at in rounds if at.dataset_version is not None]),
    )
    return [_round(round_, beside) for round_ in rounds]


def _open_job(round_: Round) -> Job | None:
    return loop.live_job(round_) if round_.state not in Round.ENDED else None


def _round(round_: Round, beside: _Beside) -> dict[str, Any]:
    version, job = made_by(round_.run), _open_job(round_)
    committed, headline = round_.dataset_version, metrics_of(round_.pipeline).headline
    control = beside.controls[round_.mining_job.pk] if round_.mining_job else None
    names = ("number", "state", "step_started", "trigger", "choice", "waiting", "stopped", "promotion", "error",
             "created", "finished")  # fmt: skip
    return {name: getattr(round_, name) for name in names} | {
        "failed_in": round_.failed_in or None,
        "labels": beside.labels[committed.pk] if committed else None,
        "dataset_version": committed.number if committed else None,
        "model_version": version.number if version else None,
        "run": round_.run_id,
        "mining_job": round_.mining_job_id,
        "queue": round_.queue.name if round_.queue else None,
        "queue_id": round_.queue_id,
        "queue_counts": beside.queues[round_.queue.pk] if round_.queue else None,
        "auto_commit": beside.commits[round_.queue.pk] if round_.queue else None,
        "job": beside.jobs[job.pk] if job else None,
        **headline_of(round_.pipeline, version.metrics.get(headline) if version else None),
        "promoted": round_.promotion["promoted"] if round_.promotion else None,
        "lift": control,
        "control": control,
        "timings": round_.timings | _inner_timings(round_, version),
        "images_per_second": _speeds(round_, version),
    }


def _inner_timings(round_: Round, version: ModelVersion | None) -> dict[str, float]:
    """Seconds that the programs themselves took, beside the steps' wall time."""
    spent = (version.metrics if version else {}).get("seconds", {})
    found = {f"program_{name}": spent[name] for name in ("train", "prove") if name in spent}
    if round_.mining_job and (select := round_.mining_job.stats.get("select_seconds")) is not None:
        found["program_select"] = select
    return found


def _speeds(round_: Round, version: ModelVersion | None) -> dict[str, float]:
    speeds = dict((version.metrics if version else {}).get("images_per_second", {}))
    if round_.mining_job and (rate := round_.mining_job.stats.get("images_per_second")):
        speeds["score"] = rate
    return speeds


def against_random_document(pipeline: Pipeline) -> dict[str, Any]:
    """The strategy that mined last against the pipeline's random control arm, in numbers and as a sentence."""
    compared = comparison(pipeline)
    verdict = compared.verdict
    arms = verdict.arms if verdict else None
    return {
        "pipeline": pipeline.name,
        "strategy": compared.strategy,
        "params": compared.params,
        "rounds": verdict.rounds if verdict else 0,
        "mined": {"n": arms.mined, "wrong": arms.mined_wrong} if arms else None,
        "control": {"n": arms.control, "wrong": arms.control_wrong} if arms else None,
        "evidence": verdict.evidence if verdict else None,
        "bound": verdict.bound if verdict else None,
        "loses": verdict is not None and verdict.loses,
        "sentence": compared.sentence,
    }


def curve_document(pipeline: Pipeline) -> dict[str, Any]:
    """The headline on the test split by number of training labels, one point per model of the pipeline's rounds."""
    points = [_point(pipeline, at) for at in curve(pipeline)]
    return {"pipeline": pipeline.name, "strategy": pipeline.strategy, "points": points}


def _point(pipeline: Pipeline, at: CurvePoint) -> dict[str, Any]:
    low, high = metrics_of(pipeline).bounds(at.version.metrics)
    told = {"round": at.round, "labels": at.labels, **headline_of(pipeline, at.value)}
    return told | {"low": low, "high": high, "model_version": at.version.number}
