"""Which mining jobs picked a sample, and which score files hold scores of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from django.db.models import Q

from blobs.errors import BlobFault
from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import PROJECT, Contained, Row
from jobs.models import Job
from mining_jobs.models import MiningJob, Pick, ScoreFile
from mining_jobs.scores.files import index_of
from registry.models import ModelVersion
from scoring.table import Digests, packed, rows_in


def mining_jobs_of(found: Contained) -> Iterator[Row]:
    """Yield the mining jobs that picked one of the samples, with its rank."""
    rows = Pick.objects.filter(sample__in=found.samples).order_by("mining_job", "rank")
    for pick in rows.select_related("mining_job__version__dataset", "mining_job__model_version__model"):
        job = pick.mining_job
        yield {
            "id": job.pk, "dataset": job.version.dataset.name, "dataset_version": job.version.number, "picked": True,
            "rank": pick.rank, "control": pick.control, "strategy": job.strategy,
            "model": str(job.model_version) if job.model_version else None, PROJECT: job.dataset.project_id,
        }  # fmt: skip


Jobs = Callable[[Sequence[int]], Q]
_scoring: list[Jobs] = []


def register_scoring(jobs: Jobs) -> None:
    """Register jobs that score samples of dataset versions: `jobs` takes ids of versions and returns a condition on
    `Job`."""
    _scoring.append(jobs)


def score_files_of(found: Contained) -> Iterator[Row]:
    """Yield the score files that hold scores of the samples' bytes: columns of scores and embeddings, by md5.

    Reads the files of all models that scored one of the samples' dataset versions, because a job does not score again
    what another has. `unread`: the file can't be read now, so it may hold them."""
    md5 = packed(sorted(found.digests))
    files: dict[int, ScoreFile] = {}
    for versions in chunks(found.versions):
        jobs = Job.objects.filter(reduce(or_, (of(versions) for of in _scoring)))
        mined = MiningJob.objects.filter(version__in=versions).values("model_version__digest")
        used = Q(job__in=jobs) | Q(model_digest__in=mined)
        rows = ScoreFile.objects.filter(used).select_related("job", "job__project")
        files |= {row.pk: row for row in rows}
    names = _named(row.model_digest for row in files.values())
    for pk in sorted(files):
        row = files[pk]
        holds = _holds(row, md5)
        if holds is not False:
            yield {
                "id": row.pk, "job": row.job_id, "kind": row.job.kind, "model_digest": row.model_digest,
                "model": names.get(row.model_digest), "rows": row.rows, "unread": holds is None,
                PROJECT: row.job.project_id,
            }  # fmt: skip


def _holds(file: ScoreFile, md5: Digests) -> bool | None:
    """Whether a file has scores of one of these images; None where it can't be read."""
    try:
        return bool((rows_in(index_of(file.blob_id)[0], md5) >= 0).any())
    except BlobFault:
        return None


def _named(digests: Iterable[str]) -> dict[str, str]:
    rows = (
        ModelVersion.objects.filter(digest__in=set(digests)).select_related("model").only("digest", "number", "model")
    )
    return {row.digest: str(row) for row in rows.order_by("-pk")}


register_scoring(lambda versions: Q(mining__version__in=versions))
containment.register("mining_jobs", mining_jobs_of)
containment.register("score_files", score_files_of)
