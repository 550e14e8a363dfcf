"""What a target score needs, forecast from the pipeline's models so far and the time its rounds took."""

from collections.abc import Sequence
from dataclasses import asdict
from math import ceil
from statistics import median
from typing import Any

from acquisition.forecast import FEWEST_POINTS, Forecast, ForecastError, labels_to_reach
from core.errors import Conflict, Invalid
from labeling.models import Answer
from pipelines.curves import CurvePoint, curve, headline_of
from pipelines.models import Pipeline
from planning import MeasuredPace
from plans.paces import labelling_pace
from registry.services import RunSpec, check_spec
from training.config import Recipe
from worker_programs.config import ConfigError
from worker_programs.wording import plural

HOUR = 3600
NEWEST_RUNS = 10
"""Number of newest trainings whose pace counts."""
MOST_ROUNDS = 10_000
"""Most rounds whose trainings are added up; a target beyond is out of reach."""


def forecast(pipeline: Pipeline, target: float) -> dict[str, Any]:
    """Return the total labels until the score on the test split reaches `target` (0..1), by four curves and their
    range, and the work that takes: further labels, rounds, hours of annotators and of training.

    Raises Invalid (`target`), Conflict (`forecast_impossible`) while there are too few points for a curve.
    """
    if not 0 < target < 1:
        raise Invalid.field("target", f"must lie between 0 and 1, as 0.95; got {target:g}")
    points = curve(pipeline)
    missing = FEWEST_POINTS - len({point.labels for point in points})
    if missing > 0:
        detail = (
            f"{pipeline.name} can't be forecast yet: its curve needs models trained on at least {FEWEST_POINTS} "
            f"different numbers of labels, and has {FEWEST_POINTS - missing}; "
            f"finish {plural(missing, 'more round', 'more rounds')}"
        )
        raise Conflict(detail, code="forecast_impossible")
    try:
        found = labels_to_reach([(point.labels, point.value) for point in points], target)
    except ForecastError as error:
        raise Conflict(f"{pipeline.name} can't be forecast yet: {error}", code="forecast_impossible") from error
    return {
        "pipeline": pipeline.name,
        "target": target,
        "labels": found.labels,
        "low": found.low,
        "high": found.high,
        **_work(pipeline, points, found),
        "fits": [{"name": fit.name, "labels": fit.labels, "rmse": fit.rmse} for fit in found.fits],
        "points": [{"labels": point.labels, **headline_of(pipeline, point.value)} for point in points],
    }


def _work(pipeline: Pipeline, points: Sequence[CurvePoint], found: Forecast) -> dict[str, Any]:
    """Return the further work, for the forecast and both ends of its range; None where the target is never reached, or
    no pace is known."""
    now = max(point.labels for point in points)
    more = [None if labels is None else labels - now for labels in (found.labels, found.low, found.high)]
    rounds = [None if labels is None else ceil(labels / pipeline.count) for labels in more]
    answers, trainings = answering_pace(pipeline), training_pace(pipeline, points)
    answering = [
        None if labels is None or answers is None else labels * pipeline.answers_per_task / answers.value
        for labels in more
    ]
    training = [
        None if number is None or trainings is None else _training_hours(pipeline, now, number, trainings.value)
        for number in rounds
    ]
    return {
        "more": _range(more),
        "rounds": _range(rounds),
        "annotator_hours": _range(answering) | {"source": answers and asdict(answers.source)},
        "training_hours": _range(training) | {"source": trainings and asdict(trainings.source)},
    }


def _range(ends: Sequence[float | None]) -> dict[str, Any]:
    return dict(zip(("value", "low", "high"), ends, strict=True))


def _training_hours(pipeline: Pipeline, labels: int, rounds: int, pace: float) -> float | None:
    """Hours to train `rounds` rounds, each on its labels and all earlier ones; None beyond what anybody would run."""
    if rounds > MOST_ROUNDS:
        return None
    recipe = _recipe(pipeline)
    try:
        seen = sum(_images(recipe, labels + number * pipeline.count) for number in range(1, rounds + 1))
    except ConfigError:  # more steps than a training may have
        return None
    return seen / pace / HOUR


def answering_pace(pipeline: Pipeline) -> MeasuredPace | None:
    """Labels an hour of one annotator, measured in the queues of the pipeline's rounds."""
    return labelling_pace(Answer.objects.filter(task__queue__round__pipeline=pipeline))


def training_pace(pipeline: Pipeline, points: Sequence[CurvePoint]) -> MeasuredPace | None:
    """Median images a second of the pipeline's newest trainings, from start to end: the images that the recipe sees, by
    all the seconds the training took."""
    recipe = _recipe(pipeline)
    told = [
        (_images(recipe, point.labels) / seconds, point.version.created.date().isoformat())
        for point in points[-NEWEST_RUNS:]
        if (seconds := (point.version.metrics.get("seconds") or {}).get("train"))
    ]
    if not told:
        return None
    days = [day for _, day in told]
    words = "images a second of this pipeline's trainings, from start to end"
    return MeasuredPace(median(pace for pace, _ in told), words, len(told), min(days), max(days))


def _recipe(pipeline: Pipeline) -> Recipe:
    return check_spec(RunSpec(pipeline.architecture, pipeline.config), task=pipeline.dataset.task)


def _images(recipe: Recipe, samples: int) -> int:
    """The number of images that a training on `samples` labelled samples sees."""
    return recipe.total_steps(samples) * min(recipe.batch_size, samples)
