"""Describe one image for the list of the worst predictions. NumPy only."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.predictions import BoxPredictions

DIGITS = 4


def told(predictions: BoxPredictions, row: int, classes: Sequence[str]) -> dict[str, Any]:
    """Describe one image: `label` and `predicted` count objects and detections by class; `confidence` is the score that
    is nearest to the threshold of its class, 0 without detections. `objects` and `boxes` are the same with their
    places, as fractions of the image; an object's `found` says whether a detection at its threshold matches it at IoU
    .5."""
    one = predictions.rows(np.array([row]))
    detected, said = one.category >= 0, one.said
    thresholds = np.array([one.threshold(int(index)) for index in one.category[detected]], np.float32)
    margins = np.abs(one.score[detected] - thresholds)
    hit = set(one.found[said & one.counts & one.at("matched")].tolist())
    objects, boxes = np.flatnonzero(one.objects[0]), np.flatnonzero(said[0])
    return {
        "label": _counted(one.truth_class[one.objects], classes),
        "predicted": _counted(one.category[said], classes),
        "confidence": float(one.score[detected][margins.argmin()]) if detected.any() else 0.0,
        "objects": [
            {"class": classes[one.truth_class[0, at]], "box": _corners(one.truth_boxes[0, at]), "found": at in hit}
            for at in objects.tolist()
        ],
        "boxes": [
            {
                "class": classes[one.category[0, at]],
                "box": _corners(one.boxes[0, at]),
                "score": round(float(one.score[0, at]), DIGITS),
            }
            for at in boxes.tolist()
        ],
    }


def _corners(box: NDArray[np.floating[Any]]) -> list[float]:
    return [round(float(part), DIGITS) for part in box]


def _counted(found: NDArray[np.int16], classes: Sequence[str]) -> str:
    """Format counts like "2 car, 1 person": the largest first, equals in the order of the classes."""
    counts = np.bincount(found, minlength=len(classes))
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{counts[at]} {classes[at]}" for at in order.tolist() if counts[at]) or "none"
