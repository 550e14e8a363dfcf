"""Entropy: -sum p log p."""

import numpy as np

from acquisition.pool import Floats, Pool
from acquisition.registry import RowStrategy, register
from acquisition.uncertainty import entropy


@register("entropy")
class Entropy(RowStrategy):
    """Samples for which the model spreads its probability over many classes (Shannon 1948), in nats."""

    def scores(self, rows: Floats) -> Floats:
        """-sum p log p, with 0 log 0 = 0."""
        return entropy(rows)

    def reason(self, pool: Pool, row: int) -> str:
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        p = pool.probabilities[row]
        effective = float(np.exp(self.scores(p[None])[0]))
        best = int(p.argmax())
        return f"as if {effective:.1f} classes were possible; best {pool.class_name(best)} at {p[best]:.2f}"
