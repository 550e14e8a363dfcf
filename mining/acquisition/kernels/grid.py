"""A grid on which squared distances are integers that float64 adds without error."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Floats

Whole = NDArray[np.float64]
"""Points in steps of a grid: integers, kept in float64 for its matrix product."""
EXACT_BITS = 53
"""Integers up to 2^53 are exact in float64."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid with `step`, a power of two: points are rounded to its multiples.

    With D dimensions and magnitudes of at most 2^b steps a squared distance is at most 4 D 2^2b, so
    b = floor((51 - log2 D) / 2): 21 bits at 512 dimensions. Numbers with fewer bits (pixels, most of half precision)
    are not changed by the rounding.
    """

    step: float

    @classmethod
    def over(cls, largest: float, dimensions: int) -> "Grid":
        """Return the finest grid for points of that many dimensions and magnitudes of at most `largest`."""
        bits = math.floor((EXACT_BITS - 2 - math.log2(max(dimensions, 1))) / 2)
        exponent = math.frexp(largest)[1] if largest else 0  # largest < 2^exponent
        return cls(math.ldexp(1.0, exponent - bits))

    def whole(self, values: Floats) -> Whole:
        """Return `values` in steps, rounded half to even."""
        return np.rint(values.astype(np.float64) / self.step)


def squared_lengths(points: Whole) -> Whole:
    """Return the squared lengths (N,) of (N, D), exact."""
    lengths: Whole = np.einsum("ij,ij->i", points, points)
    return lengths


def squared(left: Whole, right: Whole) -> Whole:
    """Return the squared distances (N, M) of (N, D) and (M, D), exact, by one matrix product."""
    distances: Whole = left @ right.T
    distances *= -2.0
    distances += squared_lengths(left)[:, None]
    distances += squared_lengths(right)[None, :]
    return distances
