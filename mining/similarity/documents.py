"""Embeddings, similar samples and encoders as the API shows them."""

from typing import Any

from catalog.models import Version
from catalog.serializers.samples import sample_document
from jobs.api import job_document
from similarity.embeddings import Embedder, coverage_of, open_job
from similarity.lexicon import ABOUT, NAME
from similarity.models import Encoder
from similarity.ranking import DECIMALS
from similarity.search import Query, Similar, UnknownWords

ABOUT_ENCODERS = (
    "An encoder that was added to this project compares your words with the images themselves. What it can find "
    "depends on the images and texts that it was trained on; its notes may say more."
)
MOST = 10_000
"""Most samples that one search lists."""


def embeddings_document(version: Version, embedder: Embedder) -> dict[str, Any]:
    """The coverage of a version, and the job that computes the rest."""
    coverage, job = coverage_of(version, embedder), open_job(version, embedder)
    return {
        "version": version.number,
        "model": embedder.reference,
        "encoder": embedder.encoder.name if embedder.encoder else None,
        "by": embedder.name,
        "samples": coverage.samples,
        "embedded": coverage.embedded,
        "unreadable": coverage.unreadable,
        "missing": coverage.missing,
        "words": _words_document(embedder),
        "job": job_document(job) if job else None,
    }


def _words_document(embedder: Embedder) -> dict[str, Any] | None:
    """What words are compared with; None for a model, which can't read words."""
    if not embedder.may_read_words:
        return None
    by, about = _by_words(embedder)
    return {"ready": embedder.reads_words, "by": by, "about": about}


def _by_words(embedder: Embedder) -> tuple[str, str]:
    """Return the name of what words are compared with, and a text on what that can find."""
    return (embedder.encoder.name, ABOUT_ENCODERS) if embedder.encoder else (NAME, ABOUT)


def similar_document(found: Similar, version: Version, embedder: Embedder, query: Query, offset: int) -> dict[str, Any]:
    """A page of the samples by similarity."""
    words = found.words
    by, about = _by_words(embedder)
    return {
        "results": [sample_document(row) | {"similarity": similarity} for row, similarity in found.results],
        "total": min(found.compared, MOST),
        "offset": offset,
        "compared": found.compared,
        "missing": found.missing,
        "unreadable": found.unreadable,
        "version": version.number,
        "model": embedder.reference,
        "encoder": embedder.encoder.name if embedder.encoder else None,
        "by": embedder.name if words is None else by,
        "words": {
            "text": query.text,
            "tokens": words.tokens,
            "read": words.read,
            "about": about,
            "unknown": _unknown_document(str(query.text), found.unknown) if found.unknown else None,
        }
        if words
        else None,
    }


def _unknown_document(text: str, unknown: UnknownWords) -> dict[str, Any]:
    if unknown.known:
        why = f"No image is like “{text}”: the most similar one has {unknown.similarity:.2f}, and one that shows it "
        why += f"has {unknown.least:.2f} or more."
    else:
        why = f"The search does not know “{text}”, so the order of the images means nothing: it knows the names of "
        why += "ImageNet's 1,000 classes alone."
    return {
        "known": unknown.known,
        "similarity": round(unknown.similarity, DECIMALS),
        "least": round(unknown.least, DECIMALS),
        "nearest": unknown.nearest,
        "detail": f"{why} The nearest words that it knows: {', '.join(unknown.nearest)}.",
    }


def encoder_document(encoder: Encoder) -> dict[str, Any]:
    """An encoder; its files are described as uploaded and as the platform runs them."""
    return {
        "id": encoder.pk,
        "name": encoder.name,
        "project": encoder.project.name,
        "width": encoder.width,
        "digest": encoder.digest,
        "size": encoder.image.size + encoder.text.size,
        "parameters": encoder.parameters,
        "uploaded": encoder.uploaded,
        "trunk_fault": encoder.trunk_fault,
        "notes": encoder.notes,
        "created_by": encoder.created_by.username,
        "created": encoder.created,
    }
