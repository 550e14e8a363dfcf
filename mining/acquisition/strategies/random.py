"""Uniform random choice: the baseline that every other strategy is compared with."""

import numpy as np

from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched


@register("random")
class Random(Strategy):
    """Every sample has the same chance."""

    uniform = True

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick the first `count` of a permutation."""
        rows = rng.permutation(len(pool))[:count]
        watch(len(rows), len(rows))
        return [Choice(int(row), None, "random") for row in rows]
