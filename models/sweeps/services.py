"""The rules of sweeps: start one, find one, rank its trials, make versions of the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Case, Count, F, OuterRef, Prefetch, Q, QuerySet, Subquery, When

from accounts.models import User
from catalog.models import Split, Version
from core.errors import Conflict, Invalid, Unprocessable
from jobs.lifecycle.finding import find_named, refuse_archived
from jobs.lifecycle.services import locked
from jobs.models import Shard
from registry.models import Model, Run
from registry.runs import prove_run
from registry.services import PROVE, RunSpec, check_classes, check_spec, require_architecture
from registry.trunks import asked_encoders
from sweeps.models import Sweep, Trial
from sweeps.space import check_space, grid_size

LOSS = "loss"
OF_TRIALS = ("run__job", "run__model_version")
"""The related rows that `documents.trial_document` shows of a trial."""
MOST_TRIALS, MOST_PARALLEL, MOST_VERSIONS = 1000, 64, 16


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """What to search, and how. `metric` is the headline of the task type (None) or `loss`; `trials` None: 20, or all
    points of a grid."""

    architecture: str
    space: Mapping[str, Mapping[str, Any]]
    config: Mapping[str, Any]
    seed: int = 0
    metric: str | None = None
    trials: int | None = None
    parallel: int = 2
    sampler: str = Sweep.Sampler.TPE
    pruner: str = Sweep.Pruner.MEDIAN
    startup: int = 5
    warmup: int = 1
    name: str | None = None


def start_sweep(model: Model, version: Version, spec: SweepSpec, *, author: User) -> Sweep:
    """Create a sweep, still without trials; the caller has to wake it.

    Raises Conflict (`name_taken`, `archived`), Invalid naming the field: model, version, architecture, config, space,
    metric, trials; Unprocessable (`nothing_to_judge_by`) for a version without labelled validation samples.
    """
    check_classes(model, version.dataset)
    require_architecture(spec.architecture, field="architecture")
    check_spec(RunSpec(spec.architecture, spec.config), task=model.task)
    asked_encoders(spec.architecture, spec.config.get("params", {}), model.project_id)
    space = check_space(spec.space, spec.architecture, spec.config, task=model.task)
    metric, direction = _metric(spec.metric, model)
    _check_samples(version)
    values: dict[str, Any] = {
        name: getattr(spec, name)
        for name in ("architecture", "seed", "parallel", "sampler", "pruner", "startup", "warmup", "name")
    }
    trials = _trials(spec, space)
    try:
        with transaction.atomic():
            refuse_archived(*locked(model, version.dataset))  # neither is archived before the sweep is there
            made = Sweep.objects.create(
                model=model,
                dataset=version.dataset,
                version=version,
                config=dict(spec.config),
                space=space,
                metric=metric,
                direction=direction,
                trials_wanted=trials,
                created_by=author,
                **values,
            )
            if made.name is None:
                made.name = f"sweep-{made.pk}"
                made.save(update_fields=["name"])
    except IntegrityError as fault:
        raise Conflict(f"There is a sweep {spec.name!r} already: choose another name.", code="name_taken") from fault
    return made


def _metric(asked: str | None, model: Model) -> tuple[str, Sweep.Direction]:
    headline = model.task_type.metrics.headline
    if asked == LOSS:
        return LOSS, Sweep.Direction.MINIMIZE
    if asked not in {None, headline}:
        raise Invalid.field("metric", f"must be {headline} or {LOSS}: these are measured while a training runs")
    return headline, Sweep.Direction.MAXIMIZE


def _check_samples(version: Version) -> None:
    labelled = version.revisions.exclude(label=None)
    if not labelled.filter(split=Split.TRAIN).exists():
        words = f"{version} has no labelled sample in split train: label some first"
        raise Invalid.field("version", words, code="nothing_to_train_on")
    if not labelled.filter(split=Split.VAL).exists():
        words = (
            f"{version} has no labelled sample in split val to judge trials by: move some of split train there, or "
            "label some there"
        )
        raise Unprocessable.field("version", words, code="nothing_to_judge_by")


def _trials(spec: SweepSpec, space: Mapping[str, Mapping[str, Any]]) -> int:
    if spec.sampler != Sweep.Sampler.GRID:
        return spec.trials or 20
    size = grid_size(space)
    if size > MOST_TRIALS:
        raise Invalid.field("space", f"is a grid of {size} points: a sweep has at most {MOST_TRIALS} trials")
    if spec.trials is not None and spec.trials > size:
        raise Invalid.field("trials", f"the grid has {size} points: ask for at most so many, or leave it out")
    return spec.trials or size


def find_sweep(reference: str) -> Sweep:
    """A sweep by id, name or former name. Raises NotFound."""
    rows = Sweep.everything.select_related("model", "dataset", "version", "archived_by")
    found: Sweep = find_named("sweep", "sweep", rows.filter, reference)
    return found


def best_first(trials: QuerySet[Trial]) -> QuerySet[Trial]:
    """Complete trials, those of each sweep with the best first; of equal ones the earlier first."""
    worse = Case(When(sweep__direction=Sweep.Direction.MAXIMIZE, then=-F("value")), default=F("value"))
    return trials.exclude(value=None).order_by(worse, "number")


def shown(sweeps: QuerySet[Sweep]) -> QuerySet[Sweep]:
    """Load all that `documents.sweep_row` shows, in a few queries however many sweeps there are: the trials counted by
    state (`count_<state>`), and the best with its run (`best_trials`). Curves are read only for the best trials."""
    best = best_first(Trial.objects.filter(sweep=OuterRef("sweep"))).values("pk")[:1]
    trials = Trial.objects.filter(pk=Subquery(best)).select_related(*OF_TRIALS)
    counts = {f"count_{state}": Count("trials", filter=Q(trials__state=state)) for state in Trial.State.values}
    rows = sweeps.select_related("model", "dataset", "version").annotate(**counts)
    return rows.prefetch_related(Prefetch("trials", trials, to_attr="best_trials"))


@transaction.atomic
def prove_best(sweep: Sweep, count: int) -> tuple[list[Trial], list[Run]]:
    """Make versions of the best `count` complete trials, all or none. Returns the trials, and the runs that a version
    is now made of: the others are versions already, or on the way. The caller has to wake their jobs.

    Raises Invalid (`best`) for more than are complete, Conflict as `prove_run` does.
    """
    refuse_archived(sweep)
    ranked = best_first(sweep.trials.all())
    if count > (complete := ranked.count()):
        words = f"must be at most {complete}, the trials that are complete" if complete else "no trial is complete yet"
        raise Invalid.field("best", words)
    best = list(ranked.select_related("run__job", "run__model", "run__dataset")[:count])
    asked = set(Shard.objects.filter(job__run__trial__in=best, phase=PROVE).values_list("job_id", flat=True))
    return best, [prove_run(trial.run) for trial in best if trial.run and trial.run.job_id not in asked]
