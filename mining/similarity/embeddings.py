"""Which embeddings of a dataset version exist, and the job that computes the missing ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.db import transaction

from accounts.models import User
from catalog.models import Dataset, Version
from catalog.reading.members import Members, members_of
from core.errors import Invalid
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from mining_jobs.models import ScoreFile
from mining_jobs.scores.backbone import BACKBONE, backbone
from mining_jobs.scores.files import ModelFile, files_of, index_of
from mining_jobs.scores.spans import sample_spans
from registry.models import ModelVersion
from registry.services import check_together, resolve
from scoring.table import DIGEST, Digests, packed, rows_in
from similarity.encoders import encoder_for, lock_encoder
from similarity.models import Encoder, Lexicon

KIND = "embed"
PREPARE, SCORE = 0, 1
"""The phases of a job: making the files of the backbone and its lexicon, where they are missing, and embedding."""
KEPT_VERSIONS = 8


@dataclass(frozen=True, slots=True)
class Embedder:
    """What embeds images: a version of a model, an encoder that was added, or else the backbone, whose file may not be
    made yet."""

    version: ModelVersion | None = None
    encoder: Encoder | None = None

    @property
    def name(self) -> str:
        """The displayed name: `pets-cnn@3`, the name of an encoder, or the architecture of the backbone."""
        if self.encoder is not None:
            return self.encoder.name
        return self.reference or BACKBONE

    @property
    def reference(self) -> str | None:
        """The model's reference, as requests name it; None for an encoder or the backbone."""
        return f"{self.version.model.name}@{self.version.number}" if self.version else None

    @property
    def file(self) -> ModelFile | None:
        """The ONNX file with its scores; None for a backbone that no job has made yet."""
        return self.version or self.encoder or backbone()

    @property
    def ready(self) -> bool:
        """Whether all files exist: the one that embeds images and, except for a model, the one that reads words."""
        return self.file is not None and (self.version is not None or self.reads_words)

    @property
    def may_read_words(self) -> bool:
        """Whether it can be searched by words once its files are made; a model can't."""
        return self.version is None

    @property
    def reads_words(self) -> bool:
        """Whether it can be searched by words now: the backbone once its lexicon is made."""
        if self.encoder is not None:
            return True
        return self.may_read_words and Lexicon.objects.filter(backbone=BACKBONE).exists()

    @property
    def score_files(self) -> list[ScoreFile]:
        """The score files that hold its embeddings."""
        file = self.file
        return files_of(file) if file is not None else []


def embedder_of(dataset: Dataset, model: str | None, encoder: str | None = None) -> Embedder:
    """Return the embedder of a named model or encoder, or the backbone if neither is named. Raises Invalid (`model`,
    `encoder`) and NotFound."""
    if model and encoder:
        raise Invalid.field("encoder", "embeds in place of a `model`: name one of them")
    if encoder:
        return Embedder(encoder=encoder_for(dataset, encoder))
    if not model:
        return Embedder()
    version = resolve(model, field="model")
    check_together(version.model, dataset)
    return Embedder(version)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of a version's `samples`: `embedded` ones, images `unreadable` to the model, and `missing` ones, which a
    job would compute."""

    samples: int
    embedded: int
    unreadable: int
    missing: int


@dataclass(frozen=True, eq=False)
class _LookedAt:
    """The digests of the images that a model has embeddings of, and of those it refused for their content;
    ascending."""

    embedded: Digests
    refused: Digests


def coverage_of(version: Version, embedder: Embedder) -> Coverage:
    """Count the embeddings of a version by samples; equal images are embedded once."""
    files = tuple(file.blob_id for file in embedder.score_files)
    return _counted(members_of(version), _looked_at(files))


@lru_cache(maxsize=KEPT_VERSIONS)
def _counted(members: Members, looked_at: _LookedAt) -> Coverage:
    embedded = rows_in(looked_at.embedded, members.md5) >= 0
    refused = ~embedded & (rows_in(looked_at.refused, members.md5) >= 0)
    counts = int(embedded.sum()), int(refused.sum())
    return Coverage(len(members), *counts, len(members) - sum(counts))


@lru_cache(maxsize=KEPT_VERSIONS)
def _looked_at(files: tuple[int, ...]) -> _LookedAt:
    """Read the digests of all files at once, cached: an open page polls every two seconds."""
    indexes = [index_of(blob) for blob in files]
    embedded = np.unique(np.concatenate([np.empty(0, DIGEST), *(digests for digests, _ in indexes)]))
    return _LookedAt(embedded, np.unique(packed(item.md5 for _, refused in indexes for item in refused)))


def open_job(version: Version, embedder: Embedder) -> Job | None:
    """Return the open job that computes the embeddings of a version, if any."""
    wanted = _params(version, embedder)
    jobs = Job.objects.filter(kind=KIND, state__in=Job.OPEN, project=version.dataset.project_id).order_by("-pk")
    return next((job for job in jobs if job.params == wanted and not job.cancel_requested), None)


def start_embedding(version: Version, embedder: Embedder, *, author: User) -> Job | None:
    """Return a queued job that computes the missing embeddings of a version and makes the files this and words need, or
    the job that is doing so already; None where nothing is missing. The caller wakes it. Raises Invalid for an empty
    version, Conflict for an archived dataset, NotFound for an encoder that was just removed."""
    ready, spans = embedder.ready, sample_spans(version.revisions)
    if not spans:
        raise Invalid.field("version", f"{version} has no samples: commit some first", code="version_empty")
    if ready and not coverage_of(version, embedder).missing:
        return None
    making = [] if ready else [ShardSpec(units=0, phase=PREPARE)]
    with transaction.atomic():
        refuse_archived(Dataset.objects.select_for_update().get(pk=version.dataset_id))  # one of two requests waits
        if embedder.encoder is not None:
            lock_encoder(embedder.encoder)
        if (job := open_job(version, embedder)) is not None:
            return job
        return create_job(
            KIND,
            f"Compute embeddings of {version} by {embedder.name}"[:200],
            shards=[*making, *(ShardSpec(span, units=units, phase=SCORE) for span, units in spans)],
            params=_params(version, embedder),
            unit="samples",
            created_by=author,
            project=version.dataset.project_id,
        )


def _params(version: Version, embedder: Embedder) -> Mapping[str, int | None]:
    """The parameters that identify a job. Dataset and model are included so that their deletion finds it."""
    model, encoder = embedder.version, embedder.encoder
    return {
        "dataset": version.dataset_id,
        "version": version.pk,
        "model": model.model_id if model else None,
        "model_version": model.pk if model else None,
    } | ({"encoder": encoder.pk} if encoder else {})


def embedder_in(params: Mapping[str, int | None]) -> Embedder:
    """Return the embedder of a job from its parameters. Raises DoesNotExist for an encoder that was removed."""
    if (encoder := params.get("encoder")) is not None:
        return Embedder(encoder=Encoder.objects.select_related("image").get(pk=encoder))
    if (version := params["model_version"]) is not None:
        return Embedder(ModelVersion.objects.select_related("model").get(pk=version))
    return Embedder()
