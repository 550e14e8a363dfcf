"""Uncertainty herding: coverage of what the model is unsure of (Bae et al., ICLR 2025)."""

import numpy as np

from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import RowParams, register
from acquisition.strategies.margin import Margin
from acquisition.strategies.max_herding import MaxHerding


@register("uherding")
class UHerding(MaxHerding):
    """The sample most similar to those that the model is unsure of and that no label is near."""

    needs = ("probabilities", "embeddings")
    asks_likeliest = False

    def worth(self, pool: Pool, rows: Indices) -> Floats:
        """Return the weight (R,) of each reference sample: the margin uncertainty 1 - (p(1) - p(2)); 0 with a single
        class."""
        return np.clip(Margin(RowParams()).scored(pool.take(rows)).astype(np.float64), 0.0, 1.0)
