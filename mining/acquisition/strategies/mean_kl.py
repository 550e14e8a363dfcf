"""Mean Kullback-Leibler divergence of the members of a committee from their consensus."""

import numpy as np

from acquisition.committee import CommitteeStrategy
from acquisition.pool import Floats
from acquisition.registry import register
from acquisition.uncertainty import log


@register("mean_kl")
class MeanKl(CommitteeStrategy):
    """Samples on which committee members differ from their mean prediction (McCallum and Nigam 1998), in nats.

    For the mean of members with equal weights this is BALD by another formula, so both rank alike up to rounding.
    """

    def scores(self, rows: Floats) -> Floats:
        """mean_m sum_k p_mk log (p_mk / mean_m p_mk)."""
        mean = rows.mean(axis=1, keepdims=True)
        divergences = np.vecdot(rows, log(rows) - log(mean))
        scores: Floats = np.maximum(divergences.mean(axis=1), 0.0)
        return scores
