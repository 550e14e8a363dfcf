"""One round of the loop as a state machine over rows: train, score, queue, label, commit, retrain, gate.

`advance` takes every step that a round can take now; it may be called from anywhere, any number of times: a step is
taken under the round's row lock, together with the row that records it.
"""

from django.db import transaction
from django.utils import timezone

from core.errors import Busy, Conflict, MotherlodeError
from jobs import services as jobs
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from labeling import services as labeling
from labeling.quality.committing import WrittenLabels
from pipelines import schedules, stopping
from pipelines.models import Pipeline, Round
from pipelines.rounds import steps
from pipelines.rounds.retrying import retry
from pipelines.rounds.steps import Judgement, Step
from pipelines.rounds.triggers import TriggerEvent, first_trigger
from pipelines.services import note_stop

State = Round.State
BY_HAND = TriggerEvent("hand", "started by hand")


@transaction.atomic
def start_round(pipeline: Pipeline, cause: TriggerEvent = BY_HAND) -> Round:
    """Start the next round. Raises Conflict while one is open (`round_open`), as two rounds of a pipeline never
    overlap, and when the pipeline is paused (`pipeline_paused`) or a rule has stopped it (`pipeline_stopped`)."""
    pipeline = _locked(pipeline.pk)
    refuse_archived(pipeline, pipeline.dataset, pipeline.model)
    if pipeline.paused:
        raise Conflict(f"{pipeline.name} is paused: resume it first.", code="pipeline_paused")
    if pipeline.stopped is not None:
        reason = pipeline.stopped["reason"]
        raise Conflict(
            f"{pipeline.name} was stopped: {reason.rstrip('.')}. Resume it to go on.", code="pipeline_stopped"
        )
    last = last_round(pipeline)
    if last is not None and last.state not in Round.ENDED:
        raise Conflict(f"Round {last.number} is still {last.state}: finish or cancel it first.", code="round_open")
    made = Round(pipeline=pipeline, number=(last.number if last else 0) + 1)
    return _note_trigger(pipeline, made, cause)


@transaction.atomic
def start_due(pipeline_id: int) -> Round | None:
    """Start the round that the schedule is due for, once for each due time: a message may come twice or late.

    While a round is open, or the pipeline is paused, stopped or archived, that time is skipped. A round that failed
    before it began any job is tried again: a schedule that can only fail has one round, not one for each due time.
    """
    tried = Round.objects.select_for_update().filter(pipeline=pipeline_id).order_by("-number").first()  # see `retry`
    pipeline, now = _locked(pipeline_id), timezone.now()
    if pipeline.next_run is None or pipeline.next_run > now:
        return None
    due = pipeline.next_run
    pipeline.next_run = schedules.next_run(pipeline.schedule, now)
    pipeline.save(update_fields=["next_run"])
    if not pipeline.goes_on:
        return None
    when = f"{due:%Y-%m-%d %H:%M} UTC by schedule {pipeline.schedule}"
    last = last_round(pipeline)
    if last is not None and last.state not in Round.ENDED:
        skipped = TriggerEvent("schedule", f"{when}: left out, round {last.number} is still {last.state}")
        pipeline.last_trigger = skipped.document() | {"at": now.isoformat()}
        pipeline.save(update_fields=["last_trigger"])
        return None
    if last is not None and last == tried and last.state == State.FAILED and not last.jobs.exists():
        detail = f"{when}: tried again, as it had failed before it began any job"
        return _note_trigger(pipeline, retry(pipeline), TriggerEvent("schedule", detail))
    return start_round(pipeline, TriggerEvent("schedule", when))


@transaction.atomic
def start_triggered(pipeline_id: int) -> Round | None:
    """Start a round when a trigger's condition holds. Triggers are checked once per head, while no round is open."""
    pipeline = _locked(pipeline_id)
    head, last = pipeline.dataset.head_id, last_round(pipeline)
    if not pipeline.goes_on or pipeline.examined == head or (last is not None and last.state not in Round.ENDED):
        return None
    pipeline.examined = head
    pipeline.save(update_fields=["examined"])
    cause = first_trigger(pipeline, last)
    return start_round(pipeline, cause) if cause is not None else None


def _note_trigger(pipeline: Pipeline, round_: Round, cause: TriggerEvent) -> Round:
    """Save the round, with what started it there and in the pipeline."""
    round_.trigger = pipeline.last_trigger = cause.document() | {"at": timezone.now().isoformat()}
    pipeline.save(update_fields=["last_trigger"])
    round_.save()
    return round_


def last_round(pipeline: Pipeline) -> Round | None:
    """Return the newest round, if any."""
    return pipeline.rounds.select_related("dataset_version").order_by("-number").first()


def _locked(pipeline_id: int) -> Pipeline:
    rows = Pipeline.objects.select_for_update(of=("self",)).select_related("dataset", "model", "created_by")
    return rows.get(pk=pipeline_id)


def advance(round_id: int) -> list[Job]:
    """Take every step the round can take now. Returns the jobs for the caller to wake."""
    wake: list[Job] = []
    while (step := _take_step(round_id)) is not None:
        if step.wake is not None:
            wake.append(step.wake)
        if step.state is None:
            break
    return wake


def _take_step(round_id: int) -> Step | None:
    """Take one step under the row's lock. Returns None when the round has ended or is paused."""
    judgement = steps.judge(round_id)
    try:
        written = steps.write_labels(round_id)
    except Busy:
        return None
    except MotherlodeError:
        written = None  # the step is refused for the same reason, and says it
    try:
        return _take(round_id, judgement, written)
    finally:
        labeling.give_up(written)


def _take(round_id: int, judgement: Judgement | None, written: WrittenLabels | None) -> Step | None:
    with transaction.atomic():
        round_ = Round.objects.select_for_update(of=("self",)).select_related("pipeline__dataset").get(pk=round_id)
        if round_.state in Round.ENDED or round_.pipeline.paused:
            return None
        step = _try_step(round_, judgement, written)
        for name, value in step.changes.items():
            setattr(round_, name, value)
        if step.stop is not None:
            round_.stopped = stopping.document(step.stop)
            note_stop(round_.pipeline, round_.stopped)
        if step.state is not None:
            _enter(round_, step.state)
        round_.save()
        if step.wake is not None:
            round_.jobs.add(step.wake)
        return step


def _try_step(round_: Round, judgement: Judgement | None, written: WrittenLabels | None) -> Step:
    try:
        with transaction.atomic():
            if round_.state == State.GATING:
                return steps.gate(round_, judgement)
            if round_.state == State.COMMITTING:
                return steps.commit(round_, written)
            return steps.STEPS[round_.state](round_)
    except Busy:
        return steps.STAY  # a sweep tries again in a few seconds
    except MotherlodeError as error:
        return steps.failed(round_, error.detail)


def _enter(round_: Round, state: str) -> None:
    now = timezone.now()
    spent = (now - round_.step_started).total_seconds()
    round_.timings = round_.timings | {round_.state: round(round_.timings.get(round_.state, 0.0) + spent, 3)}
    round_.state, round_.step_started = state, now
    if state in Round.ENDED:
        round_.finished = now


@transaction.atomic
def cancel_round(pipeline: Pipeline) -> Round:
    """Cancel the open round and its job. What is labelled and committed stays. Raises Conflict when none is open."""
    round_ = Round.objects.select_for_update().filter(pipeline=pipeline).exclude(state__in=Round.ENDED).first()
    if round_ is None:
        raise Conflict("No round is open.", code="no_open_round")
    if (job := live_job(round_)) is not None:
        jobs.cancel(job.pk)
    round_.failed_in = round_.state
    round_.waiting = None
    _enter(round_, State.CANCELLED)
    round_.save()
    return round_


def live_job(round_: Round) -> Job | None:
    """Return the job that the round is waiting for, if any."""
    waiting = {State.TRAINING: round_.first_run, State.SCORING: round_.mining_job, State.RETRAINING: round_.run}
    owner = waiting.get(State(round_.state))
    return owner.job if owner is not None and owner.job.is_open else None
