"""MaxHerding: greedy generalized coverage (Bae et al., ECCV 2024)."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.coverage import Covering, covering, gaussian
from acquisition.kernels.points import Points, together
from acquisition.kernels.radius import reach
from acquisition.kernels.settings import Work
from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class HerdingParams(Work):
    """Which distance to use, how far a label reaches, and how much of the pool represents it."""

    unit: bool = True
    """Scale every embedding to length 1 first, so that only directions are compared."""
    radius: Annotated[float, Field(gt=0)] | None = None
    """Radius of the Gaussian kernel exp(-d^2 / radius^2); null: the median distance between neighbouring labelled
    samples."""
    reference: Annotated[int, Field(ge=1, le=100_000)] = 5000
    """Number of samples that represent the pool, drawn at random. The error of each gain, as a share of their number,
    is more than sqrt(ln 40 / (2 reference)) = 0.019 with a probability of at most 5 % (Hoeffding); with the whole pool
    there is none."""
    candidates: Annotated[int, Field(ge=1, le=1_000_000)] = 50_000
    """Number of samples that may be picked, drawn at random; at least 10 times the batch. 50,000 samples include one of
    the best 0.01 % with a probability of 99 %; with the whole pool the choice is exact."""


@register("max_herding")
class MaxHerding(Strategy):
    """The sample most similar to those that no labelled or picked sample is similar to yet."""

    needs: tuple[str, ...] = ("embeddings",)
    Params = HerdingParams
    params: HerdingParams

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick greedily: each pick adds most to sum_x U(x) max(0, k(x, u) - max_s k(x, s))."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        if not len(pool) or count <= 0:
            return []
        params = self.params
        points, labelled = together(pool.embeddings, pool.labelled, unit=params.unit, memory_mb=params.memory_mb)
        radius = reach(points, labelled, rng) if params.radius is None else params.radius
        rows = drawn(points, params.reference, rng)
        able = drawn(points, max(params.candidates, 10 * count), rng)
        cover = Covering(
            points.whole(rows), self.worth(pool, rows), points.whole(able), gaussian(radius), points.grid.step
        )
        picks = covering(cover, labelled, count, memory_mb=params.memory_mb, watch=watch)
        shares = [(int(able[at]), gain / len(rows)) for at, gain in picks]
        return [Choice(row, share, _reason(share, radius), {"gain": share, "radius": radius}) for row, share in shares]

    def worth(self, pool: Pool, rows: Indices) -> Floats:  # noqa: ARG002 - of one that weighs by the pool
        """Return the weight (R,) of each reference sample: all equal."""
        return np.ones(len(rows))


def _reason(gain: float, radius: float) -> str:
    return f"covers {100 * gain:.2g} % more of the pool (images within {radius:.3g})"


def drawn(points: Points, count: int, rng: np.random.Generator) -> Indices:
    """Draw `count` rows of the pool at random, or take all, in order."""
    if len(points) <= count:
        return np.arange(len(points))
    return np.sort(rng.choice(len(points), count, replace=False))
