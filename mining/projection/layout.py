"""Lay vectors out in the plane by one of the methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projection import landmarks
from projection.config import Layout
from projection.pca import components
from projection.uniqueness import compared_with, uniqueness

KEPT_COMPONENTS = 50
"""Principal components that are kept before neighbours are searched: the rest is mostly noise, and costs time."""
Watch = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Laid:
    """A layout: `points` (N, 2) float32 within -1..1, and the share of the vectors' `variance` in their `components`;
    `uniqueness` (N,) float32 from the vectors' first components, each compared with `compared` of them."""

    points: NDArray[np.float32]
    uniqueness: NDArray[np.float32]
    compared: int
    variance: float
    components: int
    landmarks: int | None


def laid_out(vectors: NDArray[Any], layout: Layout, watch: Watch = lambda _what, _share: None) -> Laid:
    """Lay out vectors (N, D), N >= 1: the result is the same for the same vectors and seed.

    `watch` is called with the current step and the share of the work that is done.
    """
    found = components(vectors, KEPT_COMPONENTS)
    coordinates = found.of(vectors)
    watch("components", 0.05)
    compared = compared_with(len(vectors))
    alone = uniqueness(coordinates, compared, layout.seed, lambda share: watch("uniqueness", 0.05 + 0.25 * share))
    if layout.method == "pca":
        flat = np.pad(coordinates[:, :2], ((0, 0), (0, max(0, 2 - coordinates.shape[1]))))
        share = found.share[:2]
        return Laid(_fitted(flat), alone, compared, float(share.sum()), len(share), landmarks=None)
    rows = landmarks.chosen(len(coordinates), layout.landmarks, layout.seed)
    few = coordinates[rows]
    points = landmarks.embedded(few, layout.seed, lambda done, of: watch("landmarks", 0.3 + 0.4 * done / of))
    watch("landmarks", 0.7)
    if len(rows) < len(coordinates):
        placed = landmarks.placed(coordinates, few, points, lambda done, of: watch("placing", 0.7 + 0.3 * done / of))
        placed[rows] = points
        points = placed
    return Laid(_fitted(points), alone, compared, float(found.share.sum()), len(found.share), landmarks=len(rows))


def _fitted(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move and scale the points by one factor, so that the longer side spans -1..1."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(float((high - low).max()) / 2, 1e-12)
    return np.asarray((points - (low + high) / 2) / half, np.float32)
