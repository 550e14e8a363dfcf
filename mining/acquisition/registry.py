"""The strategies, one file each, found by name. A new one is a new file with one class under `@register("name")`."""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, ClassVar, TypeVar

import numpy as np
from pydantic.dataclasses import dataclass as checked

from acquisition.blocks import by_blocks
from acquisition.extensions import load_extensions
from acquisition.pool import Floats, Indices, Pool, PoolError
from worker_programs.config import STRICT, ConfigError, json_schema, parse


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

    `needs` names the fields of the pool it reads; `uniform` says that every sample has the same chance. The first line
    of the docstring is its summary. `select` calls `watch` at least once, and often enough to be cancelled by it.
    """

    name: ClassVar[str]
    needs: tuple[str, ...] = ()
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
    """A strategy that is one number per row, whatever else is picked: the highest are chosen."""

    @abstractmethod
    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """(N,), one number per row of the pool; higher = sooner. `watch` is called between blocks of rows."""

    @abstractmethod
    def reason(self, pool: Pool, row: int) -> str:
        """Why this row, in words."""

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,
    ) -> list[Choice]:
        """The highest scores."""
        if not len(pool):
            return []
        scores = self.scored(pool, watch=watch)
        rows = highest(scores, count)
        watch(len(rows), len(rows))
        return [
            Choice(int(row), float(scores[row]), self.reason(pool, int(row)), {self.name: float(scores[row])})
            for row in rows
        ]


class RowStrategy(ScoreStrategy):
    """A score that a row has by its own numbers alone, of the first field that the strategy needs."""

    needs = ("probabilities",)

    @abstractmethod
    def scores(self, rows: Floats) -> Floats:
        """(n,) of some rows of the field: of probabilities (n, K), of members (n, M, K). Called block by block."""

    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """`scores` of all rows, in blocks and on several threads."""
        return by_blocks(self.scores, getattr(pool, self.needs[0]), between=lambda: watch(0, len(pool)))


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
    """Class decorator: the strategy is found under `name`. ValueError for a name taken twice, and for a class that is
    not a Strategy, leaves something undefined or has no docstring."""

    def keep(cls: S) -> S:
        if name in _registry:
            raise ValueError(f"strategy {name!r} is registered twice: {_registry[name].__module__}, {cls.__module__}")
        if not issubclass(cls, Strategy) or (missing := sorted(cls.__abstractmethods__)):
            lacks = f"define {', '.join(missing)}" if issubclass(cls, Strategy) else "derive from Strategy"
            raise ValueError(f"strategy {name!r}: {cls.__qualname__} must {lacks}")
        if not (cls.__doc__ or "").strip():
            raise ValueError(f"strategy {name!r}: {cls.__qualname__} needs a docstring, its summary")
        cls.name = name
        _registry[name] = cls
        return cls

    return keep


@cache
def _loaded() -> tuple[str, ...]:
    """Imports the built-in strategies and those of installed packages, once; what could not be loaded, in words."""
    package = importlib.import_module("acquisition.strategies")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"acquisition.strategies.{module.name}")
    return tuple(load_extensions(_registry))


def names() -> list[str]:
    """All registered names, sorted."""
    _loaded()
    return sorted(_registry)


def faults() -> list[str]:
    """One sentence for each installed package whose strategies can't be used, naming its entry point and the fix."""
    return list(_loaded())


def strategy(name: str, params: Mapping[str, Any] | None = None) -> Strategy:
    """The strategy `name` with validated parameters; ConfigError names the faulty field."""
    if name not in names():
        there = f"unknown strategy {name!r}; there are {', '.join(names())}"
        raise ConfigError({"strategy": [there, *faults()]})
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
    summary = (type(made).__doc__ or "").strip().partition("\n")[0]
    return asdict(StrategyFacts(name, summary, made.needs, json_schema(made.Params)))
