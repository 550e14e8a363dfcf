"""Learning curves: the headline of a pipeline's models by number of labels."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from pipelines.models import Pipeline, Round
from registry.models import ModelVersion, Run
from tasktypes.model_parts import Metrics


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A model of the pipeline: the round after which it existed, and what it was trained on."""

    round: int
    labels: int
    value: float
    """The headline metric of the task type on the test split."""
    version: ModelVersion


def metrics_of(pipeline: Pipeline) -> Metrics:
    """Return the metrics of the pipeline's task type."""
    return pipeline.model.task_type.metrics


def headline_of(pipeline: Pipeline, value: float | None) -> dict[str, Any]:
    """Return the headline as documents show it: `metric`, its `value`, and `accuracy` where the metric is accuracy."""
    headline = metrics_of(pipeline).headline
    return {"metric": headline, "value": value, "accuracy": value if headline == "accuracy" else None}


def made_by(run: Run | None) -> ModelVersion | None:
    """Return the version that a run registered, if any; `model_version` should be loaded."""
    version: ModelVersion | None = getattr(run, "model_version", None)
    return version


def models_of(pipeline: Pipeline) -> list[tuple[int, ModelVersion]]:
    """Return the versions that the pipeline's rounds trained, in order, each with the round after which it existed."""
    made_in = ("first_run__model_version__model", "run__model_version__model")
    rounds: QuerySet[Round] = pipeline.rounds.select_related(*made_in).order_by("number")
    made = [(round_.number - 1, made_by(round_.first_run)) for round_ in rounds]
    made += [(round_.number, made_by(round_.run)) for round_ in rounds]
    found = [(number, version) for number, version in made if version is not None]
    return sorted(found, key=lambda row: row[1].number)


def curve(pipeline: Pipeline) -> list[CurvePoint]:
    """Return one point for each of those versions that was evaluated."""
    headline = metrics_of(pipeline).headline
    return [
        CurvePoint(number, version.metrics["training_samples"], version.metrics[headline], version)
        for number, version in models_of(pipeline)
        if version.metrics.get(headline) is not None
    ]
