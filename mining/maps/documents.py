"""Embedding maps as the API shows them."""

from typing import Any

from jobs.api import job_document
from maps.models import EmbeddingMap


def map_document(made: EmbeddingMap) -> dict[str, Any]:
    """A map with the current state of its job; `points` must be loaded without their data."""
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
        "job": job_document(made.job),
    }
