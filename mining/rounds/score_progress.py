"""How far the scoring of a job has come, told by its shards: there is no row per sample."""

from typing import Any

import numpy as np
from django.utils import timezone

from jobs.models import Job, Shard


def scoring_progress(job: Job, *, phase: int = 0) -> dict[str, Any]:
    """`{shards_done, shards, images_per_second, eta_seconds, quarantined}` of the shards of this phase.

    The rate counts what is new, since the job began: scores that were there already take no time. It and the ETA are
    None before anything is scored; the ETA is 0 when all is.
    """
    shards = list(job.shards.filter(phase=phase).values("state", "units", "units_done", "result", "finished"))
    results = [shard["result"] for shard in shards if shard["result"]]
    reused = sum(result.get("reused", 0) for result in results)
    done, total = sum(shard["units_done"] for shard in shards), sum(shard["units"] for shard in shards)
    ended = [shard["finished"] for shard in shards if shard["finished"]]
    open_ones = any(shard["state"] in Shard.OPEN for shard in shards)
    until = timezone.now() if open_ones or not ended else max(ended)
    seconds = (until - job.started).total_seconds() if job.started else 0.0
    rate = (done - reused) / seconds if seconds > 0 and done > reused else None
    return {
        "shards_done": sum(shard["state"] == Shard.State.DONE for shard in shards),
        "shards": len(shards),
        "images_per_second": round(rate, 1) if rate else None,
        "eta_seconds": (round((total - done) / rate, 1) if rate else None) if open_ones else 0.0,
        "quarantined": sum(len(result.get("quarantined", ())) for result in results),
    }


def live_histogram(job: Job, *, phase: int = 0) -> dict[str, Any] | None:
    """`{edges, counts}` of the margins (`scoring.histogram`) that the done shards of this phase found; of what was
    scored by this job alone, None while that is nothing."""
    rows = job.shards.filter(phase=phase, result__isnull=False).values_list("result", flat=True)
    found = [result["histogram"] for result in rows if result and result.get("histogram")]
    if not found:
        return None
    counts = np.sum([one["counts"] for one in found], axis=0)
    return {"edges": found[0]["edges"], "counts": counts.tolist()}
