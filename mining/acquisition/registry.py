"""The registry of strategies, one file each, found by name. To add one, add a file with a class under
`@register("name")`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic.dataclasses import dataclass as checked

from acquisition.blocks import by_blocks
from acquisition.pool import Floats, Indices, Pool, PoolError
from tasktypes import names as task_names
from tasktypes import task_type
from tasktypes.model_parts import Mining
from worker_programs.config import STRICT, ConfigError, json_schema, parse
from worker_programs.extensions import Registry


@checked(frozen=True, kw_only=True, config=STRICT)
class NoParams:
    """A strategy without parameters."""


Reduction = Literal["max", "mean", "sum", "top", "noisy_or"]


@checked(frozen=True, kw_only=True, config=STRICT)
class RowParams:
    """How the scores of an image's questions (its classes, its boxes) are combined into one. Must keep its defaults
    where an image has one class."""

    reduce: Reduction | None = None
    """The highest, the mean (None: the mean), the sum, or the mean of the `top` highest scores; `noisy_or`: the
    probability that at least one question is open, from scores as shares of the score at even odds."""
    top: Annotated[int, Field(ge=1, le=100)] = 3
    """How many of the highest scores `top` averages; fewer where there are fewer."""
    weights: dict[str, Annotated[float, Field(ge=0, le=1000)]] = field(default_factory=dict)
    """Factor for the scores of a class, by its name; 1 for classes that are not named."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen row of the pool and why: `score` (higher = sooner; None where a strategy has none), and its terms."""

    row: int
    score: float | None
    reason: str
    terms: dict[str, float] = field(default_factory=dict)


Watch = Callable[[int, int], None]
"""Called with progress: picks done, and picks in total. An exception from it (a cancel) ends the selection."""


def unwatched(done: int, total: int) -> None:
    """Ignore progress."""


class Strategy(ABC):
    """Chooses rows of a pool; ties go to the lower row, and the order of the rows is drawn by the seed
    (`acquisition.ties`). An instance holds validated parameters.

    `needs` names the fields of the pool it reads; `uniform` says that every sample has the same chance. The first line
    of a strategy's docstring is the summary that users see. `select` calls `watch` at least once, and often enough for
    a cancel to take effect.
    """

    name: ClassVar[str]
    needs: tuple[str, ...] = ()
    uniform: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = NoParams

    def __init__(self, params: Any) -> None:
        self.params = params

    @abstractmethod
    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Choose `count` different rows, the most wanted first; the whole pool when it is smaller."""

    @property
    def asks_model(self) -> bool:
        """Whether it needs what only a model can say of the images."""
        return not WITHOUT_MODEL.issuperset(self.needs)

    @property
    def asks_likeliest(self) -> bool:
        """Whether it reads the one likeliest class of an image, or compares it with the class of a label."""
        return bool(LIKELIEST & set(self.needs))

    def shortlist(self, pool: Pool, count: int) -> Indices:  # noqa: ARG002 - most look at whole images alone
        """Return the rows of a pool whose objects must be embedded before `count` can be selected; none for a strategy
        that does not need `objects`."""
        return np.empty(0, np.intp)

    def fits(self, mining: Mining) -> bool:
        """Whether it can mine the predictions of a task type."""
        return (mining.one_distribution or not self.asks_likeliest) and (mining.places or not PLACED & set(self.needs))

    def beyond_replays(self, mining: Mining) -> list[str]:
        """Return the fields that it needs but a replay of known labels can't fill."""
        filled = {*REPLAYED, *(OF_CLASSES if mining.one_distribution else ()), *(OF_PLACES if mining.places else ())}
        return [name for name in self.needs if name not in filled]

    def check_task(self, task: str) -> None:
        """Raise ConfigError where the strategy can't mine for a task type."""
        mining = task_type(task).mining
        if self.fits(mining):
            return
        why = (
            "looks at objects in places, of which answers to {} have none"
            if PLACED & set(self.needs) and not mining.places
            else "asks for the one class of an image, which {} has not"
        )
        fitting = ", ".join(name for name in names() if _registry.find(name)(_defaults(name)).fits(mining))
        raise ConfigError({"strategy": [f"{self.name} {why.format(task)}: use one of {fitting}"]})

    def check(self, pool: Pool) -> None:
        """Raise PoolError naming a field that the strategy needs and the pool lacks."""
        for name in self.needs:
            if getattr(pool, name) is None:
                raise PoolError(f"{name}: strategy {self.name!r} needs them")


class ScoreStrategy(Strategy):
    """A strategy that scores each row independently of the other picks, and chooses the highest."""

    @abstractmethod
    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """Return one number per row of the pool, (N,); higher = sooner. `watch` is called between blocks of rows."""

    @abstractmethod
    def reason(self, pool: Pool, row: int) -> str:
        """Return the reason for this row, in words, where an image has one class."""

    def words(self, pool: Pool, row: int) -> str:
        """Return the reason for this row, in words, for every task type."""
        return self.reason(pool, row)

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,
    ) -> list[Choice]:
        """Choose the rows with the highest scores."""
        if not len(pool):
            return []
        scores = self.scored(pool, watch=watch)
        rows = highest(scores, count)
        watch(len(rows), len(rows))
        return [
            Choice(int(row), float(scores[row]), self.words(pool, int(row)), {self.name: float(scores[row])})
            for row in rows
        ]


class RowStrategy(ScoreStrategy):
    """A strategy that scores a row from its own numbers alone, in the first field that the strategy needs."""

    needs = ("probabilities",)
    Params: ClassVar[type[Any]] = RowParams

    @abstractmethod
    def scores(self, rows: Floats) -> Floats:
        """Score (n,) some rows of the field: of probabilities (n, K), of members (n, M, K). Called block by block.

        Where an image has several questions, each is a row of its own, over its outcomes: yes and no.
        """

    @property
    def asks_model(self) -> bool:
        """Whether it needs what only a model can say of the images."""
        return not WITHOUT_MODEL.issuperset(self.needs)

    @property
    def asks_likeliest(self) -> bool:
        """False: each question of an image is scored by itself."""
        return False

    def check_task(self, task: str) -> None:
        """Check the task type as every strategy does, and refuse parameters that combine scores where an image has one
        class."""
        super().check_task(task)
        if not task_type(task).mining.one_distribution or not isinstance(self.params, RowParams):
            return
        usual = RowParams()
        for name in ("reduce", "top", "weights"):
            if getattr(self.params, name) != getattr(usual, name):
                words = f"means nothing for {task}, where an image has one score: leave it out"
                raise ConfigError({f"strategy.params.{name}": [words]})

    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """Apply `scores` to all rows, in blocks and on several threads; combine the scores where an image has several
        questions."""
        score = self.scores if task_type(pool.task).mining.one_distribution else partial(self._reduced, pool)
        return by_blocks(score, getattr(pool, self.needs[0]), between=lambda: watch(0, len(pool)))

    def words(self, pool: Pool, row: int) -> str:
        """Where an image has several questions, name the highest-scoring ones that score at least half the highest."""
        if task_type(pool.task).mining.one_distribution:
            return self.reason(pool, row)
        mining, rows = task_type(pool.task).mining, getattr(pool, self.needs[0])[row][None]
        scores, about = self._of_terms(pool.task, rows)[0], mining.term_classes(rows).reshape(-1)
        told = mining.terms(rows)[..., 0].reshape(-1, len(scores))
        scores = np.where(mining.asked(rows).reshape(-1, len(scores)).any(axis=0), scores, 0)
        most = [at for at in np.argsort(-scores, kind="stable")[:SHOWN_TERMS] if scores[at] >= scores.max() / 2]
        if len(told) > 1:
            ranges = (f"from {told[:, at].min():.2f} to {told[:, at].max():.2f}" for at in most)
            named = (pool.class_name(int(about[at])) for at in most)
            return "members differ: " + ", ".join(
                f"{name} {between}" for name, between in zip(named, ranges, strict=True)
            )
        return "undecided: " + ", ".join(f"{pool.class_name(int(about[at]))} at {told[0, at]:.2f}" for at in most)

    def _reduced(self, pool: Pool, rows: Floats) -> Floats:
        mining, params = task_type(pool.task).mining, self.params if isinstance(self.params, RowParams) else RowParams()
        scores = self._of_terms(pool.task, rows)
        asked, even = mining.asked(rows), float(self.scores(OPEN[self.needs[0]])[0])
        if params.weights:
            by_class = np.array([params.weights.get(pool.class_name(at), 1.0) for at in range(len(pool.classes))])
            scores = scores * by_class[mining.term_classes(rows)]
        return reduced(scores, asked, params, even=even)

    def _of_terms(self, task: str, rows: Floats) -> Floats:
        """Return the scores (n, T) of the questions of some rows."""
        terms = np.moveaxis(task_type(task).mining.terms(rows), -2, 1)
        return self.scores(terms.reshape(-1, *terms.shape[2:])).reshape(terms.shape[:2])


def reduced(scores: Floats, asked: NDArray[np.bool_], params: RowParams, *, even: float) -> Floats:
    """Combine the scores (n, T) of questions into one (n,), counting only the questions that are `asked`; `even` is the
    score of a question at even odds, by which `noisy_or` divides."""
    held, counts = np.where(asked, scores, 0.0), np.maximum(asked.sum(axis=1), 1)
    how = params.reduce or "mean"
    found: Floats
    if how == "max":
        found = held.max(axis=1)
    elif how == "noisy_or":
        found = 1.0 - np.prod(1.0 - np.clip(held / even, 0.0, 1.0), axis=1)
    elif how == "top":
        found = -np.sort(-held, axis=1)[:, : params.top].sum(axis=1) / np.minimum(counts, params.top)
    else:
        found = held.sum(axis=1) / (1 if how == "sum" else counts)
    return found


def highest(scores: Floats, count: int) -> Indices:
    """Return the rows of the `count` highest scores, highest first, equal ones in row order. O(N) plus the sort of
    `count`."""
    count = min(count, len(scores))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    bound = np.partition(scores, len(scores) - count)[len(scores) - count]
    rows = np.flatnonzero(scores >= bound)
    return rows[np.argsort(-scores[rows], kind="stable")][:count]


_registry: Registry[Strategy] = Registry(
    "strategy", package="acquisition.strategies", base=Strategy, group="motherlode.strategies", summarised=True
)
register, names, faults = _registry.register, _registry.names, _registry.faults
PLACED = frozenset({"cells", "objects"})
"""Fields of a pool that only predictions with places have."""
LIKELIEST = frozenset({"probabilities", "members", "labels", "labelled_classes"})
"""Fields of a pool whose readers assume that an image has one class."""
REPLAYED = ("probabilities", "embeddings", "labelled")
"""Fields of a pool that a replay of known labels can fill for every task type."""
OF_CLASSES, OF_PLACES = ("labelled_classes",), ("cells", "evidence")
"""Further fields that it can fill where an image has one class, and where predictions have places."""
WITHOUT_MODEL = frozenset({"embeddings", "wanted", "sources", "groups"})
"""Fields of a pool that are filled without a model: the embeddings are those of a pretrained network."""
SHOWN_TERMS = 3
DEFAULT = "auto"
"""The strategy of whoever names none."""
OPEN = {"probabilities": np.full((1, 2), 0.5), "members": np.eye(2)[None]}
"""A question with two outcomes at maximum uncertainty, by the field that holds it."""


def strategy(name: str, params: Mapping[str, Any] | None = None) -> Strategy:
    """Return the strategy `name` with validated parameters; ConfigError names the faulty field."""
    cls = _registry.find(name)
    try:
        return cls(parse(cls.Params, dict(params or {})))
    except ConfigError as error:
        raise ConfigError({f"strategy.params.{key}": texts for key, texts in error.errors.items()}) from error


@dataclass(frozen=True, slots=True)
class StrategyFacts:
    """A strategy as GET /strategies shows it."""

    name: str
    summary: str
    needs: tuple[str, ...]
    asks_model: bool
    """Whether it can't mine without a model."""
    tasks: tuple[str, ...]
    """The task types that it can mine."""
    replays: tuple[str, ...]
    """The task types among them for which a back-test can replay it on known labels."""
    params_schema: dict[str, Any]


def _tasks(made: Strategy) -> tuple[str, ...]:
    known = {name: task_type(name) for name in task_names()}
    can = [name for name, kind in known.items() if "mining" not in kind.lacks]
    return tuple(name for name in can if made.fits(known[name].mining))


def _defaults(name: str) -> Any:
    return parse(_registry.find(name).Params, {})


def facts(name: str) -> dict[str, Any]:
    """Return the facts of a strategy, for GET /strategies."""
    made = strategy(name)
    summary = (type(made).__doc__ or "").strip().partition("\n")[0]
    tasks = _tasks(made)
    replays = tuple(task for task in tasks if not made.beyond_replays(task_type(task).mining))
    return asdict(StrategyFacts(name, summary, made.needs, made.asks_model, tasks, replays, json_schema(made.Params)))
