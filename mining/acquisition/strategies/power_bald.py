"""PowerBALD: BALD's scores drawn from instead of ranked, so that a batch is not many copies of one doubt."""

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
    """How near to BALD itself."""

    beta: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """Samples are drawn in proportion to BALD ** beta: small is near to uniform, large near to the highest scores."""


@register("power_bald")
class PowerBald(Strategy):
    """Drawn in proportion to a power of BALD (Kirsch et al. 2021): as cheap as BALD, with fewer near-copies."""

    needs = ("members",)
    Params = PowerBaldParams
    params: PowerBaldParams

    def check(self, pool: Pool) -> None:
        """As every strategy's; and a committee must have somebody in it."""
        super().check(pool)
        check_members(pool)

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """The highest of log BALD + Gumbel(0, 1 / beta): draws without replacement (Gumbel top-k). Samples of which the
        members agree wholly come last."""
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
