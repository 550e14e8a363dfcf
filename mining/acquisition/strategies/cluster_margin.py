"""Cluster-Margin: uncertain samples, spread over clusters (Citovsky et al., NeurIPS 2021)."""

from collections import deque
from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.kernels.clusters import assigned, centres_of
from acquisition.kernels.points import together
from acquisition.kernels.settings import Work
from acquisition.pool import Indices, Pool
from acquisition.registry import Choice, NoParams, Strategy, Watch, highest, register, unwatched
from acquisition.strategies.margin import Margin
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ClusterMarginParams(Work):
    """How clusters are made, and how many uncertain samples the picks come from."""

    unit: bool = True
    """Scale every embedding to length 1 first, so that only directions are compared."""
    clusters: Annotated[int, Field(ge=1, le=10_000)] = 200
    """Number of clusters of the pool, by k-means."""
    candidates: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of candidates, those with the lowest margins, as a multiple of the batch."""
    sample: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000
    """Most samples to fit the clusters to, drawn at random."""


@register("cluster_margin")
class ClusterMargin(Strategy):
    """The most uncertain samples, taken in turn from each of their clusters; for batches of hundreds and more."""

    needs = ("probabilities", "embeddings")
    Params = ClusterMarginParams
    params: ClusterMarginParams

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick in turn from the candidates' clusters, the smallest first; in each the lowest margin first.

        The paper clusters by average linkage, whose cost is quadratic; this uses k-means.
        """
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        if not len(pool) or count <= 0:
            return []
        params = self.params
        points, _ = together(pool.embeddings, None, unit=params.unit, memory_mb=params.memory_mb)
        centres = centres_of([points], params.clusters, rng, sample=params.sample, memory_mb=params.memory_mb)
        scores = Margin(NoParams()).scores(pool.probabilities)
        candidates = highest(scores, params.candidates * min(count, len(pool)))
        members = assigned(points, centres, params.memory_mb)[candidates]
        watch(0, count)
        picks = in_turn(members, count)
        sizes = np.bincount(members)
        watch(len(picks), count)
        return [_choice(int(candidates[at]), float(scores[candidates[at]]), int(sizes[members[at]])) for at in picks]


def _choice(row: int, margin: float, size: int) -> Choice:
    reason = f"margin uncertainty {margin:.2f}, in its turn from a cluster with {size:,} uncertain samples"
    return Choice(row, margin, reason, {"margin": margin, "cluster_candidates": float(size)})


def in_turn(members: Indices, count: int) -> list[int]:
    """Return places in `members` (C,), the candidates' clusters: one from each cluster in turn, the smaller (then the
    lower) first."""
    sizes = np.bincount(members)
    queues = [
        deque(np.flatnonzero(members == cluster).tolist())
        for cluster in np.argsort(sizes, kind="stable")
        if sizes[cluster]
    ]
    picks: list[int] = []
    while queues and len(picks) < count:
        picks += [queue.popleft() for queue in queues]
        queues = [queue for queue in queues if queue]
    return picks[:count]
