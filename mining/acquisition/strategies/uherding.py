"""Uncertainty herding: coverage of what the model is unsure of (Bae et al., ICLR 2025)."""

import numpy as np

from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import RowParams, register
from acquisition.strategies.margin import Margin
from acquisition.strategies.max_herding import MaxHerding


@register("uherding")
class UHerding(MaxHerding):
    """The sample most similar to all that the model is unsure of and no label is near to."""

    needs = ("probabilities", "embeddings")
    asks_likeliest = False

    def worth(self, pool: Pool, rows: Indices) -> Floats:
        """(R,) the margin uncertainty 1 - (p(1) - p(2)) of each reference sample; 0 with a single class."""
        return np.clip(Margin(RowParams()).scored(pool.take(rows)).astype(np.float64), 0.0, 1.0)
