"""ProbCover: as many samples as possible within a small distance of a label (Yehuda et al., NeurIPS 2022)."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.clusters import centres_of
from acquisition.kernels.coverage import Covering, ball, covering
from acquisition.kernels.points import together
from acquisition.kernels.radius import pure
from acquisition.kernels.settings import Work
from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from acquisition.strategies.max_herding import drawn
from worker_programs.config import STRICT

SAMPLE = 20_000
"""Most points to fit the clusters to, where the radius is not set."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ProbCoverParams(Work):
    """How large a ball is, and how much of the pool represents it."""

    unit: bool = True
    """Scale every embedding to length 1 first, so that only directions are compared."""
    radius: Annotated[float, Field(gt=0)] | None = None
    """Radius of the ball that a label covers; null: the largest at which a share `purity` of the balls holds only one
    cluster."""
    purity: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Least share of the balls that hold only one cluster, to determine the radius."""
    clusters: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Number of clusters that stand for classes to determine the radius; null: as many as the pool has classes, or
    10."""
    reference: Annotated[int, Field(ge=1, le=100_000)] = 5000
    """Number of samples that represent the pool, drawn at random. The error of the covered share is more than sqrt(ln
    40 / (2 reference)) = 0.019 with a probability of at most 5 % (Hoeffding); with the whole pool there is none."""
    candidates: Annotated[int, Field(ge=1, le=1_000_000)] = 50_000
    """Number of samples that may be picked, drawn at random; at least 10 times the batch. With the whole pool the
    choice is exact."""


@register("probcover")
class ProbCover(Strategy):
    """The sample whose ball holds the most samples that are in no label's ball yet."""

    needs = ("embeddings",)
    Params = ProbCoverParams
    params: ProbCoverParams

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick by greedy maximum coverage; when nothing is left to cover, by the lower row."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        if not len(pool) or count <= 0:
            return []
        params = self.params
        points, labelled = together(pool.embeddings, pool.labelled, unit=params.unit, memory_mb=params.memory_mb)
        radius = params.radius
        if radius is None:
            clusters = params.clusters or (len(pool.classes) if len(pool.classes) > 1 else 10)
            centres = centres_of([points], clusters, rng, sample=SAMPLE, memory_mb=params.memory_mb)
            radius = pure(points, centres, rng, purity=params.purity, memory_mb=params.memory_mb)
        rows = drawn(points, params.reference, rng)
        able = drawn(points, max(params.candidates, 10 * count), rng)
        cover = Covering(points.whole(rows), np.ones(len(rows)), points.whole(able), ball(radius), points.grid.step)
        picks = covering(cover, labelled, count, memory_mb=params.memory_mb, watch=watch)
        shares = [(int(able[at]), gain / len(rows)) for at, gain in picks]
        return [
            Choice(row, share, _reason(share, radius), {"covered": share, "radius": radius}) for row, share in shares
        ]


def _reason(share: float, radius: float) -> str:
    if not share:
        return f"nothing is left that is not within {radius:.3g} of a label"
    return f"{100 * share:.2g} % of the pool are within {radius:.3g} of it and of no label yet"
