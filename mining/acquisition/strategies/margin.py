"""Margin: 1 - (p(1) - p(2))."""

import numpy as np

from acquisition.pool import Floats, Pool
from acquisition.registry import RowStrategy, register
from acquisition.uncertainty import margin


@register("margin")
class Margin(RowStrategy):
    """Samples whose two most likely classes are nearly level (Scheffer et al. 2001)."""

    def scores(self, rows: Floats) -> Floats:
        """1 - (p(1) - p(2)); with a single class there is nothing to confuse: 0."""
        return margin(rows)

    def reason(self, pool: Pool, row: int) -> str:
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        p = pool.probabilities[row]
        best = np.argsort(-p, kind="stable")[:2]
        return " or ".join(f"{pool.class_name(int(index))} at {p[index]:.2f}" for index in best)
