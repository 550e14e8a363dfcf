"""BatchBALD: the batch whose labels together give the most information about the model (Kirsch, van Amersfoort and Gal
2019)."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.blocks import by_blocks
from acquisition.committee import check_members, opinions
from acquisition.joint import Posterior
from acquisition.pool import Floats, Pool
from acquisition.registry import Choice, Strategy, Watch, register, unwatched
from acquisition.uncertainty import disagreement
from worker_programs.config import STRICT

SLACK = 1e-9
"""Gains whose difference is smaller count as equal: the lower row wins."""
AT_ONCE = 256
"""Candidates whose gains are computed together."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class BatchBaldParams:
    """How exactly the joint information is computed, and at which cost."""

    joint: Annotated[int, Field(ge=1, le=50)] = 50
    """Number of picks to choose jointly. A larger batch is made of several such groups, each ignoring those before it:
    this many labels already tell everything about a committee, and the gains of more are noise. Prefer `power_bald` for
    larger batches."""
    configurations: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Most combinations of a batch's labels to follow: exact up to this number, a sample beyond."""


@register("batch_bald")
class BatchBald(Strategy):
    """The batch whose labels together tell the most about the model, without near-copies; up to 50 picks jointly."""

    needs = ("members",)
    Params = BatchBaldParams
    params: BatchBaldParams

    def check(self, pool: Pool) -> None:
        """Check the pool as every strategy does, and that the committee has members."""
        super().check(pool)
        check_members(pool)

    def select(self, pool: Pool, count: int, rng: np.random.Generator, *, watch: Watch = unwatched) -> list[Choice]:
        """Pick greedily: each pick adds the most information to the labels of those before it."""
        assert pool.members is not None  # noqa: S101 - check() has seen to it
        count = min(count, len(pool))
        bald = by_blocks(_bald, pool.members, between=lambda: watch(0, count))
        picks: list[tuple[int, float]] = []
        bounds = bald.copy()
        while len(picks) < count:
            if len(picks) % self.params.joint == 0:
                posterior = Posterior(pool.members.shape[1], most=self.params.configurations, rng=rng)
                bounds = bald.copy()
                bounds[[row for row, _ in picks]] = -np.inf
            row = most_telling(pool.members, bounds, posterior)
            picks.append((row, float(bounds[row])))
            posterior.add(pool.members[row].astype(np.float64))
            bounds[row] = -np.inf
            watch(len(picks), count)
        return [
            Choice(
                row,
                gain,
                f"{opinions(pool, row)}; its label adds {gain:.3g} nats to what the picks before it tell",
                {"gain": gain, "bald": float(bald[row])},
            )
            for row, gain in picks
        ]


def _bald(members: Floats) -> Floats:
    # In double precision, like the gains that it bounds.
    return disagreement(members.astype(np.float64))


def most_telling(members: Floats, bounds: Floats, posterior: Posterior) -> int:
    """Return the row with the highest gain, of equal ones the lowest; `bounds` (N,) are updated for the rows examined.

    Information only shrinks as a batch grows (it is submodular), so old gains bound new ones: candidates are examined
    in the order of their bounds until the next bound is below the best gain (Minoux 1978). Exact while the posterior
    is.
    """
    order = np.argsort(-bounds, kind="stable")
    best = -np.inf
    fresh: list[int] = []
    for at in range(0, len(order), AT_ONCE):
        rows = order[at : at + AT_ONCE]
        rows = rows[bounds[rows] >= max(best - SLACK, 0.0)]
        if not len(rows):
            break
        bounds[rows] = posterior.gains(members[rows].astype(np.float64))
        fresh += rows.tolist()
        best = max(best, float(bounds[rows].max()))
    looked = np.sort(np.array(fresh, dtype=np.intp))
    return int(looked[np.argmax(bounds[looked] >= best - SLACK)])
