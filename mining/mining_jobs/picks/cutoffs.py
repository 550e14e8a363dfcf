"""Which picks of a mining job are left out when they are sent to a queue."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from core.errors import Invalid
from mining_jobs.models import MiningJob, Pick


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The highest rank and the lowest score of the picks to keep; None cuts nothing.

    The control arm is never cut: it represents the whole pool only as long as all of it is labelled.
    """

    max_rank: int | None = None
    min_score: float | None = None

    def of(self, mining: MiningJob) -> QuerySet[Pick]:
        """Return the picks to keep. Raises Invalid (max_rank, min_score) when none of the strategy's own is left."""
        kept = Q()
        if self.max_rank is not None:
            kept &= Q(rank__lte=self.max_rank)
        if self.min_score is not None:
            kept &= Q(score__gte=self.min_score)
        if kept and not mining.picks.filter(kept, control=False).exists():
            raise self._nothing(mining)
        return mining.picks.filter(kept | Q(control=True)) if kept else mining.picks.all()

    def _nothing(self, mining: MiningJob) -> Invalid:
        if self.min_score is None:
            return Invalid.field("max_rank", "leaves no pick: raise it, or send all of them")
        scores = picked_scores(mining)
        if not scores:
            return Invalid.field("min_score", f"{mining.strategy} gives no score: cut by max_rank instead")
        return Invalid.field("min_score", f"leaves no pick: the highest score is {scores[0]:.6g}")


def picked_scores(mining: MiningJob) -> list[float]:
    """Return the scores of the strategy's own picks, highest first; none for a strategy without scores."""
    scored = mining.picks.filter(control=False).exclude(score=None)
    return [score for score in scored.order_by("-score").values_list("score", flat=True) if score is not None]
