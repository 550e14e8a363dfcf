"""BADGE's gradient embeddings, never written out: (p - onehot(argmax p)) outer h, compared by their two factors.

(Ash et al., ICLR 2020.) With K classes and D dimensions the embeddings of N samples would be N K D numbers: 205 GB for
a million of 100 classes and 512 dimensions. But |g_i - g_j|^2 = |q_i|^2 |h_i|^2 + |q_j|^2 |h_j|^2
- 2 (q_i . q_j)(h_i . h_j).
"""

import numpy as np

from acquisition.kernels.points import ROUNDING, SLICE
from acquisition.kernels.threads import one_thread, sliced
from acquisition.pool import Floats, Indices, PoolError

SAME = 1e-12
"""Squared distances below this share of the squared lengths are rounding errors of float64: the same embedding."""


class Gradients:
    """The last layer's gradients at the predicted class, of (N, K) probabilities and (N, D) penultimate features.

    `squares` (N,) are their squared lengths. Raises PoolError for features too large for float32's products.
    """

    def __init__(self, probabilities: Floats, features: Floats) -> None:
        self._probabilities = probabilities
        self._features = features
        self.squares: Floats = np.empty(len(features))
        sliced(self._measure, len(features), SLICE)
        if len(self) and self.squares.max() > 1e30:
            raise PoolError("embeddings: too large to be compared in float32; scale them")

    def __len__(self) -> int:
        return len(self._features)

    def distances(self, rows: Indices, others: Indices) -> Floats:
        """Return squared distances (n, m) in float64, exact up to rounding; 0 for the same row."""
        (q, h), (p, g) = self._factors(rows, np.float64), self._factors(others, np.float64)
        lengths = self.squares[rows][:, None] + self.squares[others][None, :]
        with one_thread():
            found: Floats = lengths - 2.0 * (q @ p.T) * (h @ g.T)
        found[found <= SAME * lengths] = 0.0
        return found

    def upper_bounds(self, centres: Indices) -> Floats:
        """Return upper bounds (N,) of the squared distance to the nearest of the centres, by float32 products.

        Two dot products have an error of at most (g_K + g_D + g_K g_D) |q||p| |h||g| (g as in Points.margin), which is
        added, with the roundings of what follows.
        """
        q, h = self._factors(centres, np.float32)
        squares = self.squares[centres]
        lengths = np.sqrt(squares)
        terms = self._features.shape[1] + self._probabilities.shape[1] + 16
        slack = (2 * terms * ROUNDING / (1 - terms * ROUNDING)) * lengths
        bounds = np.empty(len(self))

        def work(rows: slice) -> None:
            p, g = self._factors(rows, np.float32)
            product = p @ q.T
            product *= g @ h.T
            product *= -2
            product += (squares * (1 + 8 * ROUNDING)).astype(np.float32)
            own = self.squares[rows]
            product += np.sqrt(own).astype(np.float32)[:, None] * slack.astype(np.float32)
            bounds[rows] = product.min(axis=1) + own * (1 + 8 * ROUNDING)

        sliced(work, len(self), SLICE)
        return np.maximum(bounds, 0.0)

    def _measure(self, rows: slice) -> None:
        q, h = self._factors(rows, np.float64)
        self.squares[rows] = (q * q).sum(axis=1) * (h * h).sum(axis=1)

    def _factors(self, rows: Indices | slice, kind: type[np.floating]) -> tuple[Floats, Floats]:
        """Return the factors q (n, K) and h (n, D)."""
        q = self._probabilities[rows].astype(kind)
        q[np.arange(len(q)), q.argmax(axis=1)] -= 1
        return q, self._features[rows].astype(kind, copy=False)
