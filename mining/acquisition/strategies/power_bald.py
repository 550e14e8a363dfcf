"""PowerBALD: samples drawn by BALD's scores instead of ranked, so that a batch is not many copies of one uncertain
sample."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.blocks import by_blocks
from acquisition.committee import check_members, opinions
from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, highest, register, unwatched
from acquisition.uncertainty import TINY, disagreement
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PowerBaldParams:
    """How closely the draws follow BALD's ranking."""

    beta: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """Samples are drawn in proportion to BALD ** beta: near uniform if small, near the highest scores if large."""


@register("power_bald")
class PowerBald(Strategy):
    """Samples drawn in proportion to a power of BALD (Kirsch et al. 2021): as cheap as BALD, with fewer near-copies."""

    needs = ("members",)
    Params = PowerBaldParams
    params: PowerBaldParams

    def check(self, pool: Pool) -> None:
        """Check the pool as every strategy does, and that the committee has members."""
        super().check(pool)
        check_members(pool)

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Take the highest of log BALD + Gumbel(0, 1 / beta): draws without replacement (Gumbel top-k). Samples on
        which the members fully agree come last."""
        assert pool.members is not None  # noqa: S101 - check() has seen to it
        bald = by_blocks(disagreement, pool.members, between=lambda: watch(0, count))
        logs = np.log(np.maximum(bald, TINY))
        noise = rng.gumbel(scale=1 / self.params.beta, size=len(pool))
        scores = logs + noise
        rows = highest(scores, count)
        watch(len(rows), len(rows))
        return [
            Choice(
                int(row),
                float(scores[row]),
                f"{opinions(pool, int(row))}; drawn by chance in proportion to BALD {bald[row]:.3g}",
                {"log_bald": float(logs[row]), "gumbel": float(noise[row])},
            )
            for row in rows
        ]
