"""What a pipeline's models have learned from how many labels."""

from dataclasses import dataclass

from django.db.models import QuerySet

from pipelines.models import Pipeline, Round
from registry.models import ModelVersion, Run


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A model of the pipeline: the round after which it was there, and what it was trained on."""

    round: int
    labels: int
    accuracy: float
    version: ModelVersion


def made_by(run: Run | None) -> ModelVersion | None:
    """The version that a run registered, if it got so far."""
    return ModelVersion.objects.filter(run=run).select_related("model").first() if run else None


def models_of(pipeline: Pipeline) -> list[tuple[int, ModelVersion]]:
    """The versions that the pipeline's rounds trained, in order, each with the round after which it was there."""
    rounds: QuerySet[Round] = pipeline.rounds.select_related("first_run", "run").order_by("number")
    made = [(round_.number - 1, made_by(round_.first_run)) for round_ in rounds]
    made += [(round_.number, made_by(round_.run)) for round_ in rounds]
    found = [(number, version) for number, version in made if version is not None]
    return sorted(found, key=lambda row: row[1].number)


def curve(pipeline: Pipeline) -> list[CurvePoint]:
    """One point for each of them that was evaluated."""
    return [
        CurvePoint(number, version.metrics["training_samples"], version.metrics["accuracy"], version)
        for number, version in models_of(pipeline)
        if "accuracy" in version.metrics
    ]
