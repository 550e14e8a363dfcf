"""Budgets checked before each step that would spend: the pipeline's own and that of its dataset."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts import audit
from acquisition.stopping import Stop
from catalog.models import Dataset
from core.errors import Invalid
from pipelines.models import DatasetBudget, Pipeline
from pipelines.spending import Spent, spent_by
from worker_programs.wording import plural


@dataclass(frozen=True, slots=True)
class Guard:
    """A budget with what was spent of it. `scope` names the pipeline or dataset it belongs to."""

    scope: str
    limits: Mapping[str, Any]
    spent: Spent


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many more answers may be requested (None: no limit), and the limit that decides it.

    `tomorrow`: more are allowed on the next day.
    """

    answers: int | None = None
    limit: Stop | None = None
    tomorrow: bool = False

    @property
    def used_up(self) -> bool:
        return self.answers is not None and self.answers <= 0


def guards(pipeline: Pipeline, *, lock: bool = False) -> list[Guard]:
    """Return the budgets that apply to the pipeline. `lock`: until the transaction ends, no other pipeline of the
    dataset may count on what is left of the dataset's budget."""
    found = [Guard(f"pipeline {pipeline.name}", pipeline.budget, spent_by(Pipeline.objects.filter(pk=pipeline.pk)))]
    rows = DatasetBudget.objects.select_for_update() if lock else DatasetBudget.objects
    shared = rows.filter(dataset=pipeline.dataset_id).first()
    if shared is not None and shared.limits:
        everybody = spent_by(Pipeline.everything.filter(dataset=pipeline.dataset_id))
        found.append(Guard(f"dataset {pipeline.dataset.name}", shared.limits, everybody))
    return found


def compute_used_up(pipeline: Pipeline) -> Stop | None:
    """Return the first budget whose compute hours are used up, if any; checked before a training or a scoring."""
    for guard in guards(pipeline):
        limit, used = guard.limits.get("compute_hours"), guard.spent.compute_hours
        if limit is not None and used >= limit:
            return _stop(guard, "compute_hours", limit, round(used, 4), f"{used:.2f} of {limit:g} compute hours")
    return None


def labels_left(pipeline: Pipeline, *, lock: bool = False) -> Allowance:
    """Return the tightest limit on labels. Of two equally tight ones, a limit per day yields to one that stays
    tomorrow."""
    tightest = Allowance()
    for guard in guards(pipeline, lock=lock):
        for found in _allowances(guard):
            key, least = (found.answers, found.tomorrow), (tightest.answers, tightest.tomorrow)
            if tightest.answers is None or key < least:
                tightest = found
    return tightest


def _allowances(guard: Guard) -> list[Allowance]:
    limits, spent = guard.limits, guard.spent
    found: list[Allowance] = []
    if (limit := limits.get("labels")) is not None:
        told = f"{spent.labels} of {plural(limit, 'label')}"
        found.append(_allowance(limit - spent.labels, guard, "labels", limit, spent.labels, told))
    if (limit := limits.get("money")) is not None:
        cost, paid = limits["cost_per_label"], spent.money(limits)
        affordable = math.floor((limit - paid) / cost + 1e-9)
        told = f"{paid:.2f} of {limit:.2f} for labels at {cost:g} each"
        found.append(_allowance(affordable, guard, "money", limit, round(paid, 2), told))
    if (limit := limits.get("labels_per_day")) is not None:
        told = f"{spent.labels_today} of {plural(limit, 'label')} a day"
        made = _allowance(limit - spent.labels_today, guard, "labels_per_day", limit, spent.labels_today, told)
        found.append(Allowance(made.answers, made.limit, tomorrow=True))
    return found


def _allowance(left: int, guard: Guard, name: str, limit: float, used: float, told: str) -> Allowance:
    reserved = guard.spent.reserved
    words = told + (f" and {reserved} asked for in open queues" if reserved else "")
    stop = _stop(guard, name, limit, used, words)
    return Allowance(max(0, left - reserved), Stop(stop.rule, stop.reason, {**stop.numbers, "reserved": reserved}))


def _stop(guard: Guard, name: str, limit: float, used: float, told: str) -> Stop:
    reason = f"The budget of {guard.scope} is used up: {told}."
    return Stop("budget", reason, {name: used, "limit": limit})


def check_budget(limits: Mapping[str, Any], *, field: str = "") -> None:
    """Raise Invalid when money is limited but the cost of a label is missing. `field` comes before the field's name."""
    if limits.get("money") is not None and not limits.get("cost_per_label"):
        raise Invalid.field(f"{field}cost_per_label", "say what a label costs, or leave money out")


def budget_of(dataset: Dataset) -> dict[str, Any]:
    """Return the limits over all pipelines of a dataset; empty where there are none."""
    row = DatasetBudget.objects.filter(dataset=dataset).first()
    return dict(row.limits) if row else {}


@transaction.atomic
def set_budget(dataset: Dataset, limits: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the limits over all pipelines of a dataset. Raises Invalid (`cost_per_label`)."""
    check_budget(limits)
    before = DatasetBudget.objects.filter(dataset=dataset).values_list("limits", flat=True).first()
    row, _ = DatasetBudget.objects.update_or_create(dataset=dataset, defaults={"limits": dict(limits)})
    audit.note("budget set", "dataset", dataset.name, project=dataset.project_id, before=before, after=row.limits)
    return dict(row.limits)
