"""Retry a round: from the step where it ended, or from an earlier one."""

from django.db import transaction
from django.utils import timezone

from core.errors import Conflict, Invalid
from pipelines.models import Pipeline, Round
from pipelines.services import note_stop

State = Round.State
# Fields that each step sets, and a retry sets anew. A queue stays: the same picks are always in the same queue.
STEP_FIELDS = {
    State.TRAINING: ("first_run",),
    State.SCORING: ("mining_job", "choice"),
    State.QUEUEING: ("queue",),
    State.LABELLING: (),
    State.COMMITTING: ("dataset_version",),
    State.RETRAINING: ("run",),
    State.GATING: ("promotion",),
}


@transaction.atomic
def retry(pipeline: Pipeline, *, start: str | None = None) -> Round:
    """Retry the last round from the step `start`, discarding what this step and later ones made; labels and versions
    stay. None: from where it failed, was cancelled or was stopped by a budget; the pipeline then resumes.

    A round that is done is not retried: it keeps what it measured. Raises Conflict (`nothing_to_retry`, `round_open`),
    Invalid (`from`) for a step that the round had not reached.
    """
    round_ = Round.objects.select_for_update().filter(pipeline=pipeline).order_by("-number").first()
    if round_ is None or round_.state == State.DONE:
        raise Conflict(
            "No round has failed, or been cancelled or stopped, since the last that is done: start the next one.",
            code="nothing_to_retry",
        )
    pipeline = Pipeline.objects.select_for_update().get(pk=pipeline.pk)  # after the round, as the steps do it
    if round_.state not in Round.ENDED or pipeline.rounds.filter(number__gt=round_.number).exists():
        raise Conflict("A round is open: cancel it first.", code="round_open")
    first = _first(round_, start)
    for step in Round.STEPS[Round.STEPS.index(first) :]:
        for name in STEP_FIELDS[step]:
            setattr(round_, name, None)
    round_.state, round_.failed_in, round_.error, round_.finished = first, "", "", None
    round_.stopped = round_.waiting = None
    round_.step_started = timezone.now()
    round_.save()
    if pipeline.stopped is not None:
        note_stop(pipeline, None)
    return round_


def _first(round_: Round, start: str | None) -> State:
    reached = State(round_.failed_in) if round_.failed_in else Round.STEPS[-1]
    came_to = Round.STEPS[: Round.STEPS.index(reached) + 1]
    first = State(start) if start else reached
    if first not in came_to:
        raise Invalid.field("from", f"round {round_.number} did not come to {first}: use one of {', '.join(came_to)}")
    return first
