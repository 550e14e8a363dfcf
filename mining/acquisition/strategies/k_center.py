"""k-center greedy (core-set, Sener and Savarese 2018), exact, by lazy blocks of matrix products."""

from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.neighbours import squared_distances
from acquisition.pool import Floats, Pool
from acquisition.registry import Choice, Strategy, Watch, highest, register, unwatched
from programs.config import STRICT

ROWS_AT_ONCE = 65_536


@dataclass(frozen=True, kw_only=True, config=STRICT)
class KCenterParams:
    """How the work is cut; the picks do not depend on it."""

    block: Annotated[int, Field(ge=1, le=4096)] = 256
    """Candidates that are compared with one another at a time."""


@register("k_center")
class KCenter(Strategy):
    """The sample farthest from all that is labelled or picked."""

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
        """Greedy: each pick is the farthest from the labelled and the picks before it."""
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        picks = farthest(pool.embeddings.astype(np.float32), pool.labelled, count, block=self.params.block, watch=watch)
        return [
            Choice(row, distance, f"{distance:.2f} away from all that is labelled or picked", {"distance": distance})
            for row, distance in picks
        ]


def farthest(
    points: Floats, centres: Floats | None, count: int, *, block: int, watch: Watch = unwatched
) -> list[tuple[int, float]]:
    """(row, distance to the nearest centre) of `count` greedy picks of `points` (N, D); ties go to the lower row.

    Distances only shrink, so they are upper bounds: among the `block` largest, a pick that still beats the largest
    distance outside the block beats everything. All pending picks are then applied by one matrix product.
    Without `centres` the first pick is the point farthest from the mean.
    """
    count = min(count, len(points))
    start = points.mean(axis=0, keepdims=True) if centres is None or not len(centres) else centres
    bounds = nearest_squared(points, start.astype(np.float32))
    picks: list[tuple[int, float]] = []
    while len(picks) < count:
        top = highest(bounds, block + 1)
        inside, outside = np.sort(top[:block]), bounds[top[block]] if len(top) > block else -np.inf
        found = _pick_inside(points[inside], bounds[inside], count - len(picks), floor=float(outside))
        picks += [(int(inside[row]), float(np.sqrt(squared))) for row, squared in found]
        new = inside[[row for row, _ in found]]
        bounds = np.minimum(bounds, nearest_squared(points, points[new]))
        bounds[new] = -np.inf
        watch(len(picks), count)
    return picks


def _pick_inside(points: Floats, bounds: Floats, count: int, *, floor: float) -> list[tuple[int, float]]:
    """Greedy picks inside a block, as long as no point outside (all at most `floor`) can win."""
    between = squared_distances(points, points)
    bounds = bounds.copy()
    found: list[tuple[int, float]] = []
    while len(found) < count:
        row = int(bounds.argmax())
        if bounds[row] == -np.inf or (found and bounds[row] <= floor):
            break
        found.append((row, float(bounds[row])))
        bounds = np.minimum(bounds, between[row])
        bounds[[taken for taken, _ in found]] = -np.inf
    return found


def nearest_squared(points: Floats, centres: Floats) -> Floats:
    """(N,) squared distance of each point to its nearest centre, in slices of bounded memory."""
    return np.concatenate(
        [
            squared_distances(points[at : at + ROWS_AT_ONCE], centres).min(axis=1)
            for at in range(0, len(points), ROWS_AT_ONCE)
        ]
        or [np.empty(0)]
    )
