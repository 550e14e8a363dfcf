"""The order in which candidates are considered: by one number each, or as a strategy picks them in sequence."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acquisition.composition import Objective
from acquisition.objectives import factor
from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import Choice, ScoreStrategy, Strategy, Watch, highest

OVERSAMPLING = 4
"""How many times the wanted picks a strategy that picks in sequence must propose, when objectives choose among them."""


@dataclass(frozen=True)
class Column:
    """One term over all candidates: its values (N,) and their contributions to the product (N,)."""

    name: str
    strength: float
    values: Floats
    contributions: Floats


class Ranking(ABC):
    """A strategy over a pool in the order drawn by the seed, with the product of the objectives."""

    def __init__(self, chosen: Strategy, pool: Pool, objectives: Sequence[Objective]) -> None:
        self.chosen, self.pool = chosen, pool
        self.factors = [
            Column(one.name, one.strength, values := factor(pool, one), values**one.strength) for one in objectives
        ]
        self.weight: Floats = np.ones(len(pool))
        for column in self.factors:
            self.weight = self.weight * column.contributions

    @abstractmethod
    def first(self, rows: Indices, want: int, picked: Sequence[int]) -> Indices:
        """Return some of `rows` (ascending), best first: at least `want` of them, or all. `picked` are in the batch
        already."""

    @abstractmethod
    def choice(self, row: int) -> Choice:
        """Return the score (objectives included), the reason and the terms of a row that `first` has returned."""

    @property
    def preference(self) -> Floats:
        """Which of the samples (N,) with the same bytes goes first: the highest."""
        return self.weight

    @property
    def columns(self) -> Sequence[Column]:
        """The terms that are known for every candidate."""
        return self.factors

    def named(self, row: int) -> "Named | None":  # noqa: ARG002 - known of what picks in sequence
        """Return the proposal of this row by a strategy that picks in sequence; None otherwise."""
        return None


@dataclass(frozen=True, slots=True)
class Named:
    """A row that a strategy has proposed: its score at the last proposal, that score's contribution to the product, and
    its place among all different rows proposed (from 1)."""

    value: float
    contribution: float
    place: int


class Scored(Ranking):
    """A ranking by one number per candidate, whatever else is picked: the order never changes."""

    chosen: ScoreStrategy

    def __init__(self, chosen: ScoreStrategy, pool: Pool, objectives: Sequence[Objective], watch: Watch) -> None:
        super().__init__(chosen, pool, objectives)
        self.values = chosen.scored(pool, watch=watch) if len(pool) else np.empty(0)
        self.base = raised(self.values) if self.factors else self.values
        self.final = self.base * self.weight if self.factors else self.base
        self._asked = 0

    @property
    def preference(self) -> Floats:
        """The products."""
        return self.final

    @property
    def columns(self) -> Sequence[Column]:
        """The strategy's own scores, then the objectives."""
        return [Column(self.chosen.name, 1.0, self.values, self.base), *self.factors]

    def first(self, rows: Indices, want: int, picked: Sequence[int]) -> Indices:  # noqa: ARG002 - the contract's
        """Return the rows with the highest products, twice as many at each call, so that few calls go through the whole
        pool."""
        self._asked = max(want, 2 * self._asked)
        return rows[highest(self.final[rows], self._asked)]

    def choice(self, row: int) -> Choice:
        """Return the product as the score, with the strategy's own reason."""
        terms = {self.chosen.name: float(self.values[row])}
        return Choice(row, float(self.final[row]), self.chosen.words(self.pool, row), terms)


class Sequential(Ranking):
    """A strategy whose next pick depends on those before it: it runs again over the remaining pool, with the batch so
    far among the labelled samples.

    With objectives it must propose OVERSAMPLING times the wanted number, and its proposals are sorted by score x
    product: objectives choose among the proposals, and do not look beyond.
    """

    def __init__(
        self, chosen: Strategy, pool: Pool, objectives: Sequence[Objective], rng: np.random.Generator, watch: Watch
    ) -> None:
        super().__init__(chosen, pool, objectives)
        self._rng, self._watch = rng, watch
        self._choices: dict[int, Choice] = {}
        self._named: dict[int, Named] = {}

    def first(self, rows: Indices, want: int, picked: Sequence[int]) -> Indices:
        """Return the strategy's picks among the rows."""
        asked = min(len(rows), want * OVERSAMPLING if self.factors else want)
        pool = _with_picked(self.pool, picked)
        pool = pool if len(rows) == len(pool) else pool.take(rows)
        choices = self.chosen.select(pool, asked, self._rng, watch=self._watch)
        named = rows[[choice.row for choice in choices]]
        scores = np.array([1.0 if choice.score is None else choice.score for choice in choices])
        base = raised(scores) if self.factors else scores
        finals = base * self.weight[named] if self.factors else base
        for at, (row, choice) in enumerate(zip(named.tolist(), choices, strict=True)):
            score = float(finals[at]) if self.factors or choice.score is not None else None
            self._choices[row] = Choice(row, score, choice.reason, choice.terms)
            if choice.score is not None:
                before = self._named.get(row)
                place = before.place if before else len(self._named) + 1
                self._named[row] = Named(choice.score, float(base[at]), place)
        return named[np.argsort(-finals, kind="stable")] if self.factors else named

    def choice(self, row: int) -> Choice:
        """Return the strategy's choice at its last proposal of the row."""
        return self._choices[row]

    def named(self, row: int) -> Named | None:
        """Return the score and place of the row's proposal; None for a strategy without scores."""
        return self._named.get(row)


def raised(scores: Floats) -> Floats:
    """Return scores that can be multiplied: if some are negative, subtract the lowest."""
    low = float(scores.min()) if len(scores) else 0.0
    lifted: Floats = scores - low if low < 0 else scores
    return lifted


def _with_picked(pool: Pool, picked: Sequence[int]) -> Pool:
    """Return the pool with the batch so far added to the labelled samples, each pick with the class that the model
    predicts."""
    rows = np.array(picked, np.intp)
    if not len(rows):
        return pool
    pool = replace(pool, picked_ids=pool.ids[rows])
    if pool.embeddings is None:
        return pool
    changes: dict[str, Any] = dict.fromkeys(("labelled_classes", "labelled_ids", "labelled_groups", "labelled_times"))
    known = pool.embeddings[:0] if pool.labelled is None else pool.labelled
    changes["labelled"] = np.concatenate([known, pool.embeddings[rows]])
    if pool.labelled_classes is not None and pool.probabilities is not None:
        predicted = pool.probabilities[rows].argmax(axis=1)
        changes["labelled_classes"] = np.concatenate([pool.labelled_classes, predicted])
    return replace(pool, **changes)
