"""The catalog's source of predictions, read from the score files: filters like `confidence < 0.4`, facets and orders.

Confidence here is the model's own probability, not the calibrated one: a filter means the same before and after a
temperature is fitted.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.filtering.predictions import NOT_ONE_CLASS, Counts, Predicted
from catalog.models import Dataset
from core.errors import Invalid
from mining_jobs.scores.files import files_of
from mining_jobs.scores.summaries import Summary, gathered, part_of, summary_of
from registry.models import ModelVersion
from registry.services import check_classes, resolve
from scoring.table import DIGEST, Digests, Scores, rows_in
from tasktypes import task_type

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType({"<": lt, "<=": le, ">": gt, ">=": ge})
KEPT_ANSWERS = 4
HEX = 2 * DIGEST.itemsize
DECIMALS = 6
"""Decimals of the values to order by: the last digits of float32 would tell equal ones apart."""
LEAST = float(np.finfo(np.float32).tiny)
"""Replaces a probability of 0, which has no logarithm."""


class ScoredPredictions:
    """Predictions from the score files (see `catalog.filtering.predictions.Source`)."""

    def check(self, predicted: Predicted, dataset: Dataset, *, field: str) -> None:
        """Raise Invalid or NotFound when there is no such model, or it has other classes than the dataset, and Invalid
        where `correct` is asked of labels without one class."""
        version = resolve(predicted.model, field=field)
        try:
            check_classes(version.model, dataset)
        except Invalid as error:
            raise Invalid.field(field, error.detail, code=error.code) from error
        if predicted.correct is not None and not _one_class(version):
            words = f"right and wrong can be told of images with one class each, not of {version.model.task}"
            raise Invalid.field(field, f"{words}: evaluate the model and look at its errors", code=NOT_ONE_CLASS)

    def digests(self, predicted: Predicted) -> Sequence[str]:
        """Return the md5 of all scored images whose predictions match."""
        return _hex(_matching(*_asked(predicted))[0])

    def named(self, predicted: Predicted) -> Sequence[str]:
        """Return, for the same images, the md5 followed by the likeliest class."""
        md5, category = _matching(*_asked(predicted))
        classes = resolve(predicted.model, field="model").model.classes
        return [digest + classes[place] for digest, place in zip(_hex(md5), category.tolist(), strict=True)]

    def matches(self, predicted: Predicted, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of these images (N,) with labels (N,) have predictions that match."""
        known, category = _matching(*_asked(predicted))
        rows = rows_in(known, md5)
        there = rows >= 0
        if predicted.correct is None:
            return there
        same = np.zeros(len(md5), bool)
        same[there] = category[rows[there]] == labels[there]
        found: NDArray[np.bool_] = there & (labels >= 0) & (same if predicted.correct else ~same)
        return found

    def confidences(self, model: str, md5: Digests) -> NDArray[np.float64]:
        """Return the probability (N,) of the likeliest class or surest box; NaN where an image was not scored."""
        summary = _summary(resolve(model, field="predicted_by"))
        rows = summary.rows(md5)
        found = np.full(len(md5), np.nan)
        found[rows >= 0] = summary.confidence[rows[rows >= 0]]
        return np.round(found, DECIMALS)

    def losses(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return -log p(label), (N,); NaN where there is no label, or an image was not scored."""
        version = resolve(model, field="predicted_by")
        if not _one_class(version):
            words = f"{version.model.task} has no loss of an image here: order by confidence"
            raise Invalid.field("order", words, code=NOT_ONE_CLASS)
        found, labelled = np.full(len(md5), np.nan), np.flatnonzero(labels >= 0)
        rows, probabilities = gathered(_files(version), md5[labelled])
        if len(rows):
            said = probabilities[np.arange(len(rows)), labels[labelled[rows]]]
            found[labelled[rows]] = -np.log(np.maximum(said.astype(np.float64), LEAST))
        return np.round(found, DECIMALS)

    def counts(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> Counts:
        """Count the predicted classes of these images, and right and wrong predictions."""
        version = resolve(model, field="predicted_by")
        names, summary = version.model.classes, _summary(version)
        rows = summary.rows(md5)
        there, rows = rows >= 0, rows[rows >= 0]
        if summary.named is None:
            numbers = np.bincount(summary.category[rows], minlength=len(names))
        else:
            numbers = summary.named[rows].sum(axis=0)
        classes = {name: int(n) for name, n in zip(names, numbers.tolist(), strict=True) if n}
        if not _one_class(version):
            return Counts(len(rows), classes, None, None)
        labelled = labels[there] >= 0
        right = int((summary.category[rows][labelled] == labels[there][labelled]).sum())
        return Counts(len(rows), classes, right, int(labelled.sum()) - right)

    def state(self, model: str) -> Hashable:
        """Return the version and its files, on which all answers depend."""
        version = resolve(model, field="predicted_by")
        return version.pk, _files(version)


def _one_class(version: ModelVersion) -> bool:
    return version.model.task_type.mining.one_distribution


def _files(version: ModelVersion) -> tuple[int, ...]:
    return tuple(file.blob_id for file in files_of(version))


def _summary(version: ModelVersion) -> Summary:
    return summary_of(version.model.task, len(version.model.classes), _files(version))


Bounds = tuple[tuple[str, float], ...]


def _asked(predicted: Predicted) -> tuple[str, int, tuple[int, ...], tuple[int, ...] | None, Bounds]:
    version = resolve(predicted.model, field="model")
    classes = version.model.classes
    wanted = None if predicted.classes is None else tuple(classes.index(name) for name in predicted.classes)
    return version.model.task, len(classes), _files(version), wanted, predicted.confidence


@lru_cache(maxsize=KEPT_ANSWERS)
def _matching(
    task: str, count: int, files: tuple[int, ...], classes: tuple[int, ...] | None, bounds: Bounds
) -> tuple[Digests, NDArray[np.int32]]:
    """Return the images whose predictions match, ascending by md5, and their likeliest classes. Files never change, so
    pages of one grid read them once."""
    summary = summary_of(task, count, files)
    if classes is None or summary.named is None:
        kept = np.ones(len(summary.md5), bool) if classes is None else np.isin(summary.category, classes)
        kept &= _within(summary.confidence, bounds)
    else:
        chosen = [_chosen(task, part_of(file), classes, bounds) for file in files]
        kept = np.isin(summary.md5, np.concatenate([np.empty(0, DIGEST), *chosen]))
    return summary.md5[kept], summary.category[kept]


def _chosen(task: str, part: Scores, classes: tuple[int, ...], bounds: Bounds) -> Digests:
    if not len(part):
        return np.empty(0, DIGEST)
    kept, best = task_type(task).outputs.chosen(part.probabilities, classes)
    return part.md5[kept & _within(best, bounds)]


def _within(values: NDArray[np.floating[Any]], bounds: Bounds) -> NDArray[np.bool_]:
    kept = np.ones(len(values), bool)
    for operator, bound in bounds:
        kept &= COMPARE[operator](values, bound)
    return kept


def _hex(md5: Digests) -> list[str]:
    """Return packed digests as hex; their last bytes may be 0."""
    whole = np.ascontiguousarray(md5).tobytes().hex()
    return [whole[at : at + HEX] for at in range(0, len(whole), HEX)]
