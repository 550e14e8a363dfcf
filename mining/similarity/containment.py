"""Which files of embeddings may say something of a sample."""

from collections.abc import Iterator
from typing import Any

from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import Contained
from mining_jobs.models import ScoreFile
from similarity.embeddings import KIND


def embeddings_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Files that jobs wrote which embedded a dataset version that held one of the samples, by md5."""
    for versions in chunks(found.versions):
        rows = ScoreFile.objects.filter(job__kind=KIND, job__params__version__in=versions).order_by("pk")
        for row in rows:
            yield {"id": row.pk, "job": row.job_id, "model_digest": row.model_digest, "rows": row.rows}


containment.register("embeddings", embeddings_of)
