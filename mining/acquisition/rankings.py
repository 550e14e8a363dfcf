"""In which order candidates are looked at: by one number each, or as a strategy picks them in sequence."""

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
"""How many more than it needs a strategy that picks in sequence is asked for, when objectives choose among them."""


@dataclass(frozen=True)
class Column:
    """One term over all candidates: its values (N,) and what they contribute to the product (N,)."""

    name: str
    strength: float
    values: Floats
    contributions: Floats


class Ranking(ABC):
    """A strategy over a pool that is sorted by id, with the product of the objectives."""

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
        """Some of `rows` (by id), best first: at least `want` of them, or all. `picked` are in the batch already."""

    @abstractmethod
    def choice(self, row: int) -> Choice:
        """The score (objectives included), the reason and the terms of a row that `first` has named."""

    @property
    def columns(self) -> Sequence[Column]:
        """The terms that are known of every candidate."""
        return self.factors

    def named(self, row: int) -> "Named | None":  # noqa: ARG002 - known of what picks in sequence
        """What a strategy that picks in sequence said of a row."""
        return None


@dataclass(frozen=True, slots=True)
class Named:
    """A row that a strategy named: its score when it was named last, what that contributes to the product, and which of
    all different rows it was (from 1)."""

    value: float
    contribution: float
    place: int


class Scored(Ranking):
    """One number per candidate, whatever else is picked: asked again, the order is the same."""

    chosen: ScoreStrategy

    def __init__(self, chosen: ScoreStrategy, pool: Pool, objectives: Sequence[Objective], watch: Watch) -> None:
        super().__init__(chosen, pool, objectives)
        self.values = chosen.scored(pool, watch=watch) if len(pool) else np.empty(0)
        self.base = raised(self.values) if self.factors else self.values
        self.final = self.base * self.weight if self.factors else self.base
        self._asked = 0

    @property
    def columns(self) -> Sequence[Column]:
        """The strategy's own numbers, then the objectives."""
        return [Column(self.chosen.name, 1.0, self.values, self.base), *self.factors]

    def first(self, rows: Indices, want: int, picked: Sequence[int]) -> Indices:  # noqa: ARG002 - the contract's
        """The highest products. Each time twice as many, so that few askings go through the whole pool."""
        self._asked = max(want, 2 * self._asked)
        return rows[highest(self.final[rows], self._asked)]

    def choice(self, row: int) -> Choice:
        """The product, and the strategy's own words."""
        terms = {self.chosen.name: float(self.values[row])}
        return Choice(row, float(self.final[row]), self.chosen.words(self.pool, row), terms)


class Sequential(Ranking):
    """A strategy whose next pick depends on those before it: it is asked again over what is left of the pool, with the
    batch so far among the labelled samples.

    With objectives it is asked for OVERSAMPLING times what is wanted, and its answer is put in the order of
    score x product: they choose among what the strategy found, and do not look beyond.
    """

    def __init__(
        self, chosen: Strategy, pool: Pool, objectives: Sequence[Objective], rng: np.random.Generator, watch: Watch
    ) -> None:
        super().__init__(chosen, pool, objectives)
        self._rng, self._watch = rng, watch
        self._choices: dict[int, Choice] = {}
        self._named: dict[int, Named] = {}

    def first(self, rows: Indices, want: int, picked: Sequence[int]) -> Indices:
        """The strategy's own picks of the rows."""
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
        """What the strategy said when it named the row last."""
        return self._choices[row]

    def named(self, row: int) -> Named | None:
        """Its score and place then; None of a strategy without scores."""
        return self._named.get(row)


def raised(scores: Floats) -> Floats:
    """Scores that can be multiplied: where some are negative, how far each lies above the lowest."""
    low = float(scores.min()) if len(scores) else 0.0
    lifted: Floats = scores - low if low < 0 else scores
    return lifted


def _with_picked(pool: Pool, picked: Sequence[int]) -> Pool:
    """The pool as if the batch so far were labelled, each pick of the class the model predicts."""
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
