"""Orders of the samples of a version: exact, the same on every page, with ties in the order they were added."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.filtering import predictions
from catalog.filtering.filters import Filter
from catalog.models import Sample, Version
from catalog.reading import uniqueness
from catalog.reading.members import CHUNK, Members, members_of
from core.errors import Invalid
from core.list_parameters import listed

ADDED, KEY, RANDOM, CONFIDENCE, LOSS = "added", "key", "random", "confidence", "loss"
UNIQUENESS = "uniqueness"
ORDERS = (
    ADDED, "-added", KEY, "-key", RANDOM, CONFIDENCE, "-confidence", LOSS, "-loss", UNIQUENESS, "-uniqueness",
)  # fmt: skip
"""A minus reverses an order; -loss has the most wrong samples first, -uniqueness those least like any other."""
OF_MODELS = (CONFIDENCE, LOSS)
KEPT_ORDERS = 8
MAX_SEED = 2**31 - 1
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Order:
    """One of ORDERS, with a `model` ("name@alias") if it orders by predictions, and a `seed` if it is random."""

    by: str = ADDED
    model: str | None = None
    seed: int = 0

    @classmethod
    def of(cls, name: str, model: str | None, seed: int) -> "Order":
        """Build an order. Raises Invalid (`order`) if its name is unknown or it lacks its model."""
        if name not in ORDERS:
            raise Invalid.field("order", f"must be one of {', '.join(ORDERS)}")
        if name.lstrip("-") in OF_MODELS and not model:
            raise Invalid.field("order", f"{name} is a model's: name it in `predicted_by`, like signs@production")
        return cls(name, model if name.lstrip("-") in OF_MODELS else None, seed if name == RANDOM else 0)

    @property
    def column(self) -> str:
        """The name of the order without its direction."""
        return self.by.lstrip("-")


def ordered(version: Version, chosen: Filter, order: Order) -> Ids:
    """Return the ids of all samples that pass, in order; samples without a value are last. Raises Invalid (`order`)."""
    state = predictions.source("order").state(order.model) if order.model else None
    if order.column == UNIQUENESS:
        state = uniqueness.source().state(version)
    place = chosen.place(version)
    if place is None:
        return _computed(version, chosen, order)
    return _kept(_Asked(place, order, state, version, chosen))


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A request for an order, the key of the cache: equal if the results are."""

    place: str
    order: Order
    state: Hashable
    version: Version
    chosen: Filter

    @property
    def key(self) -> Hashable:
        return self.place, self.version.erased, self.order, self.state

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.key == other.key


@lru_cache(maxsize=KEPT_ORDERS)
def _kept(asked: _Asked) -> Ids:
    return _computed(asked.version, asked.chosen, asked.order)


def _computed(version: Version, chosen: Filter, order: Order) -> Ids:
    members = members_of(version)
    rows = members.chosen(version, chosen)
    values = _values(version, members, rows, order)
    values = -values if order.by.startswith("-") else values  # NaN stays last
    return members.samples[rows[np.argsort(values, kind="stable")]]


def _values(version: Version, members: Members, rows: NDArray[np.intp], order: Order) -> NDArray[Any]:
    """Return (n,) a value for each of the members `rows` (n,): lower values come first."""
    if order.column == ADDED:
        return members.samples[rows]
    if order.column == KEY:
        return _ranks(members.samples[rows])
    if order.column == RANDOM:
        return shuffled(members.samples[rows], order.seed)
    if order.column == UNIQUENESS:
        return uniqueness.source().values(version, members.samples[rows])
    source, model = predictions.source("order"), str(order.model)
    if order.column == LOSS:
        return source.losses(model, members.md5[rows], members.labels[rows])
    return source.confidences(model, members.md5[rows])


def _ranks(samples: Ids) -> Ids:
    """Return (n,) the ranks of the samples' keys, by code point."""
    keys = dict[int, str]()
    for at in range(0, len(samples), CHUNK):
        some = samples[at : at + CHUNK]
        keys |= dict(Sample.objects.filter(pk__in=listed(some.tolist())).values_list("pk", "key"))
    ranks = np.empty(len(samples), np.int64)
    ranks[sorted(range(len(samples)), key=lambda place: keys.get(int(samples[place]), ""))] = np.arange(len(samples))
    return ranks


def shuffled(samples: Ids, seed: int) -> NDArray[np.uint64]:
    """Return (n,) a pseudo-random number for each id, which depends only on the id and the seed.

    Source: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    """
    with np.errstate(over="ignore"):
        mixed = samples.astype(np.uint64) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return found
