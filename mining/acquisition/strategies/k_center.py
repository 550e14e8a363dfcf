"""k-center greedy, also called core-set (Gonzalez 1985; Sener and Savarese, ICLR 2018)."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.farthest import Search, farthest
from acquisition.kernels.points import together
from acquisition.kernels.products import products_on
from acquisition.kernels.settings import DeviceWork
from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class KCenterParams(DeviceWork):
    """Which distance to use, and how to split the work."""

    unit: bool = False
    """Scale every embedding to length 1 first, so that only directions are compared."""
    block: Annotated[int, Field(ge=1, le=4096)] = 512
    """Number of candidates to compare with one another at a time; the picks do not depend on it."""


@register("k_center")
class KCenter(Strategy):
    """The sample farthest from all labelled and picked ones."""

    needs = ("embeddings",)
    Params = KCenterParams
    params: KCenterParams

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,
    ) -> list[Choice]:
        """Pick greedily: each pick is the farthest from the labelled samples and the picks before it."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        params = self.params
        products = products_on(params.device, params.memory_mb)
        points, labelled = together(pool.embeddings, pool.labelled, unit=params.unit, memory_mb=params.memory_mb)
        picks = farthest(Search(points, products, params.block, watch), labelled, count)
        return [
            Choice(row, distance, f"{distance:.2f} away from all that is labelled or picked", {"distance": distance})
            for row, distance in picks
        ]
