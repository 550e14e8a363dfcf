"""The strategies, one file each, found by name. A new one is a new file with one class under `@register("name")`."""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from pydantic.dataclasses import dataclass as checked

from acquisition.pool import Floats, Indices, Pool, PoolError
from programs.config import STRICT, ConfigError, json_schema, parse


@checked(frozen=True, kw_only=True, config=STRICT)
class NoParams:
    """A strategy without parameters."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen row of the pool and why: `score` (higher = sooner; None where a strategy has none), its terms."""

    row: int
    score: float | None
    reason: str
    terms: dict[str, float] = field(default_factory=dict)


Watch = Callable[[int, int], None]
"""Told of progress: so many picks of so many. What it raises (a cancel) ends the selection."""


def unwatched(done: int, total: int) -> None:
    """Progress that nobody looks at."""


class Strategy(ABC):
    """Chooses rows of a pool that is sorted by id; ties go to the lower id. An instance holds validated parameters.

    `needs` names the fields of the pool it reads; `uniform` says that every sample has the same chance.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    uniform: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = NoParams

    def __init__(self, params: Any) -> None:
        self.params = params

    @abstractmethod
    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """`count` different rows, the most wanted first; the whole pool when it is smaller."""

    def check(self, pool: Pool) -> None:
        """Raise PoolError naming what the strategy needs and the pool lacks."""
        for name in self.needs:
            if getattr(pool, name) is None:
                raise PoolError(f"{name}: strategy {self.name!r} needs them")


class ScoreStrategy(Strategy):
    """A strategy that is one number per row: the highest are chosen."""

    needs = ("probabilities",)

    @abstractmethod
    def scores(self, probabilities: Floats) -> Floats:
        """(N,) from (N, K); higher = sooner."""

    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:  # noqa: ARG002 - quick enough
        """(N,), one number per row of the pool; higher = sooner."""
        return np.empty(0) if pool.probabilities is None else self.scores(pool.probabilities)

    @abstractmethod
    def reason(self, pool: Pool, row: int) -> str:
        """Why this row, in words."""

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,  # noqa: ARG002 - the contract's
    ) -> list[Choice]:
        """The highest scores."""
        if not len(pool):
            return []
        scores = self.scored(pool)
        return [
            Choice(int(row), float(scores[row]), self.reason(pool, int(row)), {self.name: float(scores[row])})
            for row in highest(scores, count)
        ]


def highest(scores: Floats, count: int) -> Indices:
    """Rows of the `count` highest scores, the highest first, equal ones in row order. O(N) plus the sort of `count`."""
    count = min(count, len(scores))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    bound = np.partition(scores, len(scores) - count)[len(scores) - count]
    rows = np.flatnonzero(scores >= bound)
    return rows[np.argsort(-scores[rows], kind="stable")][:count]


_registry: dict[str, type[Strategy]] = {}
S = TypeVar("S", bound="type[Strategy]")


def register(name: str) -> Callable[[S], S]:
    """Class decorator: the strategy is found under `name`; a name taken twice is a ValueError."""

    def keep(cls: S) -> S:
        if name in _registry:
            raise ValueError(f"strategy {name!r} is registered twice: {_registry[name].__module__}, {cls.__module__}")
        cls.name = name
        _registry[name] = cls
        return cls

    return keep


def names() -> list[str]:
    """All registered names, sorted."""
    package = importlib.import_module("acquisition.strategies")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"acquisition.strategies.{module.name}")
    return sorted(_registry)


def strategy(name: str, params: Mapping[str, Any] | None = None) -> Strategy:
    """The strategy `name` with validated parameters; ConfigError names the faulty field."""
    if name not in names():
        raise ConfigError({"strategy": [f"unknown strategy {name!r}; there are {', '.join(names())}"]})
    cls = _registry[name]
    try:
        return cls(parse(cls.Params, dict(params or {})))
    except ConfigError as error:
        raise ConfigError({f"strategy.params.{key}": texts for key, texts in error.errors.items()}) from error


@dataclass(frozen=True, slots=True)
class StrategyFacts:
    """What GET /strategies shows of one."""

    name: str
    summary: str
    needs: tuple[str, ...]
    params_schema: dict[str, Any]


def facts(name: str) -> dict[str, Any]:
    """The facts of one strategy."""
    made = strategy(name)
    summary = (type(made).__doc__ or "").strip().splitlines()[0]
    return asdict(StrategyFacts(name, summary, made.needs, json_schema(made.Params)))
