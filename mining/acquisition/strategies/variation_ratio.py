"""Variation ratio: the share of a committee that does not vote with the largest part."""

from acquisition.committee import CommitteeStrategy, company
from acquisition.pool import Floats
from acquisition.registry import register


@register("variation_ratio")
class VariationRatio(CommitteeStrategy):
    """Samples on which a large share of a committee contradicts its most frequent vote (Freeman 1965)."""

    def scores(self, rows: Floats) -> Floats:
        """1 - max_k v_k / M, of v_k votes for class k."""
        scores: Floats = 1.0 - company(rows)[:, -1] / rows.shape[1]
        return scores
