"""k-means++ draws (Arthur and Vassilvitskii 2007) by rejection from outdated distances: the same distribution, fewer
passes."""

from dataclasses import dataclass, field

import numpy as np

from acquisition.kernels.gradients import Gradients
from acquisition.pool import Floats, Indices
from acquisition.registry import Watch

PENDING = 256
"""Most new centres before all distances are updated."""
DRAWS = 32
"""Draws to compare with the centres in one product."""
PATIENCE = 8
"""Draws before the share of accepted ones is checked."""


@dataclass(slots=True)
class _Seeding:
    """The state of the draws: `weights` (N,) are upper bounds of every point's squared distance to its nearest
    centre."""

    space: Gradients
    weights: Floats
    rng: np.random.Generator
    centres: list[int] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    """Squared distance of each centre to the nearest earlier one when it was drawn."""

    def take(self, row: int, distance: float) -> None:
        """Make a row a centre; it cannot be drawn again."""
        self.centres.append(row)
        self.distances.append(distance)

    def drawn(self, count: int) -> int:
        """Draw and accept until the weights are too outdated or there are `count` centres; return how many were
        accepted.

        A draw has probability w / sum w and is accepted with probability D^2 / w, so an accepted one has the
        probability D^2 / sum D^2, whatever the weights are.
        """
        totals = np.cumsum(self.weights)
        asked = accepted = 0
        while totals[-1] > 0:
            rows = np.searchsorted(totals, self.rng.random(DRAWS) * totals[-1], side="right")
            rows = np.minimum(rows, int(np.flatnonzero(self.weights)[-1]))
            coins = self.rng.random(DRAWS)
            truth = self.space.distances(rows, np.array(self.centres)).min(axis=1)
            among = self.space.distances(rows, rows)
            for draw, row in enumerate(rows):
                asked += 1
                if coins[draw] * self.weights[row] < truth[draw]:
                    accepted += 1
                    self.take(int(row), float(truth[draw]))
                    np.minimum(truth, among[draw], out=truth)
                if len(self.centres) == count or accepted == PENDING or (asked >= PATIENCE and 2 * accepted < asked):
                    return accepted
        return accepted

    def refresh(self, new: list[int]) -> None:
        """Update all weights with new centres."""
        np.minimum(self.weights, self.space.upper_bounds(np.array(new)), out=self.weights)
        self.weights[new] = 0.0

    def settle(self) -> None:
        """Replace all weights by the exact squared distances, so that the next draw is accepted if any can be."""
        for at in range(0, len(self.weights), PENDING):
            rows = np.arange(at, min(at + PENDING, len(self.weights)))
            self.weights[rows] = self.space.distances(rows, np.array(self.centres)).min(axis=1)
        self.weights[self.centres] = 0.0


def seeded(space: Gradients, count: int, rng: np.random.Generator, *, watch: Watch) -> tuple[Indices, Floats]:
    """Return the rows of `count` k-means++ draws in order, and their distances to the nearest one drawn before.

    The first is the longest (BADGE's own rule), with its length as the distance. When every other point coincides with
    a drawn one, the lowest rows follow, at distance 0. Memory: 16 bytes a point and slices of fixed size.
    """
    count = min(count, len(space))
    if not count:
        return np.empty(0, dtype=np.intp), np.empty(0)
    state = _Seeding(space, np.full(len(space), np.inf), rng)
    first = int(space.squares.argmax())
    state.take(first, float(space.squares[first]))
    state.refresh([first])
    while len(state.centres) < count:
        accepted = state.drawn(count)
        watch(len(state.centres), count)
        if len(state.centres) == count:
            break
        if accepted:
            state.refresh(state.centres[-accepted:])
        else:
            state.settle()
            if not state.weights.any():
                break
    rest = np.setdiff1d(np.arange(len(space)), state.centres)[: count - len(state.centres)]
    rows = np.concatenate([np.array(state.centres, dtype=np.intp), rest])
    return rows, np.sqrt(np.concatenate([state.distances, np.zeros(len(rest))]))
