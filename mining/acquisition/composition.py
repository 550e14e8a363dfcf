"""The rules of a batch (quotas, gaps in time, distances, a budget) and its objectives, as a checked document.

Names of metadata (`gap.group`, `gap.time`, `cost.meta`, `source`) say where the caller reads the fields of the pool
from; the composer itself looks at `Pool.groups`, `times`, `costs` and `sources`.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT, ConfigError, parse

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Strength = Annotated[float, Field(ge=0, le=10)]
Weights = Annotated[dict[str, Annotated[float, Field(ge=0, le=1e6)]], Field(min_length=1, max_length=1000)]
Side = Literal["labelled", "batch"]
SIDES: tuple[Side, ...] = ("labelled", "batch")
ROUNDING = 1e-9
"""Largest rounding error of a share times a count that does not change the whole number: 0.1 x 30 is 3."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Quota:
    """How many picks may or must be of one predicted class, one slice or one source (exactly one of them is named).

    Shares are of the requested number of picks, rounded so that they hold: a minimum up, a maximum down.
    """

    class_name: Name | None = Field(default=None, alias="class")
    """The predicted class; where an image has several classes or boxes, one that is likelier than not."""
    slice: Name | None = None
    source: Name | None = None
    min: Count | None = None
    max: Count | None = None
    min_share: Share | None = None
    max_share: Share | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Quota":
        if sum(name is not None for name in (self.class_name, self.slice, self.source)) != 1:
            raise ValueError('name exactly one of "class", "slice" and "source"')
        if all(bound is None for bound in (self.min, self.max, self.min_share, self.max_share)):
            raise ValueError("give at least one of min, max, min_share and max_share")
        return self

    @property
    def kind(self) -> str:
        """`class`, `slice` or `source`."""
        return next(kind for kind, name in self._names.items() if name is not None)

    @property
    def name(self) -> str:
        """The class, slice or source."""
        return next(name for name in self._names.values() if name is not None)

    @property
    def _names(self) -> dict[str, str | None]:
        return {"class": self.class_name, "slice": self.slice, "source": self.source}

    def low(self, count: int) -> int:
        """Return the minimum number of picks, out of `count`."""
        return max(self.min or 0, ceil((self.min_share or 0.0) * count - ROUNDING))

    def high(self, count: int) -> int:
        """Return the maximum number of picks, out of `count`; `count` itself where the quota has no upper bound."""
        share = count if self.max_share is None else floor(self.max_share * count + ROUNDING)
        return min(share, count if self.max is None else self.max)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Gap:
    """The minimum time between two samples of one drive. Samples without group or time are exempt."""

    seconds: Annotated[float, Field(gt=0)]
    group: Name
    """The metadata key of the drive."""
    time: Name
    """The metadata key of the time: seconds, or RFC 3339."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Distance:
    """The minimum cosine distance, 1 - cos(a, b), between embeddings: nearer samples are near-duplicates."""

    cosine: Annotated[float, Field(gt=0, le=2)]
    to: Annotated[list[Side], Field(min_length=1)] = Field(default_factory=lambda: list(SIDES))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Cost:
    """The price of a sample's label."""

    meta: Name | None = None
    """The metadata key of the price."""
    default: Annotated[float, Field(ge=0)] = 1.0
    """The price of a sample without this metadata."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ClassWeight:
    """sum_k p_k w_k: the expected weight of a sample's class; a class that is not named has weight 1."""

    name: Literal["class_weight"]
    weights: Weights
    strength: Strength = 1.0


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SliceWeight:
    """The product of the weights of the slices that contain a sample; 1 outside all of them."""

    name: Literal["slice_weight"]
    weights: Weights
    strength: Strength = 1.0


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Quality:
    """A quality of a sample by the model's probabilities or embeddings, between 0 and 1 (formulae:
    `acquisition.objectives`)."""

    name: Literal["uncertainty", "novelty", "typicality"]
    strength: Strength = 1.0


Objective = Annotated[ClassWeight | SliceWeight | Quality, Field(discriminator="name")]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Composition:
    """All rules and objectives of a batch; an empty one leaves a strategy as it is."""

    quotas: Annotated[list[Quota], Field(max_length=200)] = Field(default_factory=list)
    gap: Gap | None = None
    distance: Distance | None = None
    cost: Cost | None = None
    budget: Annotated[float, Field(gt=0)] | None = None
    """The largest sum of the picks' costs; without `cost` each costs 1."""
    source: Name | None = None
    """The metadata key of the source."""
    objectives: Annotated[list[Objective], Field(max_length=20)] = Field(default_factory=list)
    near_copies: Annotated[int, Field(ge=1, le=1000)] | None = 1
    """The largest number of candidates that are near copies of one another (`acquisition.copies`); None: any."""

    @property
    def slices(self) -> list[str]:
        """The slices that quotas and weights name, sorted."""
        named = [quota.slice for quota in self.quotas if quota.slice is not None]
        for objective in self.objectives:
            if isinstance(objective, SliceWeight):
                named += objective.weights
        return sorted(set(named))

    @property
    def free(self) -> bool:
        """Whether any candidates may be picked together, and none is preferred."""
        apart = self.gap or (self.distance and "batch" in self.distance.to)
        return not (self.quotas or apart or self.budget is not None or self.objectives)

    @property
    def needs(self) -> set[str]:
        """The fields of a pool that the composition reads."""
        found = {"embeddings"} if self.distance else set()
        fields = {"uncertainty": "probabilities", "class_weight": "probabilities"} | dict.fromkeys(
            ("novelty", "typicality"), "embeddings"
        )
        found |= {fields[objective.name] for objective in self.objectives if objective.name in fields}
        return found | ({"probabilities"} if any(quota.class_name is not None for quota in self.quotas) else set())


def composition(document: Mapping[str, Any] | None, *, classes: Sequence[str] = ()) -> Composition:
    """Parse a composition from a JSON document. Raises ConfigError naming each faulty field: an unknown class (where
    `classes` are given), a quota of a source without `source`, a quota that asks for more than it allows."""
    try:
        made = parse(Composition, dict(document or {}))
    except ConfigError as error:
        raise ConfigError({f"compose.{field}": texts for field, texts in error.errors.items()}) from error
    if errors := _faults(made, classes):
        raise ConfigError(errors)
    return made


def _faults(made: Composition, classes: Sequence[str]) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    for at, quota in enumerate(made.quotas):
        field = f"compose.quotas.{at}"
        if quota.class_name is not None and classes and quota.class_name not in classes:
            errors[f"{field}.class"] = [f"unknown class {quota.class_name!r}; there are {', '.join(classes)}"]
        if quota.source is not None and made.source is None:
            errors["compose.source"] = ["name the metadata that sources are read from: a quota asks for one"]
        if _crossed(quota.min, quota.max) or _crossed(quota.min_share, quota.max_share):
            errors[field] = ["asks for more than it allows: lower min or raise max"]
    for at, objective in enumerate(made.objectives):
        if isinstance(objective, ClassWeight) and classes and (unknown := set(objective.weights) - set(classes)):
            errors[f"compose.objectives.{at}.weights"] = [f"unknown classes {', '.join(sorted(unknown))}"]
        if any(objective.name == before.name for before in made.objectives[:at]):
            errors[f"compose.objectives.{at}.name"] = [f"{objective.name} is there twice: give it once"]
    return errors


def _crossed(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and low > high
