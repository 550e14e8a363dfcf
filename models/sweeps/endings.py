"""End trials and sweeps: record the outcome of a run, and stop what still runs."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import Conflict
from jobs import services as jobs
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from registry.services import TRAIN
from sweeps.models import Sweep, Trial
from sweeps.services import LOSS

CHANGED = ["curve", "finished", "memory", "reason", "state", "value"]


def settle(sweep: Sweep, trial: Trial) -> bool:
    """Record the outcome of a running trial. Returns False while its job is open."""
    assert trial.run is not None  # noqa: S101 - it runs
    job = trial.run.job
    match job.state:
        case Job.State.SUCCEEDED:
            _complete(sweep, trial)
        case Job.State.FAILED:
            end_trial(trial, Trial.State.FAILED, jobs.why_failed(job)[1])
        case Job.State.CANCELLED:
            end_trial(trial, Trial.State.CANCELLED, "its run was cancelled")
        case _:
            return False
    return True


def stop(sweep: Sweep, trial: Trial, state: str, reason: str) -> None:
    """Cancel the job of a running trial; if the job has ended meanwhile, its outcome counts."""
    assert trial.run is not None  # noqa: S101 - it runs
    trial.run.job = jobs.cancel(trial.run.job_id)
    if trial.run.job.state in {Job.State.SUCCEEDED, Job.State.FAILED}:
        settle(sweep, trial)
    else:
        end_trial(trial, state, reason)


def end_trial(trial: Trial, state: str, reason: str = "") -> None:
    """End a trial in the given state."""
    trial.state, trial.reason, trial.finished = state, reason[:2000], timezone.now()
    trial.save(update_fields=CHANGED)


def end_sweep(sweep: Sweep, state: str, *, error: str = "") -> None:
    """End a sweep in the given state: it starts no more trials."""
    sweep.state, sweep.error, sweep.finished = state, error[:2000], timezone.now()
    sweep.save(update_fields=["state", "error", "finished"])


def stop_all(sweep: Sweep, trials: Iterable[Trial], reason: str) -> None:
    """Cancel the trials that are running."""
    for trial in trials:
        if trial.state == Trial.State.RUNNING:
            stop(sweep, trial, Trial.State.CANCELLED, reason)


@transaction.atomic
def cancel(sweep: Sweep) -> None:
    """Stop the trials that run and start no others; complete trials stay. Raises Conflict (`sweep_ended`)."""
    locked = Sweep.objects.select_for_update(of=("self",)).get(pk=sweep.pk)
    refuse_archived(locked)
    if locked.state != Sweep.State.RUNNING:
        raise Conflict(f"{locked} is {locked.state}: there is nothing to cancel.", code="sweep_ended")
    stop_all(locked, locked.trials.select_related("run__job"), "the sweep was cancelled")
    end_sweep(locked, Sweep.State.CANCELLED)


def _complete(sweep: Sweep, trial: Trial) -> None:
    """Record every evaluation of the training, and the metric of the weights that were kept: with a patience the best,
    else the last."""
    assert trial.run is not None  # noqa: S101 - it ran
    result: dict[str, Any] = trial.run.job.shards.get(phase=TRAIN).result or {}
    fitted = result["training"]["train"]
    place = 2 if sweep.metric == LOSS else 1
    trial.curve = [[int(score[0]), score[place]] for score in fitted["scores"]]
    patience = result["lock"]["config"]["recipe"]["patience"]
    kept = trial.curve[-1][0] if patience is None else fitted["best_step"]
    trial.value = dict(trial.curve)[kept]
    end_trial(trial, Trial.State.COMPLETE)
