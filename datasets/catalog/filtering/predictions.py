"""Predictions of models, for filters, facets and orders: the app that stores the scores registers itself as the
source."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.models import Dataset
from core.errors import Invalid

Digests = NDArray[np.bytes_]
"""(N,) md5 of images, 16 bytes each."""
NOT_ONE_CLASS = "task_unsuited"
"""The error code of requests that make sense only for labels with one class an image."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """Images whose most probable class by `model` ("name@alias") is one of `classes` (None: any), with a probability
    that meets all of `confidence`, pairs of an operator (<, <=, >, >=) and a number. With `correct` True or False, only
    samples whose label agrees with the prediction, or differs from it."""

    model: str
    classes: tuple[str, ...] | None
    confidence: tuple[tuple[str, float], ...]
    correct: bool | None = None


class Source(Protocol):
    """A store of scores."""

    def check(self, predicted: Predicted, dataset: Dataset, *, field: str) -> None:
        """Raise Invalid naming `field` if there is no such model, it has other classes than the dataset, or `correct`
        is not defined for the dataset's labels."""

    def digests(self, predicted: Predicted) -> Sequence[str]:
        """Return the md5s of all images that the model scored and that meet the condition."""

    def named(self, predicted: Predicted) -> Sequence[str]:
        """Return for the same images the md5 followed by the most probable class."""

    def matches(self, predicted: Predicted, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return (N,) whether each image, with labels (N,) as indices into the model's classes or -1, meets the
        condition."""

    def confidences(self, model: str, md5: Digests) -> NDArray[np.float64]:
        """Return (N,) the probability of the likeliest class, or of the surest box; NaN where not scored."""

    def losses(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return (N,) minus the logarithm of the probability of the labels (N,), indices into the model's classes; NaN
        where there is no label (-1), or an image was not scored. Raises Invalid (`order`) for a task type without one
        class an image."""

    def counts(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> "Counts":
        """Count the predictions for these images, with labels (N,) as in `matches`."""

    def state(self, model: str) -> Hashable:
        """Return a value that changes whenever the model's scores do."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many images were scored, how many were predicted as each class (with boxes or several classes: in which one
    is likelier than not), and how many of the labelled ones are right and wrong, None where that is not defined."""

    scored: int
    classes: Mapping[str, int]
    right: int | None
    wrong: int | None


_sources: list[Source] = []


def register(source: Source) -> None:
    """Register the source of predictions. Raises ValueError for a second one."""
    if _sources:
        raise ValueError("predictions have a source already")
    _sources.append(source)


def source(field: str = "model") -> Source:
    """Return the source of predictions. Raises Invalid naming `field` if none is registered."""
    if not _sources:
        raise Invalid.field(field, "this installation keeps no predictions")
    return _sources[0]
