"""What models said of images, for filters: the app that keeps the scores registers itself as the source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from catalog.models import Dataset
from core.errors import Invalid


@dataclass(frozen=True, slots=True)
class Predicted:
    """Images whose most probable class by `model` ("name@alias") is one of `classes` (None: any), with a probability
    that meets all of `confidence`, pairs of an operator (<, <=, >, >=) and a number."""

    model: str
    classes: tuple[str, ...] | None
    confidence: tuple[tuple[str, float], ...]


class Source(Protocol):
    """Keeps scores."""

    def check(self, predicted: Predicted, dataset: Dataset, *, field: str) -> None:
        """Raise Invalid naming `field` when there is no such model, or it has other classes than the dataset."""

    def digests(self, predicted: Predicted) -> Sequence[str]:
        """The md5 of all images that were scored by the model and predicted so."""


_sources: list[Source] = []


def register(source: Source) -> None:
    """The source of predictions from now on; a second one is a ValueError."""
    if _sources:
        raise ValueError("predictions have a source already")
    _sources.append(source)


def check(predicted: Predicted, dataset: Dataset, *, field: str) -> None:
    """Raise Invalid naming `field` where nothing can be known of the model's predictions."""
    _source(field).check(predicted, dataset, field=field)


def digests(predicted: Predicted) -> Sequence[str]:
    """The md5 of all images predicted so; images that were not scored are not among them."""
    return _source("model").digests(predicted)


def _source(field: str) -> Source:
    if not _sources:
        raise Invalid.field(field, "this installation keeps no predictions")
    return _sources[0]
