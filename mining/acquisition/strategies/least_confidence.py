"""Least confidence: 1 - p(1)."""

from acquisition.pool import Floats, Pool
from acquisition.registry import RowStrategy, register
from acquisition.uncertainty import least_confidence


@register("least_confidence")
class LeastConfidence(RowStrategy):
    """Samples whose most likely class has a low probability (Lewis and Gale 1994)."""

    def scores(self, rows: Floats) -> Floats:
        """1 - p(1)."""
        return least_confidence(rows)

    def reason(self, pool: Pool, row: int) -> str:
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        best = int(pool.probabilities[row].argmax())
        return f"best guess {pool.class_name(best)} at only {pool.probabilities[row, best]:.2f}"
