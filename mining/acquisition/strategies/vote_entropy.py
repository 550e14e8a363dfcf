"""Vote entropy: how evenly the votes of a committee are spread."""

import numpy as np

from acquisition.committee import CommitteeStrategy, company
from acquisition.pool import Floats
from acquisition.registry import register


@register("vote_entropy")
class VoteEntropy(CommitteeStrategy):
    """Samples for which a committee's votes are spread evenly over many classes (Dagan and Engelson 1995), in nats."""

    def scores(self, rows: Floats) -> Floats:
        """-sum_k (v_k / M) log (v_k / M) of v_k votes for class k, summed over members: log M - mean_m log v(m)."""
        together = company(rows)
        scores: Floats = np.log(rows.shape[1]) - np.log(together).mean(axis=1)
        return np.maximum(scores, 0.0)
