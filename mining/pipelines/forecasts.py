"""How many labels a target needs, from what the pipeline's models have learned so far."""

from typing import Any

from acquisition.forecast import ForecastError, labels_to_reach
from core.errors import Conflict, Invalid
from pipelines.curves import curve, headline_of
from pipelines.models import Pipeline


def forecast(pipeline: Pipeline, target: float) -> dict[str, Any]:
    """Labels in all until the accuracy on the test split reaches `target` (0..1), by four curves and their range.

    Raises Invalid (`target`), Conflict (`forecast_impossible`) while there are too few points for a curve.
    """
    if not 0 < target < 1:
        raise Invalid.field("target", f"must lie between 0 and 1, as 0.95; got {target:g}")
    points = curve(pipeline)
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
        "fits": [{"name": fit.name, "labels": fit.labels, "rmse": fit.rmse} for fit in found.fits],
        "points": [{"labels": point.labels, **headline_of(pipeline, point.value)} for point in points],
    }
