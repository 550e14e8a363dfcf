"""A batch from a pool: a control arm of random picks, then the strategy's own, each with its inclusion probability."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, strategy


@dataclass(frozen=True, slots=True)
class Pick:
    """One pick of a batch.

    `rank` counts from 1. `control` marks the random arm. `probability` is the chance that a sample of this pool had
    of coming into the batch this way: c / N for the control arm's c picks of N, 1 for the deterministic choice.
    """

    id: Any
    rank: int
    score: float | None
    reason: str
    control: bool
    probability: float
    terms: dict[str, float] = field(default_factory=dict)


def compose(
    pool: Pool,
    name: str,
    *,
    count: int,
    seed: int,
    control: float = 0.0,
    params: Mapping[str, Any] | None = None,
) -> list[Pick]:
    """Pick `count` samples (all, when the pool is smaller): round(count x control) at random, the rest by strategy.

    The control arm is drawn first and from the whole pool, so that it is a fair sample of it: it measures the lift of
    the strategy and an unbiased accuracy. The result depends on (pool, strategy, params, count, control, seed) alone,
    not on the order of the rows. Raises PoolError, ConfigError.
    """
    chosen = strategy(name, params)
    pool = pool.by_id()
    chosen.check(pool)
    rng = np.random.default_rng(seed)
    count = min(count, len(pool))
    fair = 0 if chosen.uniform else round(count * control)
    drawn = rng.permutation(len(pool))[:fair]
    rest = np.setdiff1d(np.arange(len(pool)), drawn)
    choices = chosen.select(pool.take(rest), count - fair, rng)
    picks = [_pick(pool, int(rest[choice.row]), choice, _chance(chosen, count, pool)) for choice in choices]
    random_arm = Choice(0, None, "random: the control arm, a fair sample of the pool")
    picks += [_pick(pool, int(row), random_arm, fair / len(pool), control=True) for row in np.sort(drawn)]
    return [_ranked(pick, rank) for rank, pick in enumerate(picks, start=1)]


def _chance(chosen: Strategy, count: int, pool: Pool) -> float:
    return count / len(pool) if chosen.uniform else 1.0


def _pick(pool: Pool, row: int, choice: Choice, probability: float, *, control: bool = False) -> Pick:
    return Pick(pool.ids[row].item(), 0, choice.score, choice.reason, control, probability, choice.terms)


def _ranked(pick: Pick, rank: int) -> Pick:
    return Pick(pick.id, rank, pick.score, pick.reason, pick.control, pick.probability, pick.terms)
