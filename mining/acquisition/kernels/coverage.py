"""Greedy coverage of a reference set under a kernel (facility location): exact, in bounded memory."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acquisition.kernels.grid import Whole, squared
from acquisition.kernels.points import MEGABYTE, Points
from acquisition.kernels.threads import one_thread, sliced
from acquisition.pool import Floats, Indices
from acquisition.registry import Watch

SIMILARITY = 2**20
"""Steps of a similarity from 0 to 1. Float32 holds them exactly."""
WORTH = 2**16
"""Steps of a weight from 0 to 1: 2^17 products of the two are added without error by float64."""
CELLS = 1 << 20
"""Approximate number of similarities in a block, so that it stays in the caches."""
COLUMNS = 1 << 10
"""Candidates whose gains are updated together."""

Kernel = Callable[[Whole], Floats]
"""Maps squared distances, in units of the points, to similarities in 0..1; it may change its argument."""


def gaussian(radius: float) -> Kernel:
    """Return the kernel exp(-d^2 / radius^2)."""

    def kernel(distances: Whole) -> Floats:
        distances *= -1 / (radius * radius)
        return np.exp(distances, out=distances)

    return kernel


def ball(radius: float) -> Kernel:
    """Return the kernel that is 1 up to and including `radius`, and 0 beyond."""
    return lambda distances: (distances <= radius * radius).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Covering:
    """The points to cover, and the candidates to cover them with.

    `reference` (R, D), in steps, with `weights` (R,) in 0..1; `candidates` (C, D), in steps; `kernel` gives the
    similarity of two points, and `step` is the grid's.
    """

    reference: Whole
    weights: Floats
    candidates: Whole
    kernel: Kernel
    step: float

    def similarities(self, left: Whole, right: Whole) -> NDArray[np.float32]:
        """Return the similarities (n, m) of (n, D) and (m, D), in steps of 1 / SIMILARITY."""
        distances = squared(left, right)
        distances *= self.step * self.step
        similar = self.kernel(distances)
        similar *= SIMILARITY
        return np.rint(similar, out=similar).astype(np.float32)

    def covered_by(self, points: Points | None) -> NDArray[np.float32]:
        """Return the similarity (R,) of each reference point to the most similar of these points."""
        covered = np.zeros(len(self.reference), np.float32)
        if points is None:
            return covered
        size = max(1, CELLS // len(self.reference))
        for at in range(0, len(points), size):
            similar = self.similarities(points.whole(slice(at, at + size)), self.reference)
            np.maximum(covered, similar.max(axis=0), out=covered)
        return covered


def covering(
    cover: Covering, labelled: Points | None, count: int, *, memory_mb: float, watch: Watch
) -> list[tuple[int, float]]:
    """Return (candidate, gain) of `count` greedy picks: each adds most to sum_x w(x) max(0, k(x, u) - max_s k(x, s)).

    The gain is that sum; s runs over the labelled points and the earlier picks. Ties go to the lower candidate. All
    gains are kept up to date: a pick changes only the terms of reference points that it covers better than any label or
    earlier pick, so the work falls with every pick. The R x C similarities are stored where they fit into half of
    `memory_mb`, and recomputed otherwise; the picks are the same.
    """
    rows = len(cover.reference)
    weights = np.rint(cover.weights * WORTH)
    kept = _kept(cover) if 4 * rows * len(cover.candidates) <= memory_mb * MEGABYTE / 2 else None
    covered = cover.covered_by(labelled)
    gains = np.zeros(len(cover.candidates))
    _add(cover, kept, gains, np.arange(rows), covered, np.full(rows, SIMILARITY, np.float32), weights)
    picks: list[tuple[int, float]] = []
    while len(picks) < min(count, len(gains)):
        best = int(gains.argmax())
        picks.append((best, float(gains[best]) / (SIMILARITY * WORTH)))
        with one_thread():
            similar = cover.similarities(cover.candidates[best : best + 1], cover.reference)[0]
        closer = np.flatnonzero(similar > covered)
        _add(cover, kept, gains, closer, covered[closer], similar[closer], -weights[closer])
        covered[closer] = similar[closer]
        gains[best] = -np.inf
        watch(len(picks), count)
    return picks


def _kept(cover: Covering) -> NDArray[np.float32]:
    kept = np.empty((len(cover.reference), len(cover.candidates)), np.float32)

    def work(rows: slice) -> None:
        kept[rows] = cover.similarities(cover.reference[rows], cover.candidates)

    sliced(work, len(kept), max(1, CELLS // kept.shape[1]))
    return kept


def _add(
    cover: Covering,
    kept: NDArray[np.float32] | None,
    gains: Floats,
    rows: Indices,
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    weights: Floats,
) -> None:
    """Add to the gains sum over `rows` of weight x the part of the similarity that lies between `low` and `high`."""

    def work(columns: slice) -> None:
        for at in range(0, len(rows), CELLS // COLUMNS):
            some = slice(at, at + CELLS // COLUMNS)
            if kept is None:
                similar = cover.similarities(cover.reference[rows[some]], cover.candidates[columns])
            else:
                similar = kept[rows[some], columns]
            between = np.clip(similar, low[some, None], high[some, None])
            between -= low[some, None]
            gains[columns] += weights[some] @ between

    sliced(work, len(gains), COLUMNS)
