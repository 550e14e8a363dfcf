"""One turn of the loop as a state machine over rows: train, score, queue, label, commit, retrain, gate.

`advance` looks at where a round stands and takes every step that can be taken; it may be called by anybody, any number
of times: a step is taken under the round's row lock, together with the row that proves it was taken.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from catalog.models import Dataset, Version
from catalog.services import find_version
from core.errors import Conflict, MotherlodeError, NotFound
from core.references import by_id_or_name
from jobs import services as jobs
from jobs.models import Job
from labeling.models import Queue
from labeling.services import commit_queue
from registry.gates import check_gates
from registry.models import ModelVersion, Run
from registry.promotion import Judged, Outdated, judge_promotion, settle
from registry.services import RunSpec, check_classes, start_run
from registry.services import check_spec as check_run_spec
from rounds import mining
from rounds.mining import MiningSpec
from rounds.models import Pipeline, Round

PRODUCTION = "production"
State = Round.State


@dataclass(slots=True)
class Step:
    """What taking a step led to: the next state (None: stay) and a job to wake."""

    state: str | None = None
    wake: Job | None = None
    changes: dict[str, Any] = field(default_factory=dict)


STAY = Step()


def create_pipeline(values: Mapping[str, Any], *, author: User) -> Pipeline:
    """A new pipeline. Raises Conflict (name), Invalid (architecture, config, strategy, gates, model's classes)."""
    check_run_spec(RunSpec(values["architecture"], values["config"]))
    mining.check_spec(MiningSpec(values["strategy"], values["count"], values["params"]))
    check_gates(values["gates"])
    check_classes(values["model"], values["dataset"])
    fields = {name: value for name, value in values.items() if name != "name"} | {"created_by": author}
    pipeline, created = Pipeline.objects.get_or_create(name=values["name"], defaults=fields)
    if not created:
        raise Conflict(f"There is a pipeline {pipeline.name!r} already.", code="name_taken")
    return pipeline


def find_pipeline(reference: str) -> Pipeline:
    """A pipeline by id or name. Raises NotFound."""
    rows = Pipeline.objects.select_related("dataset", "model", "created_by")
    pipeline = by_id_or_name(rows, reference)
    if pipeline is None:
        raise NotFound(f"There is no pipeline {reference!r}.", code="pipeline_unknown")
    return pipeline


@transaction.atomic
def start_round(pipeline: Pipeline) -> Round:
    """The next round. Raises Conflict while one is open: two rounds of a pipeline never overlap."""
    Pipeline.objects.select_for_update().get(pk=pipeline.pk)
    last = pipeline.rounds.order_by("-number").first()
    if last is not None and last.state not in Round.ENDED:
        raise Conflict(f"Round {last.number} is still {last.state}: finish or cancel it first.", code="round_open")
    return Round.objects.create(pipeline=pipeline, number=(last.number if last else 0) + 1)


def advance(round_id: int) -> list[Job]:
    """Take every step the round can take now. Returns the jobs that the caller's edge wakes."""
    wake: list[Job] = []
    while (step := _take_step(round_id)) is not None:
        if step.wake is not None:
            wake.append(step.wake)
        if step.state is None:
            break
    return wake


def _take_step(round_id: int) -> Step | None:
    """Take one step under the row's lock. None when the round has ended or is paused."""
    judged = _judged(round_id)
    with transaction.atomic():
        turn = Round.objects.select_for_update(of=("self",)).select_related("pipeline").get(pk=round_id)
        if turn.state in Round.ENDED or turn.pipeline.paused:
            return None
        try:
            with transaction.atomic():
                step = _gate(turn, judged) if turn.state == State.GATING else STEPS[turn.state](turn)
        except MotherlodeError as error:
            step = _failed(turn, error.detail)
        for name, value in step.changes.items():
            setattr(turn, name, value)
        if step.state is not None:
            _enter(turn, step.state)
        turn.save()
        return step


def _enter(turn: Round, state: str) -> None:
    now = timezone.now()
    spent = (now - turn.step_started).total_seconds()
    turn.timings = turn.timings | {turn.state: round(turn.timings.get(turn.state, 0.0) + spent, 3)}
    turn.state, turn.step_started = state, now
    if state in Round.ENDED:
        turn.finished = now


def _failed(turn: Round, reason: str) -> Step:
    return Step(State.FAILED, changes={"error": reason[:1000], "failed_in": turn.state})


def _head(turn: Round) -> Version:
    return find_version(Dataset.objects.select_related("head").get(pk=turn.pipeline.dataset_id), "head")


def _train(turn: Round) -> Step:
    """A model of the head is needed: the one that is there, or a new run."""
    head = _head(turn)
    if turn.first_run is None:
        ready = turn.pipeline.model.versions.filter(dataset_version=head).exists()
        if ready:
            return Step(State.SCORING)
        run = _start_run(turn, head)
        return Step(changes={"first_run": run}, wake=run.job)
    return _after(turn, turn.first_run.job, then=State.SCORING)


def _score(turn: Round) -> Step:
    """Score the pool of the head with its newest model, and pick."""
    if turn.mining_job is None:
        head, pipeline = _head(turn), turn.pipeline
        version = pipeline.model.versions.filter(dataset_version=head).order_by("-number").first()
        if version is None:  # somebody committed while the model was trained: it is not the head's any more
            return Step(State.TRAINING, changes={"first_run": None})
        spec = MiningSpec(
            pipeline.strategy, pipeline.count, pipeline.params, control=pipeline.control, seed=_seed(turn)
        )
        made = mining.start_mining(head, version, spec, author=pipeline.created_by)
        return Step(changes={"mining_job": made}, wake=made.job)
    return _after(turn, turn.mining_job.job, then=State.QUEUEING)


def _queue(turn: Round) -> Step:
    assert turn.mining_job is not None  # noqa: S101 - the state says so
    name = f"{turn.pipeline.name}-{turn.number}"
    queue = mining.queue_picks(turn.mining_job, name=name, answers_per_task=1, author=turn.pipeline.created_by)
    return Step(State.LABELLING, changes={"queue": queue})


def _label(turn: Round) -> Step:
    """Wait for people."""
    assert turn.queue is not None  # noqa: S101 - the state says so
    return STAY if turn.queue.state == Queue.State.OPEN else Step(State.COMMITTING)


def _commit(turn: Round) -> Step:
    assert turn.queue is not None  # noqa: S101 - the state says so
    message = f"Round {turn.number} of {turn.pipeline.name}"
    committed = commit_queue(turn.queue, message=message, author=turn.pipeline.created_by)
    return Step(State.RETRAINING, changes={"dataset_version": committed.version})


def _retrain(turn: Round) -> Step:
    if turn.run is None:
        assert turn.dataset_version is not None  # noqa: S101 - the state says so
        run = _start_run(turn, turn.dataset_version)
        return Step(changes={"run": run}, wake=run.job)
    return _after(turn, turn.run.job, then=State.GATING)


def _judged(round_id: int) -> Judged | None:
    """What the gates say of a round that waits for them: they read the object store, so no row is locked meanwhile."""
    turn = Round.objects.filter(pk=round_id, state=State.GATING).select_related("pipeline").first()
    if turn is None:
        return None
    version = ModelVersion.objects.select_related("model").get(run=turn.run_id)
    return judge_promotion(version, PRODUCTION, gates=turn.pipeline.gates)


def _gate(turn: Round, judged: Judged | None) -> Step:
    """Promote when the gates pass; a refusal ends the round as well, with its reasons."""
    if judged is None:
        return Step(State.GATING)
    try:
        reason = f"Round {turn.number} of {turn.pipeline.name}"
        made = settle(judged, reason=reason, by=turn.pipeline.created_by)
    except Outdated:
        return Step(State.GATING)
    except Conflict as refusal:
        verdict = {"promoted": False, "reason": refusal.detail, "gates": refusal.extra["gates"]}
    else:
        verdict = {"promoted": True, "reason": made.reason, "gates": made.gates}
    return Step(State.DONE, changes={"promotion": verdict})


STEPS: dict[str, Callable[[Round], Step]] = {
    State.TRAINING: _train,
    State.SCORING: _score,
    State.QUEUEING: _queue,
    State.LABELLING: _label,
    State.COMMITTING: _commit,
    State.RETRAINING: _retrain,
}


def _start_run(turn: Round, version: Version) -> Run:
    pipeline = turn.pipeline
    spec = RunSpec(pipeline.architecture, pipeline.config, seed=_seed(turn))
    return start_run(pipeline.model, version, spec, author=pipeline.created_by)


def _seed(turn: Round) -> int:
    """A seed of its own for every round, the same whenever the pipeline is run again."""
    return (turn.pipeline.seed * 1000 + turn.number) % 2**31


def _after(turn: Round, job: Job, *, then: str) -> Step:
    """Wait for a job; go on when it succeeded, end the round with its reason when it did not."""
    if job.is_open:
        return STAY
    if job.state == Job.State.SUCCEEDED:
        return Step(then)
    if job.state == Job.State.CANCELLED:
        return Step(State.CANCELLED, changes={"failed_in": turn.state, "error": f"Job {job.pk} was cancelled."})
    return _failed(turn, f"Job {job.pk} failed: {(job.error or {}).get('detail', 'no reason given')}")


@transaction.atomic
def retry(pipeline: Pipeline) -> Round:
    """Take the last round up again where it failed or was cancelled. Raises Conflict when there is nothing to retry."""
    turn = Round.objects.select_for_update().filter(pipeline=pipeline).order_by("-number").first()
    if turn is None or turn.state not in {State.FAILED, State.CANCELLED} or not turn.failed_in:
        raise Conflict("The last round has not failed: there is nothing to retry.", code="nothing_to_retry")
    spent = {State.TRAINING: "first_run", State.SCORING: "mining_job", State.RETRAINING: "run"}
    turn.state, turn.failed_in, turn.error, turn.finished = turn.failed_in, "", "", None
    if name := spent.get(State(turn.state)):
        setattr(turn, name, None)
    turn.step_started = timezone.now()
    turn.save()
    return turn


@transaction.atomic
def cancel_round(pipeline: Pipeline) -> Round:
    """Stop the open round and its job. What is labelled and committed stays. Raises Conflict when none is open."""
    turn = Round.objects.select_for_update().filter(pipeline=pipeline).exclude(state__in=Round.ENDED).first()
    if turn is None:
        raise Conflict("No round is open.", code="no_open_round")
    if (job := live_job(turn)) is not None:
        jobs.cancel(job.pk)
    turn.failed_in = turn.state
    _enter(turn, State.CANCELLED)
    turn.save()
    return turn


def live_job(turn: Round) -> Job | None:
    """The job a round waits for now."""
    waiting = {State.TRAINING: turn.first_run, State.SCORING: turn.mining_job, State.RETRAINING: turn.run}
    owner = waiting.get(State(turn.state))
    return owner.job if owner is not None and owner.job.is_open else None
