"""The pictures behind a cell of a version's confusion matrix."""

from typing import Any

from catalog.filtering.meta_sql import DigestIn
from catalog.models import Split
from core.errors import Conflict, Invalid, Unprocessable
from registry.evidence import Evidence, Uncomputable
from registry.models import Model, ModelVersion

SHOWN = 500
BACKGROUND = -1
BACKGROUND_NAMES = ("background", str(BACKGROUND))
"""What the background is called, as far as no class has that name."""


def confused(version: ModelVersion, label: str, predicted: str) -> dict[str, Any]:
    """`{dataset, version, samples, total}`: the test samples of class `label` that the version took for `predicted`,
    SHOWN of them at most, those it was surest of first. Of boxes: those with such an object. There the background as
    `label` asks for boxes where nothing is, as `predicted` for objects that were not found.

    Raises Invalid (label, predicted) for an unknown class, Conflict where its predictions are not kept, and
    Unprocessable for a task type whose samples have no one class.
    """
    row, column = (_index(version.model, field, name) for field, name in (("label", label), ("predicted", predicted)))
    if row == column == BACKGROUND:
        raise Invalid.field("predicted", "is the background like the label: nothing is counted there", code="no_cell")
    asked = version.dataset_version
    try:
        said = Evidence(version).file()
    except Uncomputable as reason:
        raise Conflict(f"{reason}: train it again to keep what it says.", code="predictions_missing") from reason
    if asked is None:
        raise Conflict(f"{version} was not trained here: its test images are not known.", code="predictions_missing")
    found_cell = version.model.task_type.metrics.cell(said, row, column)
    if found_cell is None:
        words = f"{version.model.task} has no confusion matrix: its samples have several classes, or none"
        raise Unprocessable(words, code="task_unsuited")
    rows_of_it, confidence = found_cell
    digests = said.md5[rows_of_it].tolist()
    sure = {md5.ljust(16, b"\0").hex(): float(p) for md5, p in zip(digests, confidence, strict=True)}
    rows = asked.revisions.filter(DigestIn(list(sure)), split=Split.TEST)
    if not version.model.task_type.labels.names_several:
        rows = rows.filter(class_name=label)  # the same picture may stand in the dataset with another label
    found = sorted(rows.values_list("sample_id", "blob__md5"), key=lambda row: (-sure[row[1]], row[0]))
    return {
        "dataset": asked.dataset.name,
        "version": asked.number,
        "samples": [sample for sample, _ in found[:SHOWN]],
        "total": len(found),
    }


def _index(model: Model, field: str, name: str) -> int:
    """Of a class, or BACKGROUND."""
    if name in model.classes:
        return int(model.classes.index(name))
    if model.task_type.metrics.background and name in BACKGROUND_NAMES:
        return BACKGROUND
    raise Invalid.field(field, f"unknown class {name!r}", code="unknown_class")
