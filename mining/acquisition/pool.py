"""The candidates of a selection, with a model's predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.blocks import by_blocks
from acquisition.ties import drawn_order
from tasktypes import DEFAULT, task_type

Floats = NDArray[np.floating[Any]]
Indices = NDArray[np.intp]


class PoolError(ValueError):
    """The pool can't be selected from; the message names the field."""

    code = "pool_invalid"


SHAPES = {
    "embeddings": 2, "cells": 2, "evidence": 2, "groups": 1, "times": 1, "sources": 1, "costs": 1,
    "labelled": 2, "labelled_classes": 1, "labelled_ids": 1, "labelled_groups": 1, "labelled_times": 1,
    "wanted": 2, "unwanted": 2, "wanted_keys": 1, "unwanted_keys": 1,
    "objects": 3, "object_facts": 3, "object_ids": 1, "picked_ids": 1,
    "copies": 1, "hashes": 1, "sketches": 2,
}  # fmt: skip
"""Number of dimensions of each field; those of probabilities and labels depend on the task type."""
ROWS = ("ids", "probabilities", "embeddings", "cells", "members", "labels", "groups", "times", "sources", "costs",
        "copies", "hashes", "sketches")  # fmt: skip
"""The fields with one row per candidate."""
LABELLED = ("labelled", "labelled_classes", "labelled_ids", "labelled_groups", "labelled_times")
"""The fields with one row per labelled sample."""
OBJECTS = ("objects", "object_facts", "object_ids")
"""The fields with one row per candidate whose objects were embedded."""
WANTED, UNWANTED = ("wanted", "wanted_keys"), ("unwanted", "unwanted_keys")
"""The fields with one row per wanted sample, and those with one per unwanted sample."""

SUM_TOLERANCE = 0.01
"""Largest difference of a sum of probabilities from 1."""


@dataclass(frozen=True)
class Pool:
    """N candidates, and the samples they are compared with.

    One row per candidate: `ids` (N,) unique and sortable; `probabilities` (N, K), as the `task` type has them (of one
    class an image rows sum to 1; of boxes (N, M, 6)); `embeddings` (N, D); `cells` (N, M), the number of places of the
    raw maps that support each box; `members` (N, M, K), the probabilities of each member of a committee, aligned
    (`tasktypes.model_parts.Mining.aligned`); `labels` (N,) the annotated class index, of boxes the targets (N, G, 8)
    (only where labelled samples are mined for label errors); `groups` (N,) the drive or scene of a sample, "" where it
    is not known; `times` (N,) seconds within it; `sources` (N,) the source of a sample; `costs` (N,) the price of its
    label; `slices` name -> (N,) bool. What tells copies (`acquisition.copies`): `copies` (N,) a number for each
    content, the same for samples of the same bytes; `hashes` (N,) and `sketches` (N, 256) of the pictures
    (`blobs.likeness`), a sketch of zeros where a picture shows nothing.

    Of labelled samples: `labelled` (M, D) embeddings, `labelled_classes` (M,) class indices, `labelled_ids` (M,),
    `labelled_groups` (M,) and `labelled_times` (M,) as those of candidates; `evidence` (J, 4) the model's predictions:
    class, probability, cells, and 1 where it was right, else 0.

    Of examples: `wanted` (Q, D) and `unwanted` (R, D) embeddings of samples to find more of, and to avoid, with
    `wanted_keys` (Q,) and `unwanted_keys` (R,).

    Of some candidates: `object_ids` (S,), the embeddings of their surest objects, `objects` (S, T, D), and the class
    and score of each, `object_facts` (S, T, 2), with score 0 where there is none; `picked_ids` (P,) of candidates that
    are in the batch already.

    `classes` are the K names. Raises PoolError for shapes that don't fit, repeated ids and numbers that are not finite.
    """

    ids: NDArray[Any]
    probabilities: Floats | None = None
    embeddings: Floats | None = None
    cells: NDArray[np.int32] | None = None
    members: Floats | None = None
    labels: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    times: Floats | None = None
    sources: NDArray[Any] | None = None
    costs: Floats | None = None
    copies: NDArray[Any] | None = None
    hashes: NDArray[Any] | None = None
    sketches: NDArray[np.uint8] | None = None
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    labelled: Floats | None = None
    labelled_classes: Indices | None = None
    labelled_ids: NDArray[Any] | None = None
    labelled_groups: NDArray[Any] | None = None
    labelled_times: Floats | None = None
    wanted: Floats | None = None
    unwanted: Floats | None = None
    wanted_keys: NDArray[Any] | None = None
    unwanted_keys: NDArray[Any] | None = None
    evidence: Floats | None = None
    objects: Floats | None = None
    object_facts: Floats | None = None
    object_ids: NDArray[Any] | None = None
    picked_ids: NDArray[Any] | None = None
    classes: Sequence[str] = field(default_factory=list)
    task: str = DEFAULT

    def __post_init__(self) -> None:
        if len(np.unique(self.ids)) != len(self.ids):
            raise PoolError("ids: an id is there twice")
        axes = task_type(self.task).mining.axes
        own = {"probabilities": axes, "members": axes + 1, "labels": 3 if task_type(self.task).mining.places else 1}
        for name, dimensions in {**SHAPES, **own}.items():
            values = getattr(self, name)
            if values is None:
                continue
            if values.ndim != dimensions or (name in ROWS and len(values) != len(self.ids)):
                raise PoolError(f"{name}: expected one row per id, got shape {values.shape} for {len(self.ids)} ids")
            if not _finite(values):
                raise PoolError(f"{name}: holds numbers that are not finite")
        self._check_level(LABELLED, "labelled sample")
        self._check_level(OBJECTS, "candidate whose objects were looked at")
        self._check_level(WANTED, "wanted sample")
        self._check_level(UNWANTED, "unwanted sample")
        for name, inside in self.slices.items():
            if inside.shape != (len(self.ids),):
                raise PoolError(f"slices.{name}: expected one truth value per id, got shape {inside.shape}")
        for name in ("probabilities", "members"):
            self._check_probabilities(name)

    def _check_level(self, names: tuple[str, ...], of: str) -> None:
        if len({len(values) for name in names if (values := getattr(self, name)) is not None}) > 1:
            raise PoolError(f"{', '.join(names)}: expected one row per {of} in each")

    def _check_probabilities(self, name: str) -> None:
        """Raise PoolError for invalid probabilities: a sample without predictions would otherwise be the most uncertain
        of all."""
        values = getattr(self, name)
        if values is None:
            return
        mining = task_type(self.task).mining
        summing = mining.one_distribution
        off = np.flatnonzero(
            by_blocks(_far_from_one if summing else lambda rows: mining.outside(rows).astype(np.float64), values)
        )
        if len(off):
            what = "that sum to 1" if summing else "from 0 to 1"
            raise PoolError(f"{name}: those of id {self.ids[off[0]]} are not probabilities {what}; leave it out")

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Indices) -> "Pool":
        """Return the pool with only these rows, in this order."""
        picked = {name: values[rows] for name in ROWS if (values := getattr(self, name)) is not None}
        return replace(self, **picked, slices={name: inside[rows] for name, inside in self.slices.items()})

    def in_order(self, seed: int) -> "Pool":
        """Return the pool in an order drawn by the seed: a selection does not depend on the order of the rows, and the
        first of equals is the first by chance. A pool that was written in this order is not copied."""
        order = drawn_order(self.ids, seed)
        return self if (order == np.arange(len(order))).all() else self.take(order)

    def class_name(self, index: int) -> str:
        """Return the name of a class, or its number where there are no names."""
        return self.classes[index] if index < len(self.classes) else str(index)


def _far_from_one(rows: Floats) -> Floats:
    """Return (n,) 1 for a row with a sum that is not 1 or a negative number, else 0: half precision may be off by some
    thousandths."""
    sums = rows.sum(axis=-1).reshape(len(rows), -1)
    lowest = rows.reshape(len(rows), -1).min(axis=1, initial=0.0)
    far: Floats = ((np.abs(sums - 1) > SUM_TOLERANCE).any(axis=1) | (lowest < 0)).astype(np.float64)
    return far


def _finite(values: NDArray[Any]) -> bool:
    """Whether all values are finite, found without an array of booleans: a pool may take a large part of the memory."""
    if values.dtype.kind != "f" or not values.size:
        return True
    return bool(np.isfinite(values.min()) and np.isfinite(values.max()))
