"""The document of an evaluation: every figure with its interval, whole, by class and by slice. NumPy only."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from training.intervals import CONFIDENCE, DRAWS, class_intervals, figure, interval
from training.metrics import class_counts, summed_up
from training.predictions import TOP, EvaluationError, Predictions

SUMS = ("accuracy", "macro_f1", "loss", "ece")
NO_SAMPLES = "no evaluated sample is in it"


def evaluation_document(
    predictions: Predictions, classes: list[str], *, left_out: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The figures of `metrics.Evaluation` with `intervals`, beside them `slices` in short.

    `left_out` says of slices that could not be looked up why: they are in the document as not computed.
    Raises EvaluationError where there are no predictions.
    """
    if not len(predictions):
        raise EvaluationError("there are no predictions to judge")
    document = asdict(summed_up(predictions, classes))
    hits, support, answered = class_counts(predictions, len(classes))
    for index, name in enumerate(classes):
        counts = int(hits[index]), int(support[index]), int(answered[index])
        document["per_class"][name] |= {"intervals": class_intervals(*counts, total=len(predictions))}
    slices = {name: _slice(predictions.rows(held), classes) for name, held in predictions.slices.items()}
    return {
        **document,
        "intervals": _intervals(predictions, classes),
        "bootstrap": {"draws": DRAWS, "confidence": CONFIDENCE},
        "slices": slices | {name: {"not_computed": why} for name, why in (left_out or {}).items()},
    }


def _slice(members: Predictions, classes: list[str]) -> dict[str, Any]:
    if not len(members):
        return {"not_computed": NO_SAMPLES}
    figures = {name: figure(name, members) for name in _sums(classes)}
    return {"samples": len(members), **figures, "intervals": _intervals(members, classes)}


def _intervals(members: Predictions, classes: list[str]) -> dict[str, Any]:
    return {name: interval(name, members) for name in _sums(classes)}


def _sums(classes: list[str]) -> tuple[str, ...]:
    return ("top5", *SUMS) if len(classes) > TOP else SUMS
