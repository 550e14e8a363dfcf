"""The candidates of a selection, with what a model said of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Indices = NDArray[np.intp]


class PoolError(ValueError):
    """The pool can't be selected from; the message names the field."""

    code = "pool_invalid"


@dataclass(frozen=True)
class Pool:
    """N candidates.

    `ids` (N,) unique and sortable; `probabilities` (N, K), rows sum to 1; `embeddings` (N, D);
    `labelled` (M, D) embeddings of what has a label already; `classes` K names for explanations.
    Raises PoolError for shapes that don't fit, repeated ids and numbers that are not finite.
    """

    ids: NDArray[Any]
    probabilities: Floats | None = None
    embeddings: Floats | None = None
    labelled: Floats | None = None
    classes: Sequence[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(np.unique(self.ids)) != len(self.ids):
            raise PoolError("ids: an id is there twice")
        for name in ("probabilities", "embeddings", "labelled"):
            values = getattr(self, name)
            if values is None:
                continue
            if values.ndim != 2 or (name != "labelled" and len(values) != len(self.ids)):
                raise PoolError(f"{name}: expected one row per id, got shape {values.shape} for {len(self.ids)} ids")
            if not np.isfinite(values).all():
                raise PoolError(f"{name}: holds numbers that are not finite")

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Indices) -> "Pool":
        """The same pool with only these rows, in this order."""
        picked = {
            name: values[rows]
            for name in ("ids", "probabilities", "embeddings")
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **picked)

    def by_id(self) -> "Pool":
        """The same pool in the order of its ids: selection does not depend on the order rows came in."""
        return self.take(np.argsort(self.ids, kind="stable"))

    def class_name(self, index: int) -> str:
        """The name of a class, or its number when names were not given."""
        return self.classes[index] if index < len(self.classes) else str(index)
