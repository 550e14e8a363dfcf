"""Optuna decides what to try next, and whether a trial is worth continuing.

A study lives only for one call: it is built in memory from the rows of the trials, so that it has no state that could
be lost or contradict them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from sweeps.models import Sweep, Trial
from sweeps.space import grid_of

optuna.logging.set_verbosity(optuna.logging.WARNING)
STATES = {
    Trial.State.RUNNING: TrialState.RUNNING,
    Trial.State.COMPLETE: TrialState.COMPLETE,
    Trial.State.PRUNED: TrialState.PRUNED,
    Trial.State.FAILED: TrialState.FAIL,
    Trial.State.CANCELLED: TrialState.FAIL,
}
REDUCTION = 4
"""For successive halving: one in REDUCTION trials goes on at each rung (Li et al. 2018)."""
FEWEST_FOR_IMPORTANCE = 5
DRAW = 7919
"""Factor of the seed, so that sweeps with neighbouring seeds don't draw the same seeds one trial apart."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point of the space, and what the sampler noted about it."""

    params: dict[str, Any]
    memory: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether to stop a trial, why, and what the pruner noted."""

    reason: str
    """Empty: it goes on."""
    memory: dict[str, Any]


def suggest(sweep: Sweep, trials: Sequence[Trial]) -> Suggestion:
    """The next point, given all `trials` so far, including running ones. The same rows give the same point."""
    study = _study(sweep, trials, sampler=_sampler(sweep, number=len(trials)))
    made = study.ask(fixed_distributions=_distributions(sweep))
    return Suggestion(dict(made.params), dict(study.get_trials(deepcopy=False)[made.number].system_attrs))


def judge(sweep: Sweep, trials: Sequence[Trial], trial: Trial) -> Judgement:
    """Whether `trial`, one of the `trials`, is pruned by its newest evaluation.

    Evaluations are compared by their number, not by their step: trials may differ in their batches.
    """
    study = _study(sweep, trials, pruner=_pruner(sweep))
    row = study.get_trials(deepcopy=False)[trial.number]
    stopped = study.pruner.prune(study, row)
    step, value = trial.curve[-1]
    words = {
        Sweep.Pruner.MEDIAN: "worse than the median of the trials before it",
        Sweep.Pruner.HALVING: f"not among the best 1 in {REDUCTION} of the trials so far",
    }
    reason = (
        f"{sweep.metric} was {value:.4g} at step {step:.0f}: {words[Sweep.Pruner(sweep.pruner)]}" if stopped else ""
    )
    return Judgement(reason, dict(study.get_trials(deepcopy=False)[trial.number].system_attrs))


def importance(sweep: Sweep, trials: Sequence[Trial]) -> dict[str, float]:
    """By setting, the share of the metric's variance over complete trials that it explains (fANOVA, Hutter et al.
    2014); empty if it can't be computed: too few trials, or all of them alike."""
    if sum(trial.state == Trial.State.COMPLETE for trial in trials) < FEWEST_FOR_IMPORTANCE:
        return {}
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=sweep.seed)
    try:
        return dict(optuna.importance.get_param_importances(_study(sweep, trials), evaluator=evaluator))
    except (RuntimeError, ValueError):
        return {}


def _study(sweep: Sweep, trials: Sequence[Trial], **parts: Any) -> optuna.Study:
    study = optuna.create_study(direction=optuna.study.StudyDirection[sweep.direction.upper()], **parts)
    distributions = _distributions(sweep)
    study.add_trials([_frozen(trial, distributions) for trial in trials])
    return study


def _frozen(trial: Trial, distributions: dict[str, BaseDistribution]) -> FrozenTrial:
    return create_trial(
        state=STATES[Trial.State(trial.state)],
        value=trial.value if trial.state == Trial.State.COMPLETE else None,
        params=trial.params,
        distributions=distributions,
        system_attrs=trial.memory,
        intermediate_values={number: value for number, (_, value) in enumerate(trial.curve, 1)},
    )


def _distributions(sweep: Sweep) -> dict[str, BaseDistribution]:
    if sweep.sampler == Sweep.Sampler.GRID:
        return {name: CategoricalDistribution(values) for name, values in grid_of(sweep.space).items()}
    return {name: _distribution(told) for name, told in sweep.space.items()}


def _distribution(told: dict[str, Any]) -> BaseDistribution:
    if "choices" in told:
        return CategoricalDistribution(told["choices"])
    low, high, step, log = (told[name] for name in ("low", "high", "step", "log"))
    if told["whole"]:
        return IntDistribution(low, high, log=log, step=step or 1)
    return FloatDistribution(low, high, log=log, step=step)


def _sampler(sweep: Sweep, *, number: int) -> optuna.samplers.BaseSampler:
    """The sampler, with a seed for each trial: a new sampler with the same seed would draw the first point again."""
    seed = (sweep.seed * DRAW + number) % 2**31
    match sweep.sampler:
        case Sweep.Sampler.GRID:
            return optuna.samplers.GridSampler(grid_of(sweep.space), seed=sweep.seed)
        case Sweep.Sampler.RANDOM:
            return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed, constant_liar=sweep.parallel > 1)


def _pruner(sweep: Sweep) -> optuna.pruners.BasePruner:
    if sweep.pruner == Sweep.Pruner.HALVING:
        least = max(1, sweep.warmup)
        return optuna.pruners.SuccessiveHalvingPruner(min_resource=least, reduction_factor=REDUCTION)
    return optuna.pruners.MedianPruner(n_startup_trials=sweep.startup, n_warmup_steps=sweep.warmup)
