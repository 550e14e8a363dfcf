"""Explain each pick of a batch: the terms that multiply to its score, its rank in each, and the candidate it
replaced."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from acquisition.assembly import OPEN, Assembly
from acquisition.pool import Indices
from acquisition.rankings import Column, Ranking, Scored
from acquisition.registry import Choice


class Explainer:
    """Explains the picks of an assembly that is full, or has no candidates left. `candidates` are those that could be
    picked at all."""

    def __init__(self, assembly: Assembly, ranking: Ranking, candidates: Indices) -> None:
        self._assembly, self._ranking, self._candidates = assembly, ranking, candidates
        self._sorted = {column.name: np.sort(column.values[candidates]) for column in ranking.columns}

    def of(self, choice: Choice, place: int, *, quota: dict[str, Any] | None, control: bool) -> dict[str, Any]:
        """Return the explanation of the pick at `place` of the assembly (see `acquisition.batch.Pick`)."""
        terms = [*self._strategy_term(choice, control=control), *(self._term(c, choice.row) for c in self._columns)]
        product = float(np.prod([term["contribution"] for term in terms])) if terms else None
        return {
            "terms": terms,
            "product": product,
            "quota": quota,
            "displaced": self._displaced(choice, place, quota, control=control),
        }

    @property
    def _columns(self) -> Sequence[Column]:
        return self._ranking.columns

    def _term(self, column: Column, row: int) -> dict[str, Any]:
        value, of = float(column.values[row]), len(self._candidates)
        rank = of - int(np.searchsorted(self._sorted[column.name], column.values[row], side="right")) + 1
        contribution = float(column.contributions[row])
        return {
            "name": column.name,
            "value": value,
            "strength": column.strength,
            "contribution": contribution,
            "rank": rank,
            "of": of,
        }

    def _strategy_term(self, choice: Choice, *, control: bool) -> list[dict[str, Any]]:
        """Return, for a strategy that picks in sequence, its own score of the pick and the place in which it proposed
        it."""
        named = None if control else self._ranking.named(choice.row)
        if named is None:
            return []
        term = {"name": self._ranking.chosen.name, "value": named.value, "strength": 1.0}
        return [term | {"contribution": named.contribution, "rank": named.place, "of": len(self._candidates)}]

    def _displaced(
        self, choice: Choice, place: int, quota: dict[str, Any] | None, *, control: bool
    ) -> dict[str, Any] | None:
        rivals = [
            (self._ranking.choice(row).score, row, pair.words(choice.row, row))
            for row, pair in self._assembly.beaten.get(place, [])
        ]
        if self._runner_up is not None and not control:
            score = self._ranking.choice(self._runner_up).score
            rivals.append((score, self._runner_up, _next_words(choice.score, score, quota)))
        if not rivals:
            return None
        score, row, words = max(rivals, key=lambda rival: (-np.inf if rival[0] is None else rival[0], -rival[1]))
        return {"id": self._assembly.pool.ids[row].item(), "score": score, "reason": words}

    @cached_property
    def _runner_up(self) -> int | None:
        """The best candidate that might still have joined when the batch was full."""
        if not isinstance(self._ranking, Scored):
            return None
        while len(rows := self._assembly.open_rows()):
            best = self._ranking.first(rows, 1, ())
            self._assembly.settle(best)
            if len(left := best[self._assembly.state[best] == OPEN]):
                return int(left[0])
        return None


def _next_words(score: float | None, next_score: float | None, quota: dict[str, Any] | None) -> str:
    if quota is not None and score is not None and next_score is not None and next_score > score:
        kind, name = next(iter(quota.items()))
        return f"it scores higher, but at least {quota['min']} of {kind} {name} were asked for"
    return "it was next in the ranking when the batch was full"
