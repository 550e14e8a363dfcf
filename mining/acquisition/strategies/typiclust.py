"""TypiClust: the most typical sample of every cluster without a label (Hacohen et al., ICML 2022)."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.clusters import assigned, centres_of
from acquisition.kernels.points import together
from acquisition.kernels.settings import Work
from acquisition.kernels.typical import typical
from acquisition.pool import Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TypiClustParams(Work):
    """How clusters are made and typical samples found."""

    unit: bool = True
    """Scale every embedding to length 1 first, so that only directions are compared."""
    max_clusters: Annotated[int, Field(ge=1, le=10_000)] = 500
    """Most clusters: there are as many as labels and picks together, up to this number (the paper's bound)."""
    neighbours: Annotated[int, Field(ge=1, le=1000)] = 20
    """Number of nearest neighbours that typicality is computed from."""
    sample: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000
    """Most samples to fit the clusters to, and most samples of a cluster to search neighbours among; drawn at
    random."""


@register("typiclust")
class TypiClust(Strategy):
    """The most typical sample of the largest cluster without a label; best with very few labels."""

    needs = ("embeddings",)
    Params = TypiClustParams
    params: TypiClustParams

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick cluster by cluster: fewest labels first, then the largest; in it the smallest mean distance to its
        neighbours."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        if not len(pool) or count <= 0:
            return []
        params = self.params
        memory = params.memory_mb
        points, labelled = together(pool.embeddings, pool.labelled, unit=params.unit, memory_mb=memory)
        sets = [points] if labelled is None else [points, labelled]
        many = min(sum(len(each) for each in sets[1:]) + min(count, len(pool)), params.max_clusters)
        centres = centres_of(sets, many, rng, sample=params.sample, memory_mb=memory)
        members = assigned(points, centres, memory)
        held = np.empty(0, dtype=np.intp) if labelled is None else assigned(labelled, centres, memory)
        picks = typical(
            points, members, held, count,
            neighbours=params.neighbours, limit=params.sample, rng=rng, memory_mb=memory, watch=watch,
        )  # fmt: skip
        sizes = np.bincount(members)
        return [
            Choice(
                row,
                value,
                _reason(value, int(sizes[cluster])),
                {"typicality": value, "cluster_size": float(sizes[cluster])},
            )
            for row, cluster, value in picks
        ]


def _reason(value: float, size: int) -> str:
    if size == 1:
        return "alone in its cluster"
    near = 1 / value if value else np.inf
    return f"the most typical left of a cluster of {size:,}: {near:.3g} from its neighbours on average"
