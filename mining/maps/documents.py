"""Embedding maps as the API shows them."""

from collections.abc import Sequence
from typing import Any

from jobs.documents import job_documents
from maps.models import EmbeddingMap


def map_document(made: EmbeddingMap) -> dict[str, Any]:
    """A map with the current state of its job; `points` must be loaded without their data."""
    return map_documents([made])[0]


def map_documents(maps: Sequence[EmbeddingMap]) -> list[dict[str, Any]]:
    """Maps with the current states of their jobs, which are read together."""
    jobs = job_documents([made.job for made in maps])
    return [_document(made, job) for made, job in zip(maps, jobs, strict=True)]


def _document(made: EmbeddingMap, job: dict[str, Any]) -> dict[str, Any]:
    model, points = made.model_version, getattr(made, "points", None)
    address = f"/datasets/{made.dataset_id}/maps/{made.pk}/points"
    return {name: getattr(made, name) for name in ("method", "seed", "created")} | {
        "id": made.pk,
        "dataset": made.dataset.name,
        "version": made.version.number,
        "model": f"{model.model.name}@{model.number}" if model else None,
        "count": points.count if points else None,
        "points": f"{address}?v={points.digest}" if points else None,
        "facts": {"compared": None} | made.facts["told"] if points else None,
        "job": job,
    }
