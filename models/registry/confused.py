"""The pictures behind a cell of a version's confusion matrix."""

from typing import Any

from catalog.filtering.meta_sql import DigestIn
from catalog.models import Split
from core.errors import Conflict, Invalid, Unprocessable
from registry.evidence import Evidence, Uncomputable
from registry.models import ModelVersion

SHOWN = 500


def confused(version: ModelVersion, label: str, predicted: str) -> dict[str, Any]:
    """`{dataset, version, samples, total}`: the test samples of class `label` that the version took for `predicted`,
    SHOWN of them at most, those it was surest of first.

    Raises Invalid (label, predicted) for an unknown class, Conflict where its predictions are not kept, and
    Unprocessable for a task type whose samples have no one class.
    """
    classes, metrics = version.model.classes, version.model.task_type.metrics
    for field, name in (("label", label), ("predicted", predicted)):
        if name not in classes:
            raise Invalid.field(field, f"unknown class {name!r}", code="unknown_class")
    asked = version.dataset_version
    try:
        said = Evidence(version).file()
    except Uncomputable as reason:
        raise Conflict(f"{reason}: train it again to keep what it says.", code="predictions_missing") from reason
    if asked is None:
        raise Conflict(f"{version} was not trained here: its test images are not known.", code="predictions_missing")
    found_cell = metrics.cell(said, classes.index(label), classes.index(predicted))
    if found_cell is None:
        words = f"{version.model.task} has no confusion matrix: its samples have several classes, or none"
        raise Unprocessable(words, code="task_unsuited")
    rows_of_it, confidence = found_cell
    digests = said.md5[rows_of_it].tolist()
    sure = {md5.ljust(16, b"\0").hex(): float(p) for md5, p in zip(digests, confidence, strict=True)}
    rows = asked.revisions.filter(DigestIn(list(sure)), split=Split.TEST, class_name=label)
    found = sorted(rows.values_list("sample_id", "blob__md5"), key=lambda row: (-sure[row[1]], row[0]))
    return {
        "dataset": asked.dataset.name,
        "version": asked.number,
        "samples": [sample for sample, _ in found[:SHOWN]],
        "total": len(found),
    }
