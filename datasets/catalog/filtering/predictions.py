"""What models said of images, for filters, facets and orders: the app that keeps the scores registers itself as the
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
"""The code of what is refused as it makes sense for one class an image alone."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """Images whose most probable class by `model` ("name@alias") is one of `classes` (None: any), with a probability
    that meets all of `confidence`, pairs of an operator (<, <=, >, >=) and a number; and of those, where `correct` is
    not None, the samples whose label says the same, or something else."""

    model: str
    classes: tuple[str, ...] | None
    confidence: tuple[tuple[str, float], ...]
    correct: bool | None = None


class Source(Protocol):
    """Keeps scores."""

    def check(self, predicted: Predicted, dataset: Dataset, *, field: str) -> None:
        """Raise Invalid naming `field` when there is no such model, it has other classes than the dataset, or what is
        right can't be told of the dataset's labels."""

    def digests(self, predicted: Predicted) -> Sequence[str]:
        """The md5 of all images that were scored by the model and predicted so."""

    def named(self, predicted: Predicted) -> Sequence[str]:
        """Of the same images the md5 followed by the class that is most probable."""

    def matches(self, predicted: Predicted, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of these images (N,), with labels (N,) as places among the model's classes or -1, are such."""

    def confidences(self, model: str, md5: Digests) -> NDArray[np.float64]:
        """(N,) probability of the likeliest class, or of the surest box; NaN where an image was not scored."""

    def losses(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> NDArray[np.float64]:
        """(N,) minus the logarithm of the probability of the labels (N,), places among the model's classes; NaN where
        there is none (-1), or an image was not scored. Raises Invalid (`order`) for a task type without one class an
        image."""

    def counts(self, model: str, md5: Digests, labels: NDArray[np.intp]) -> "Counts":
        """Of these images."""

    def state(self, model: str) -> Hashable:
        """Another one when there are other scores."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many images were scored, how many were predicted as each class (with boxes or several classes: in which one
    is likelier than not), and how many of the labelled ones are right and wrong, None where that can't be told."""

    scored: int
    classes: Mapping[str, int]
    right: int | None
    wrong: int | None


_sources: list[Source] = []


def register(source: Source) -> None:
    """The source of predictions from now on; a second one is a ValueError."""
    if _sources:
        raise ValueError("predictions have a source already")
    _sources.append(source)


def source(field: str = "model") -> Source:
    """What keeps scores. Raises Invalid naming `field` where nothing can be known of any model's predictions."""
    if not _sources:
        raise Invalid.field(field, "this installation keeps no predictions")
    return _sources[0]
