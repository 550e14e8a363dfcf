"""Mining jobs and picks as the API shows them."""

from typing import Any

from jobs.api import job_document
from rounds.models import MiningJob, Pick, Round

State = Round.State


def mining_document(job: MiningJob) -> dict[str, Any]:
    """A mining job with its live job."""
    return {
        "id": job.pk,
        "dataset": job.dataset.name,
        "version": job.version.number,
        "model": f"{job.model_version.model.name}@{job.model_version.number}",
        "strategy": {"name": job.strategy, "params": job.params},
        "count": job.count,
        "control": job.control,
        "seed": job.seed,
        "filter": job.filter,
        "stats": {name: value for name, value in job.stats.items() if name != "histogram"},
        "queue": job.queue.name if job.queue else None,
        "created": job.created,
        "job": job_document(job.job),
    }


def pick_document(pick: Pick, blob_md5: str) -> dict[str, Any]:
    """One pick and why."""
    names = ("rank", "score", "terms", "reason", "control", "probability", "prediction", "neighbours")
    return {name: getattr(pick, name) for name in names} | {
        "sample": {
            "id": pick.sample_id,
            "key": pick.sample.key,
            "thumb": f"/thumbs/{blob_md5}",
            "url": f"/blobs/{blob_md5}",
        }
    }
