"""The uniqueness of samples, for orders: the app that measures it registers itself as the source."""

from collections.abc import Hashable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.models import Version
from core.errors import Invalid


class Source(Protocol):
    """A store of measured uniqueness."""

    def state(self, version: Version) -> Hashable:
        """Return a value that changes whenever the figures do. Raises Invalid (`order`) if there are none."""

    def values(self, version: Version, samples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the uniqueness (N,) of samples by id (N,), higher if fewer others are alike; NaN where not measured.
        Raises as `state`."""


_sources: list[Source] = []


def register(source: Source) -> None:
    """Register the source of uniqueness. Raises ValueError for a second one."""
    if _sources:
        raise ValueError("uniqueness has a source already")
    _sources.append(source)


def source() -> Source:
    """Return the source of uniqueness. Raises Invalid (`order`) if none is registered."""
    if not _sources:
        raise Invalid.field("order", "this installation does not measure how unlike each other samples are")
    return _sources[0]
