"""Many points: read as float32 slices for products that give bounds, and row by row on a grid for exact decisions."""

import math
from functools import cached_property

import numpy as np

from acquisition.kernels.grid import Grid, Whole, squared_lengths
from acquisition.kernels.threads import sliced
from acquisition.pool import Floats, Indices, PoolError

ROUNDING = 2.0**-24
"""The unit roundoff of float32."""
MEGABYTE = 1 << 20
LARGEST = 1e12
"""Products of larger magnitudes, or of ones below its inverse, leave float32's range."""
SLICE = 4096
"""Rows to process at once; picks do not depend on it."""


class Points:
    """(N, D) points on a grid. `unit` first scales every row to length 1 (a row of zeros stays).

    A float32 copy is kept if one is needed and fits into `memory_mb`; otherwise slices are converted as they are read.
    In addition, a Points holds 32 bytes a row.
    """

    def __init__(self, values: Floats, *, unit: bool = False, memory_mb: float = 1024) -> None:
        self._values = values
        self._factors: Floats | None = _inverse_lengths(values) if unit else None
        if self._needs_copy() and 4 * values.size <= memory_mb * MEGABYTE:
            self._values, self._factors = self.rows(slice(0, len(values))), None
        self.grid = Grid.over(self.largest(), self.dimensions)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def dimensions(self) -> int:
        return int(self._values.shape[1])

    @cached_property
    def squares(self) -> Whole:
        """(N,) squared lengths in steps."""
        found = np.empty(len(self))

        def work(rows: slice) -> None:
            found[rows] = squared_lengths(self.whole(rows))

        sliced(work, len(self), SLICE)
        return found

    @cached_property
    def lengths(self) -> Whole:
        """(N,) lengths in steps."""
        return np.sqrt(self.squares)

    def largest(self) -> float:
        """The largest magnitude of any coordinate."""
        spans = range(0, len(self), SLICE)
        return max((float(np.abs(self.rows(slice(at, at + SLICE))).max(initial=0.0)) for at in spans), default=0.0)

    def rows(self, rows: Indices | slice) -> Floats:
        """Return some rows (n, D) as float32."""
        part = self._values[rows].astype(np.float32, copy=False)
        return part if self._factors is None else part * self._factors[rows, None]

    def whole(self, rows: Indices | slice) -> Whole:
        """Return some rows (n, D), in steps."""
        return self.grid.whole(self.rows(rows))

    def mean(self) -> Whole:
        """Return the mean (1, D), rounded to the grid. Float64 adds the integers of 2^31 points without error."""
        total = np.zeros((1, self.dimensions))
        for at in range(0, len(self), SLICE):
            total += self.whole(slice(at, at + SLICE)).sum(axis=0, keepdims=True)
        return np.rint(total / len(self))

    def margin(self, reach: float) -> Whole:
        """Return the largest error (N,), in squared steps, of a squared distance by a float32 product.

        `reach` is the largest length, in steps, of the other point. |fl(x.y) - x.y| <= g |x||y| with
        g = D u / (1 - D u), in any order of addition (Higham 2002, 3.1); a float32 coordinate is at most half a step
        from the grid; the remaining roundings are of the order u.
        """
        product = self.dimensions * ROUNDING / (1 - self.dimensions * ROUNDING)
        both: Whole = self.lengths + (reach + 2 * math.sqrt(self.dimensions))
        return (product / 2 + 8 * ROUNDING) * both * both + 1.1 * math.sqrt(self.dimensions) * both

    def _needs_copy(self) -> bool:
        return self._factors is not None or self._values.dtype != np.float32 or not self._values.flags.c_contiguous


def _inverse_lengths(values: Floats) -> Floats:
    lengths = np.empty(len(values), np.float32)
    for at in range(0, len(values), SLICE):
        part = values[at : at + SLICE].astype(np.float64)
        lengths[at : at + SLICE] = np.sqrt((part * part).sum(axis=1))
    return np.divide(np.float32(1), lengths, out=np.zeros_like(lengths), where=lengths > 0)


def together(
    values: Floats, labelled: Floats | None, *, unit: bool = False, memory_mb: float = 1024
) -> tuple[Points, Points | None]:
    """Put the pool's points and the labelled ones (None if there are none) on one grid. Raises PoolError."""
    points = Points(values, unit=unit, memory_mb=memory_mb / 2)
    others = None
    largest = points.largest()
    if labelled is not None and len(labelled):
        if labelled.shape[1] != values.shape[1]:
            raise PoolError(f"labelled: {labelled.shape[1]} dimensions, but the embeddings have {values.shape[1]}")
        others = Points(labelled, unit=unit, memory_mb=memory_mb / 2)
        largest = max(largest, others.largest())
        others.grid = points.grid = Grid.over(largest, values.shape[1])
    if not (largest == 0 or 1 / LARGEST <= largest <= LARGEST):
        raise PoolError(f"embeddings: the largest magnitude is {largest:g}; scale them to between 1e-12 and 1e12")
    return points, others
