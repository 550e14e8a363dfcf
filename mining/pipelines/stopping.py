"""Stopping rules of a pipeline, checked when a round's model is trained and evaluated."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from django.utils import timezone

from acquisition.stopping import Stop, cohen_kappa, not_worth_it, stable, target_met
from core.errors import Invalid
from pipelines import budgets
from pipelines.curves import curve, models_of
from pipelines.models import Pipeline
from registry.evidence import Evidence, Uncomputable
from registry.models import ModelVersion
from tasktypes.model_parts import Metrics
from tasktypes.predictions import common


def checked(stop: Mapping[str, Any], budget: Mapping[str, Any], metrics: Metrics) -> dict[str, Any]:
    """Return the stopping rules with the metric of the target filled in. Raises Invalid when a rule lacks the figure
    that it compares with, or names a metric that can't be used."""
    told = (stop.get("target") or {}).get("metric")
    if told is not None and told != metrics.right_share:
        words = f"must be {metrics.right_share}, the share of test samples that are told right: leave it out"
        raise Invalid.field("stop.target.metric", words)
    if stop.get("value") and not budget.get("cost_per_label"):
        raise Invalid.field("budget.cost_per_label", "the stopping rule `value` needs it: say what a label costs")
    return dict(stop) | ({"target": {**stop["target"], "metric": metrics.right_share}} if stop.get("target") else {})


def verdict(pipeline: Pipeline, version: ModelVersion) -> Stop | None:
    """Return the first rule that ends the pipeline after the round that made `version`: budget, target, value, stable.

    Reads predictions from the object store, so don't call it inside a transaction.
    """
    return _budget(pipeline) or _target(pipeline, version.metrics) or _value(pipeline) or _stable(pipeline)


def document(stop: Stop) -> dict[str, Any]:
    """The stop as the pipeline and the round store it."""
    numbers = {name: float(number) for name, number in stop.numbers.items()}
    return {"rule": stop.rule, "reason": stop.reason, "numbers": numbers, "at": timezone.now().isoformat()}


def _budget(pipeline: Pipeline) -> Stop | None:
    labels = budgets.labels_left(pipeline)
    if labels.used_up and not labels.tomorrow:
        return labels.limit
    return budgets.compute_used_up(pipeline)


def _target(pipeline: Pipeline, metrics: Mapping[str, Any]) -> Stop | None:
    rule = pipeline.stop.get("target")
    share = pipeline.model.task_type.metrics.right_share
    if not rule or share not in metrics:
        return None
    total = int(metrics["samples"])
    correct = round(metrics[share] * total)
    return target_met(
        correct, total, value=rule["value"], confidence=rule["confidence"], metric=share.replace("_", " ")
    )


def _value(pipeline: Pipeline) -> Stop | None:
    rule = pipeline.stop.get("value")
    if not rule:
        return None
    points = [(point.labels, point.value) for point in curve(pipeline)]
    cost = pipeline.budget["cost_per_label"] * pipeline.answers_per_task
    return not_worth_it(points, count=pipeline.count, per_point=rule["per_point"], cost_per_label=cost)


def _stable(pipeline: Pipeline) -> Stop | None:
    rule = pipeline.stop.get("stable")
    if not rule:
        return None
    versions = [version for _, version in models_of(pipeline)][-(rule["rounds"] + 1) :]
    try:
        kappas = _kappas(versions)
    except Uncomputable:  # a model without predictions says nothing of stability
        return None
    return stable(kappas, kappa=rule["kappa"], rounds=rule["rounds"])


def _kappas(versions: list[ModelVersion]) -> list[float]:
    """Return the agreement (Cohen's kappa) of each version with the next, on the test samples that both have seen."""
    found = []
    for before, after in pairwise([Evidence(version) for version in versions]):
        ours, theirs = common(before.file(), after.file())
        if not len(ours):
            raise Uncomputable(f"{before.version} and {after.version} have no test sample in common")
        found.append(cohen_kappa([row.tobytes() for row in ours.answered], [row.tobytes() for row in theirs.answered]))
    return found
