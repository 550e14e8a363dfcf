"""How unlike the others samples are, for orders: the app that measures it registers itself as the source."""

from collections.abc import Hashable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.models import Version
from core.errors import Invalid


class Source(Protocol):
    """Keeps what was measured."""

    def state(self, version: Version) -> Hashable:
        """Another one when there are other figures. Raises Invalid (`order`) where there are none."""

    def values(self, version: Version, samples: NDArray[np.int64]) -> NDArray[np.float64]:
        """(N,) of samples by id (N,), the higher the less others are like it; NaN where it was not measured. Raises as
        `state`."""


_sources: list[Source] = []


def register(source: Source) -> None:
    """The source from now on; a second one is a ValueError."""
    if _sources:
        raise ValueError("uniqueness has a source already")
    _sources.append(source)


def source() -> Source:
    """What keeps it. Raises Invalid (`order`) where nothing does."""
    if not _sources:
        raise Invalid.field("order", "this installation does not measure how unlike each other samples are")
    return _sources[0]
