"""Embeddings and similar samples as the API shows them."""

from typing import Any

from catalog.models import Version
from catalog.serializers.samples import sample_document
from jobs.api import job_document
from similarity.embeddings import Embedder, coverage_of, open_job
from similarity.lexicon import ABOUT, NAME
from similarity.search import Query, Similar

MOST = 10_000
"""Samples that one search can list: who looks further asks for something else."""


def embeddings_document(version: Version, embedder: Embedder) -> dict[str, Any]:
    """How much of a version is covered, and the job that covers the rest."""
    coverage, job = coverage_of(version, embedder), open_job(version, embedder)
    return {
        "version": version.number,
        "model": embedder.reference,
        "by": embedder.name,
        "samples": coverage.samples,
        "embedded": coverage.embedded,
        "unreadable": coverage.unreadable,
        "missing": coverage.missing,
        "words": _words_document(embedder),
        "job": job_document(job) if job else None,
    }


def _words_document(embedder: Embedder) -> dict[str, Any] | None:
    """What words are compared with; None of a model, which reads none."""
    return {"ready": embedder.reads_words, "by": NAME, "about": ABOUT} if embedder.version is None else None


def similar_document(found: Similar, version: Version, embedder: Embedder, query: Query, offset: int) -> dict[str, Any]:
    """A window of the samples by similarity."""
    words = found.words
    return {
        "results": [sample_document(row) | {"similarity": similarity} for row, similarity in found.results],
        "total": min(found.compared, MOST),
        "offset": offset,
        "compared": found.compared,
        "missing": found.missing,
        "unreadable": found.unreadable,
        "version": version.number,
        "model": embedder.reference,
        "by": embedder.name if words is None else NAME,
        "words": {"text": query.text, "tokens": words.tokens, "read": words.read, "about": ABOUT} if words else None,
    }
