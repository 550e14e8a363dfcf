"""How far a mining job's scoring is, what it could not score, and how the scores spread meanwhile."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Q, Sum
from django.utils import timezone

from jobs.models import Shard
from rounds.models import MiningJob

SCORE, SELECT = 0, 1
"""The phases of a mining job."""


def score_results(job: MiningJob) -> list[dict[str, Any]]:
    """What each score shard that is done has counted, in their order."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE).order_by("index")
    return [result for result in rows.values_list("result", flat=True) if result]


def scoring_progress(job: MiningJob) -> dict[str, Any]:
    """`{shards_done, shards, images_per_second, eta_seconds, quarantined}`: images looked at per second since the start
    until the last shard was done; None where that is not known (yet)."""
    done = Q(state=Shard.State.DONE)
    sums = job.job.shards.filter(phase=SCORE).aggregate(
        shards=Count("pk"), shards_done=Count("pk", filter=done), units=Sum("units"), units_done=Sum("units_done")
    )
    images, total = sums["units_done"] or 0, sums["units"] or 0
    over = sums["shards"] == sums["shards_done"]
    rate = images / seconds if images and (seconds := _seconds(job, over=over)) else None
    return {
        "shards_done": sums["shards_done"],
        "shards": sums["shards"],
        "images_per_second": None if rate is None else round(rate, 1),
        "eta_seconds": round((total - images) / rate, 1) if rate and job.job.is_open else None,
        "quarantined": sum(len(result["quarantined"]) for result in score_results(job)),
    }


def _seconds(job: MiningJob, *, over: bool) -> float:
    if job.job.started is None:
        return 0.0
    last = job.job.shards.filter(phase=SCORE).order_by("-finished").values_list("finished", flat=True).first()
    until = (last if over else None) or job.job.finished or timezone.now()
    return float((until - job.job.started).total_seconds())


def live_histogram(job: MiningJob) -> dict[str, Any] | None:
    """`{edges, counts, cut, score, live}` of the margins of what was scored just now; None before the first shard."""
    found = [result["histogram"] for result in score_results(job) if result.get("histogram")]
    if not found:
        return None
    counts = [sum(column) for column in zip(*(one["counts"] for one in found), strict=True)]
    return {"edges": found[0]["edges"], "counts": counts, "cut": None, "score": "margin", "live": True}


def quarantined(job: MiningJob, *, shard: int, item: int) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """What could not be scored, from an item of a shard on, each with the place after it: shard by shard, so that no
    more is read than is looked at."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE, index__gte=shard).order_by("index")
    for index, result in rows.values_list("index", "result").iterator(chunk_size=1):
        found = (result or {}).get("quarantined", [])
        for place in range(item if index == shard else 0, len(found)):
            yield (index, place + 1), found[place]
