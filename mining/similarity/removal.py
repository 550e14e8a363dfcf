"""Remove an encoder with its embeddings."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Sum

from accounts import audit
from core.errors import Conflict
from jobs.models import Job
from mining_jobs.models import ScoreFile
from registry.models import ModelVersion
from registry.train_phase import TRUNK
from registry.trunks import training_on
from similarity.embeddings import KIND
from similarity.encoders import lock_encoder
from similarity.models import Encoder


@dataclass(frozen=True, slots=True)
class Removed:
    """What went with an encoder: the number of `embeddings`, none where another encoder or a model version has the same
    file. `models`: the versions, like `signs@3`, that were trained on it and keep its file."""

    embeddings: int
    models: list[str]


@transaction.atomic
def remove_encoder(encoder: Encoder) -> Removed:
    """Remove an encoder. Raises Conflict (`encoder_busy`) while a job computes embeddings by it, or trains on it."""
    locked = lock_encoder(encoder)
    job = Job.objects.filter(kind=KIND, state__in=Job.OPEN, params__encoder=locked.pk).order_by("pk").first()
    if job is not None:
        words = f"Job {job.pk} computes embeddings by {locked.name!r}: wait for its end, or cancel it first."
        raise Conflict(words, code="encoder_busy")
    if (job := training_on(locked.digest)) is not None:
        words = f"Job {job.pk} ({job.title}) trains on {locked.name!r}: wait for its end, or cancel it first."
        raise Conflict(words, code="encoder_busy")
    locked.delete()
    audit.note("deleted", "encoder", locked.name, project=locked.project_id, before=audited(locked))
    kept = ModelVersion.objects.filter(artifacts__path=TRUNK, artifacts__blob=locked.image_id)
    rows = kept.order_by("model__name", "number").values_list("model__name", "number")
    return Removed(_remove_embeddings(locked.digest), [f"{name}@{number}" for name, number in rows])


def audited(encoder: Encoder) -> dict[str, str | int]:
    """What the audit log stores of an encoder."""
    return {"name": encoder.name, "width": encoder.width, "image": encoder.image.sha256, "text": encoder.text.sha256}


def _remove_embeddings(digest: str) -> int:
    if Encoder.objects.filter(image__sha256=digest).exists() or ModelVersion.objects.filter(digest=digest).exists():
        return 0
    files = ScoreFile.objects.filter(model_digest=digest)
    rows: int = files.aggregate(rows=Sum("rows"))["rows"] or 0
    files.delete()
    return rows
