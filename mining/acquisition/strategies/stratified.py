"""Stratified random choice: as fair as `random`, and each stratum comes in proportion to its size."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass

from acquisition.pool import Indices, Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from worker_programs.config import STRICT

FIELDS = {"predicted": "probabilities", "source": "sources", "group": "groups"}


@dataclass(frozen=True, kw_only=True, config=STRICT)
class StratifiedParams:
    """What defines the strata."""

    by: Literal["predicted", "source", "group"] = "predicted"
    """The predicted class, the source, or the drive or scene (`group`) of a sample."""


@register("stratified")
class Stratified(Strategy):
    """Every sample has the same chance, and every class, source or drive its share of the picks."""

    uniform = True
    Params = StratifiedParams
    params: StratifiedParams

    def __init__(self, params: StratifiedParams) -> None:
        super().__init__(params)
        self.needs = (FIELDS[params.by],)

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Draw a systematic sample of the pool in the order of its strata, shuffled within each."""
        strata = self._strata(pool)
        rows = rng.permutation(systematic(strata, count, rng))
        watch(len(rows), len(rows))
        sizes = dict(zip(*np.unique(strata, return_counts=True), strict=True))
        return [Choice(int(row), None, self._reason(pool, strata[row], sizes[strata[row]])) for row in rows]

    def _strata(self, pool: Pool) -> NDArray[Any]:
        values: NDArray[Any] = getattr(pool, self.needs[0])
        return values.argmax(axis=1) if self.params.by == "predicted" else values

    def _reason(self, pool: Pool, stratum: Any, size: int) -> str:
        name = pool.class_name(int(stratum)) if self.params.by == "predicted" else stratum
        return f"random, one of {size} of {self.params.by} {name}"


def systematic(strata: NDArray[Any], count: int, rng: np.random.Generator) -> Indices:
    """Return `count` of N rows, every row with the same chance count / N (Madow and Madow 1944): with a random
    start, each N/count-th of the rows ordered by stratum. A stratum of n rows gives count n / N of them, rounded up
    or down."""
    shuffled = rng.permutation(len(strata))
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    count = min(count, len(strata))
    if count <= 0:
        return ordered[:0]
    # In whole numbers: a start among N, steps of N in a circle of N x count, so that no rounding repeats a row.
    places = (int(rng.integers(len(strata))) + np.arange(count) * len(strata)) // count
    chosen: Indices = ordered[places]
    return chosen
