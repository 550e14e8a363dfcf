"""Embedding maps as the API shows them."""

from collections.abc import Sequence
from typing import Any

from jobs.documents import job_documents
from maps.models import EmbeddingMap
from maps.services import features_name
from mining_jobs.scores.backbone import BACKBONE


def map_document(made: EmbeddingMap) -> dict[str, Any]:
    """A map with the current state of its job; `points` must be loaded without their data."""
    return map_documents([made])[0]


def map_documents(maps: Sequence[EmbeddingMap]) -> list[dict[str, Any]]:
    """Maps with the current states of their jobs, which are read together."""
    jobs = job_documents([made.job for made in maps])
    return [_document(made, job) for made, job in zip(maps, jobs, strict=True)]


def _about(made: EmbeddingMap) -> str:
    """Return what the features see, and why they were used."""
    if made.model_version is not None:
        return "The model arranges samples by what it was trained to tell apart. It was chosen for this map."
    if made.by_pixels:
        return "Gray pixels compare brightness and layout, not things. They were chosen, or the map is an older one."
    return (
        f"No model was chosen, so {BACKBONE}, trained on ImageNet's photographs, arranges samples by the things and "
        "textures that they show. It does not know your classes."
    )


def _document(made: EmbeddingMap, job: dict[str, Any]) -> dict[str, Any]:
    model, points = made.model_version, getattr(made, "points", None)
    address = f"/datasets/{made.dataset_id}/maps/{made.pk}/points"
    return {name: getattr(made, name) for name in ("method", "seed", "created")} | {
        "id": made.pk,
        "dataset": made.dataset.name,
        "version": made.version.number,
        "model": f"{model.model.name}@{model.number}" if model else None,
        "features": {"by": features_name(made), "about": _about(made)},
        "count": points.count if points else None,
        "points": f"{address}?v={points.digest}" if points else None,
        "facts": {"compared": None} | made.facts["told"] if points else None,
        "job": job,
    }
