"""The scoring of a mining job, from the results of its shards: progress, refused images, and the spread of the scores
so far."""

from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from jobs.models import Shard
from mining_jobs.models import SCORE, MiningJob


def score_results(job: MiningJob) -> list[dict[str, Any]]:
    """Return the results of the finished score shards, in order."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE).order_by("index")
    return [result for result in rows.values_list("result", flat=True) if result]


def scoring_progress(job: MiningJob) -> dict[str, Any]:
    """`{shards_done, shards, images_per_second, eta_seconds, quarantined}`.

    The rate counts newly scored images since the job began: existing scores take no time. It and the ETA are None
    before anything is scored; the ETA is 0 when all is.
    """
    names = ("state", "units", "units_done", "result", "finished")
    shards = list(job.job.shards.filter(phase=SCORE).values(*names))
    results = [shard["result"] for shard in shards if shard["result"]]
    images, total = sum(shard["units_done"] for shard in shards), sum(shard["units"] for shard in shards)
    fresh = images - sum(result["reused"] for result in results)
    seconds = _seconds(job, shards)
    rate = fresh / seconds if fresh > 0 and seconds > 0 else None
    left = total - images
    return {
        "shards_done": sum(shard["state"] == Shard.State.DONE for shard in shards),
        "shards": len(shards),
        "images_per_second": round(rate, 1) if rate else None,
        "eta_seconds": round(left / rate, 1) if rate else (None if left else 0.0),
        "quarantined": sum(len(result["quarantined"]) for result in results),
    }


def _seconds(job: MiningJob, shards: list[dict[str, Any]]) -> float:
    """Seconds from the start of the job until its last shard was scored, or until now."""
    if job.job.started is None:
        return 0.0
    ended = [shard["finished"] for shard in shards if shard["finished"]]
    until = max(ended) if len(ended) == len(shards) and ended else job.job.finished or timezone.now()
    return float((until - job.job.started).total_seconds())


def live_histogram(job: MiningJob) -> dict[str, Any] | None:
    """Return `{edges, counts, cut, score, live}` of the margins that this job has scored so far (`scoring.histogram`);
    None before the first, and without a model, which alone has margins."""
    if job.model_version is None:
        return None
    found = [result["histogram"] for result in score_results(job) if result.get("histogram")]
    if not found:
        return None
    counts = [sum(column) for column in zip(*(one["counts"] for one in found), strict=True)]
    return {"edges": found[0]["edges"], "counts": counts, "cut": None, "score": "margin", "live": True}


def quarantined(job: MiningJob, *, shard: int, item: int) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield refused images, `{md5, code, detail}`, from an item of a shard on, each with the place after it; shard by
    shard, so that no more is read than needed."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE, index__gte=shard).order_by("index")
    for index, result in rows.values_list("index", "result").iterator(chunk_size=1):
        found = (result or {}).get("quarantined", [])
        for place in range(item if index == shard else 0, len(found)):
            yield (index, place + 1), found[place]
