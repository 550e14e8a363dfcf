"""The rules of sweeps: start one, find one, rank its trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from catalog.models import Split, Version
from core.errors import Conflict, Invalid, Unprocessable
from jobs.lifecycle.finding import find_named
from registry.models import Model
from registry.services import RunSpec, check_classes, check_spec
from sweeps.models import Sweep, Trial
from sweeps.space import check_space, grid_size

LOSS = "loss"
MOST_TRIALS, MOST_PARALLEL = 1000, 64


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """What to search, and how. `metric` is the headline of the task type (None) or `loss`; `trials` None: 20, of a grid
    all its points."""

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
    """A sweep without trials yet; the caller's edge wakes it.

    Raises Conflict (`name_taken`, `archived`), Invalid naming the field: model, version, architecture, config, space,
    metric, trials; Unprocessable (`nothing_to_judge_by`) for a version without labelled validation samples.
    """
    check_classes(model, version.dataset)
    check_spec(RunSpec(spec.architecture, spec.config), task=model.task)
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


def best_first(sweep: Sweep, trials: Sequence[Trial]) -> list[Trial]:
    """The complete trials, the best one first; of equals the earlier."""
    sign = -1 if sweep.direction == Sweep.Direction.MAXIMIZE else 1
    return sorted(
        (trial for trial in trials if trial.value is not None),
        key=lambda trial: (sign * (trial.value or 0.0), trial.number),
    )
