"""A sweep as a state machine over its rows: settle the trials that have ended, prune those that are not worth going on
with, start the next.

`advance` may be called from anywhere, any number of times: all that it decides is written under the sweep's row lock,
and a trial in the transaction that makes its run and the run's job.
"""

from collections import Counter

from django.db import transaction

from core.errors import MotherlodeError
from jobs.models import Job, JobEvent
from registry.services import TRAIN, start_run
from sweeps import endings, study
from sweeps.models import Sweep, Trial
from sweeps.space import settings_at

HOPELESS = 5
"""A sweep ends when this many trials have failed and none was complete or pruned."""
RELATED = ("model__project", "version__dataset__project", "created_by")
State = Trial.State


def advance(sweep_id: int) -> list[Job]:
    """Take every step that can be taken now. Returns the jobs that the caller has to wake."""
    made = _step(sweep_id)
    weigh(sweep_id)
    return made + _step(sweep_id)


def weigh(sweep_id: int) -> None:
    """Compute which settings matter, if trials were completed since the last time. Runs outside any lock, as it takes a
    second; a sweep ends only after it."""
    sweep = Sweep.objects.get(pk=sweep_id)
    trials = list(sweep.trials.order_by("number"))
    complete = _counts(trials)[State.COMPLETE]
    if complete > sweep.importance_trials:
        found = study.importance(sweep, trials)
        behind = Sweep.objects.filter(pk=sweep_id, importance_trials__lt=complete)
        behind.update(importance=found, importance_trials=complete)


@transaction.atomic
def _step(sweep_id: int) -> list[Job]:
    sweep = Sweep.objects.select_for_update(of=("self",)).select_related(*RELATED).get(pk=sweep_id)
    if sweep.state != Sweep.State.RUNNING:
        return []
    trials = list(sweep.trials.select_related("run__job").order_by("number"))
    for trial in trials:
        if trial.state == State.RUNNING and not endings.settle(sweep, trial):
            _look_at(sweep, trials, trial)
    made = _start_trials(sweep, trials)
    counts = _counts(trials)
    if _is_hopeless(counts):
        endings.stop_all(sweep, trials, "the sweep was given up")
        words = f"{HOPELESS} trials failed and none succeeded"
        endings.end_sweep(sweep, Sweep.State.FAILED, error=f"{words}; {_last_reason(trials)}")
    elif not counts[State.RUNNING] and counts[State.COMPLETE] <= sweep.importance_trials:
        ended = Sweep.State.SUCCEEDED if counts[State.COMPLETE] else Sweep.State.FAILED
        error = "" if counts[State.COMPLETE] else f"no trial was trained to its end; {_last_reason(trials)}"
        endings.end_sweep(sweep, ended, error=error)
    return made


def _look_at(sweep: Sweep, trials: list[Trial], trial: Trial) -> None:
    """Record the new evaluations of a trial, and stop it if the pruner gives it up."""
    assert trial.run is not None  # noqa: S101 - it runs
    curve = _curve_so_far(sweep, trial.run.job)
    if len(curve) <= len(trial.curve):
        return
    trial.curve = curve
    if sweep.pruner != Sweep.Pruner.NONE and curve[-1][0] < _steps(trial.run.job):
        found = study.judge(sweep, trials, trial)
        trial.memory = found.memory
        if found.reason:
            endings.stop(sweep, trial, State.PRUNED, found.reason)
            return
    trial.save(update_fields=["curve", "memory"])


def _steps(job: Job) -> int:
    """The number of steps of the whole training: at the last one, pruning saves nothing."""
    return int(job.shards.values_list("units", flat=True).get(phase=TRAIN))


def _curve_so_far(sweep: Sweep, job: Job) -> list[list[float]]:
    """Every evaluation that the run has reported; a step repeated after a kill counts once."""
    name = f"validation_{sweep.metric}"
    events = JobEvent.objects.filter(job=job, kind=JobEvent.Kind.POINT).order_by("pk").values_list("data", flat=True)
    found = {data["step"]: data["values"][name] for data in events if name in data["values"]}
    return [[step, found[step]] for step in sorted(found)]


def _start_trials(sweep: Sweep, trials: list[Trial]) -> list[Job]:
    made: list[Job] = []
    while len(trials) < sweep.trials_wanted and not _is_hopeless(counts := _counts(trials)):
        if counts[State.RUNNING] >= sweep.parallel:
            break
        trial = _start_trial(sweep, trials)
        trials.append(trial)
        if trial.run is not None:
            made.append(trial.run.job)
    return made


def _start_trial(sweep: Sweep, trials: list[Trial]) -> Trial:
    """Start the next point as a run. Settings that can't go together make a failed trial."""
    found = study.suggest(sweep, trials)
    trial = Trial(sweep=sweep, number=len(trials), params=found.params, memory=found.memory)
    notes = f"trial {trial.number} of {sweep}"
    spec = settings_at(sweep.architecture, sweep.config, sweep.seed, found.params, notes=notes)
    try:
        with transaction.atomic():
            trial.run = start_run(sweep.model, sweep.version, spec, author=sweep.created_by)
        trial.save()
    except MotherlodeError as fault:
        trial.save()
        endings.end_trial(trial, State.FAILED, fault.detail)
    return trial


def _counts(trials: list[Trial]) -> Counter[str]:
    return Counter(trial.state for trial in trials)


def _is_hopeless(counts: Counter[str]) -> bool:
    return counts[State.FAILED] >= HOPELESS and not counts[State.COMPLETE] + counts[State.PRUNED]


def _last_reason(trials: list[Trial]) -> str:
    reasons = [trial.reason for trial in trials if trial.reason]
    return f"the last: {reasons[-1]}" if reasons else "none said why"
