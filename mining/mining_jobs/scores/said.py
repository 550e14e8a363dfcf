"""A model's predictions for single samples, as the grid shows them over the images."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from catalog.models import Revision, Version
from core.list_parameters import listed
from mining_jobs.scores.files import files_of
from mining_jobs.scores.summaries import gathered
from registry.models import ModelVersion
from scoring.table import packed
from tasktypes import TaskType
from tasktypes.model_parts import BOXES


def said_of(
    version: Version, model: ModelVersion, samples: Sequence[int], threshold: float | None
) -> Iterator[dict[str, Any]]:
    """Yield `{id, classes, boxes, confidence, correct}` for each scored sample of a version, by id: the predicted
    classes and, where the model finds objects, their boxes in pixels, at the model's thresholds or at one for all;
    `correct` is whether the label agrees, None where there is no label or it has no one class."""
    wanted = version.revisions.filter(sample__in=listed(list(samples))).select_related("blob").order_by("sample_id")
    rows = list(wanted)
    at, probabilities = gathered([file.blob_id for file in files_of(model)], packed(row.blob.md5 for row in rows))
    found = model.model
    outputs, one = found.task_type.outputs, found.task_type.mining.one_distribution
    bars = _bars(model, threshold)
    if not len(at):
        return
    categories, confidences = outputs.likeliest(probabilities)
    for place in np.argsort(at, kind="stable").tolist():
        row = rows[at[place]]
        size = (row.blob.width or 0, row.blob.height or 0)
        told = outputs.answer(probabilities[place].tolist(), found.classes, bars, size)
        same = found.classes[categories[place]] == row.class_name
        yield {
            "id": row.sample_id,
            **_answer(told, found.task_type, found.classes),
            "confidence": round(float(confidences[place]), 6),
            "correct": same if one and _labelled(row) else None,
        }


def _answer(told: Mapping[str, Any], task_type: TaskType, classes: Sequence[str]) -> dict[str, Any]:
    named, form = task_type.labels.class_counts(told), task_type.outputs.form
    return {"classes": [name for name in classes if name in named], BOXES: told[form] if form == BOXES else None}


def _labelled(row: Revision) -> bool:
    return row.label_id is not None and row.class_name != ""


def _bars(model: ModelVersion, threshold: float | None) -> dict[str, float]:
    if threshold is not None:
        return dict.fromkeys(model.model.classes, threshold)
    fitted: dict[str, Any] = model.metrics.get("calibration") or {}
    return dict(fitted.get("thresholds") or {})
