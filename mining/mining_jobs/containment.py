"""Which mining jobs processed a sample, and which score files may hold scores of it."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import Contained
from jobs.models import Job
from mining_jobs.models import MiningJob, Pick, ScoreFile


def mining_jobs_of(found: Contained) -> Iterator[dict[str, Any]]:
    """List the mining jobs over dataset versions that held one of the samples, and whether they picked one."""
    picked = set(Pick.objects.filter(sample__in=found.samples).values_list("mining_job", flat=True))
    for versions in chunks(found.versions):
        rows = MiningJob.objects.filter(version__in=versions).order_by("pk")
        for row in rows.select_related("version__dataset"):
            yield {"id": row.pk, "dataset": row.version.dataset.name, "dataset_version": row.version.number} | {
                "picked": row.pk in picked
            }


Jobs = Callable[[Sequence[int]], Q]
_scoring: list[Jobs] = []


def register_scoring(jobs: Jobs) -> None:
    """Register jobs that score samples of dataset versions: `jobs` takes ids of versions and returns a condition on
    `Job`."""
    _scoring.append(jobs)


def score_files_of(found: Contained) -> Iterator[dict[str, Any]]:
    """List the score files, of jobs of any kind that scored one of those dataset versions: columns of scores and
    embeddings, by md5."""
    for versions in chunks(found.versions):
        jobs = Job.objects.filter(reduce(or_, (of(versions) for of in _scoring)))
        for row in ScoreFile.objects.filter(job__in=jobs).select_related("job").order_by("pk"):
            yield {"id": row.pk, "job": row.job_id, "kind": row.job.kind} | {
                "model_digest": row.model_digest,
                "rows": row.rows,
            }


register_scoring(lambda versions: Q(mining__version__in=versions))
containment.register("mining_jobs", mining_jobs_of)
containment.register("score_files", score_files_of)
