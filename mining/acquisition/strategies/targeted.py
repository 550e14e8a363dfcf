"""Find more like these: similarity to chosen samples, less similarity to others."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.blocks import by_blocks
from acquisition.pool import Floats, Pool, PoolError
from acquisition.registry import ScoreStrategy, Watch, register, unwatched
from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TargetedParams:
    """How much similarity to unwanted samples counts."""

    penalty: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Weight of the similarity to unwanted samples."""


@register("targeted")
class Targeted(ScoreStrategy):
    """Samples like the wanted ones (validation failures, hand-picked frames) and unlike the unwanted."""

    needs = ("embeddings", "wanted")
    Params = TargetedParams
    params: TargetedParams

    def check(self, pool: Pool) -> None:
        """Check the pool as every strategy does, and that there are wanted samples with embeddings of the same
        width."""
        super().check(pool)
        if pool.wanted is None or not len(pool.wanted):
            raise PoolError("wanted: choose at least one sample to find more of")
        for name, samples in (("wanted", pool.wanted), ("unwanted", pool.unwanted)):
            if samples is not None and pool.embeddings is not None and samples.shape[1] != pool.embeddings.shape[1]:
                raise PoolError(
                    f"{name}: {samples.shape[1]} numbers a sample, embeddings have {pool.embeddings.shape[1]}"
                )

    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """Score max_w cos(x, w) - penalty max_u cos(x, u); the second term is left out where nothing is unwanted."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        assert pool.wanted is not None  # noqa: S101 - check() has seen to it
        wanted, unwanted = directions(pool.wanted), None
        if pool.unwanted is not None and len(pool.unwanted):
            unwanted = directions(pool.unwanted)

        def score(rows: Floats) -> Floats:
            points = directions(rows)
            found: Floats = (points @ wanted.T).max(axis=1)
            if unwanted is not None:
                found -= self.params.penalty * (points @ unwanted.T).max(axis=1)
            # A matrix product may differ in its last bits from row to row: equal rows must stay equal.
            return np.round(found, 9)

        width = max(len(wanted), 0 if unwanted is None else len(unwanted))
        return by_blocks(score, pool.embeddings, width=width, between=lambda: watch(0, len(pool)))

    def reason(self, pool: Pool, row: int) -> str:
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        point = directions(pool.embeddings[row][None])
        words = []
        for name, samples, keys in (
            ("wanted", pool.wanted, pool.wanted_keys),
            ("unwanted", pool.unwanted, pool.unwanted_keys),
        ):
            if samples is not None and len(samples):
                cosines = (point @ directions(samples).T)[0]
                nearest = int(cosines.argmax())
                which = nearest + 1 if keys is None else keys[nearest]
                words.append(f"cosine {cosines.max():.2f} to {name} sample {which}")
        return ", ".join(words)


def directions(vectors: Floats) -> Floats:
    """Scale (N, D) to length 1 in double precision; a vector of zeros stays 0, and is similar to nothing."""
    double = vectors.astype(np.float64)
    lengths = np.sqrt(np.vecdot(double, double))[:, None]
    unit: Floats = np.divide(double, lengths, where=lengths > 0, out=np.zeros_like(double))
    return unit
