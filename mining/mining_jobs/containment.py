"""Which mining jobs looked at a sample, and which files of scores may say something of it."""

from collections.abc import Iterator
from typing import Any

from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import Contained
from mining_jobs.models import MiningJob, Pick, ScoreFile


def mining_jobs_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Mining jobs over a dataset version that held one of the samples, and whether they picked one."""
    picked = set(Pick.objects.filter(sample__in=found.samples).values_list("mining_job", flat=True))
    for versions in chunks(found.versions):
        rows = MiningJob.objects.filter(version__in=versions).order_by("pk")
        for row in rows.select_related("version__dataset"):
            yield {"id": row.pk, "dataset": row.version.dataset.name, "dataset_version": row.version.number} | {
                "picked": row.pk in picked
            }


def score_files_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Files that those mining jobs wrote: columns of scores and embeddings, by md5."""
    for versions in chunks(found.versions):
        rows = ScoreFile.objects.filter(job__mining__version__in=versions).order_by("pk")
        for row in rows.select_related("job__mining"):
            yield {"id": row.pk, "mining_job": row.job.mining.pk, "model_digest": row.model_digest, "rows": row.rows}


containment.register("mining_jobs", mining_jobs_of)
containment.register("score_files", score_files_of)
