"""The catalog's source of predictions: filters like `confidence < 0.4` answered from the score files.

Confidence here is the model's own probability, not the calibrated one: a filter means the same before and after a
temperature is fitted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blobs.models import Blob
from catalog.filtering.predictions import Predicted
from catalog.models import Dataset
from core.errors import Invalid
from mining_jobs.scores.files import files_of, parts_of
from registry.services import check_classes, resolve
from scoring.table import DIGEST, Scores
from tasktypes import task_type

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType({"<": lt, "<=": le, ">": gt, ">=": ge})
KEPT_ANSWERS = 4


class ScoredPredictions:
    """What the score files say (see `catalog.filtering.predictions.Source`)."""

    def check(self, predicted: Predicted, dataset: Dataset, *, field: str) -> None:
        """Raise Invalid or NotFound when there is no such model, or it has other classes than the dataset."""
        version = resolve(predicted.model, field=field)
        try:
            check_classes(version.model, dataset)
        except Invalid as error:
            raise Invalid.field(field, error.detail, code=error.code) from error

    def digests(self, predicted: Predicted) -> Sequence[str]:
        """The md5 of all images that the model predicts so, as far as they were scored."""
        version = resolve(predicted.model, field="model")
        classes = version.model.classes
        wanted = None if predicted.classes is None else tuple(classes.index(name) for name in predicted.classes)
        files = tuple(file.blob_id for file in files_of(version))
        found = _matching(version.model.task, files, wanted, predicted.confidence).hex()
        return [found[at : at + 32] for at in range(0, len(found), 32)]


@lru_cache(maxsize=KEPT_ANSWERS)
def _matching(
    task: str, files: tuple[int, ...], classes: tuple[int, ...] | None, bounds: tuple[tuple[str, float], ...]
) -> bytes:
    """Digests, 16 bytes each. Files never change, so pages of one grid read them once."""
    refs = [blob.ref for blob in Blob.objects.filter(pk__in=files)]
    found = [_chosen(task, part, classes, bounds) for part in parts_of(refs)]
    return np.unique(np.concatenate([np.empty((0, DIGEST.itemsize), np.uint8), *found]), axis=0).tobytes()


def _chosen(
    task: str, part: Scores, classes: tuple[int, ...] | None, bounds: tuple[tuple[str, float], ...]
) -> NDArray[np.uint8]:
    if not len(part):
        return np.empty((0, DIGEST.itemsize), np.uint8)
    kept, best = task_type(task).outputs.chosen(part.probabilities, classes)
    for operator, bound in bounds:
        kept = kept & COMPARE[operator](best, bound)
    return part.md5.view(np.uint8).reshape(-1, DIGEST.itemsize)[kept]
