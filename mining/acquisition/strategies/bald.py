"""BALD: the information that a label would give about the model."""

from acquisition.committee import CommitteeStrategy
from acquisition.pool import Floats
from acquisition.registry import register
from acquisition.uncertainty import disagreement


@register("bald")
class Bald(CommitteeStrategy):
    """Samples on which each committee member is sure, but of different classes (Houlsby et al. 2011), in nats."""

    def scores(self, rows: Floats) -> Floats:
        """H[mean_m p_m] - mean_m H[p_m]."""
        return disagreement(rows)
