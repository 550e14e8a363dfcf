"""Score files, the backbone that embeds images where there is no model, mining jobs, and their picks with reasons."""

from django.conf import settings
from django.db import models

from blobs.models import Blob
from catalog.models import Dataset, Sample, Version
from jobs.models import Job
from labeling.models import Queue
from registry.models import ModelVersion

SCORE, SELECT = 0, 1
"""The phases of a mining job."""


class ScoreFile(models.Model):
    """A columnar file of scores that one shard wrote for one model: kept for ever, so nothing is scored twice.

    `scorer` is the version of the scoring procedure, and for members of a committee what is special in theirs
    (`scoring.committee.Pass`).
    """

    model_digest = models.CharField(max_length=64)
    scorer = models.CharField(max_length=60)
    rows = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="score_files")
    shard = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "shard", "model_digest", "scorer"], name="score_file_once")
        ]
        indexes = [models.Index(fields=["model_digest", "scorer"], name="score_file_key")]

    def __str__(self) -> str:
        return f"{self.rows} scores of {self.model_digest[:8]}"


class Backbone(models.Model):
    """A pretrained trunk as an ONNX file, made once by a worker. Its embeddings are in score files, like any model's,
    by the digest of the file."""

    name = models.CharField(max_length=60, unique=True)  # the name of its architecture
    onnx = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "similarity_backbone"  # the app that made the table

    def __str__(self) -> str:
        return self.name

    @property
    def digest(self) -> str:
        """The SHA-256 of the file, which names its scores."""
        return self.onnx.sha256


class MiningJob(models.Model):
    """A job that scores a version's pool with a model and picks the most informative samples; without a model, by the
    backbone's embeddings alone."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="mining_jobs")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, null=True, related_name="mining_jobs")
    strategy = models.CharField(max_length=60)
    params = models.JSONField(default=dict)
    count = models.PositiveIntegerField()
    control = models.FloatField(default=0.1)
    seed = models.PositiveIntegerField(default=0)
    filter = models.JSONField(null=True)
    compose = models.JSONField(null=True)
    slices = models.JSONField(default=dict)  # name -> filter of each slice in `compose`, as it was at the start
    committee = models.JSONField(null=True)
    like = models.JSONField(null=True)  # {samples: [id], failures?: split}; keys would outlive an erasure
    unlike = models.JSONField(null=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="mining")
    stats = models.JSONField(default=dict)
    queue = models.OneToOneField(Queue, on_delete=models.SET_NULL, null=True, related_name="mining_job")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"mining {self.pk} of {self.dataset.name}"

    @property
    def classes(self) -> list[str]:
        """The classes, in the order of the model's outputs."""
        classes: list[str] = self.model_version.model.classes if self.model_version else self.dataset.classes
        return classes

    @property
    def model(self) -> ModelVersion:
        """The model that scores the pool, for what only a model can do."""
        assert self.model_version is not None  # noqa: S101 - `start_mining` lets nothing else begin without one
        return self.model_version


class Pick(models.Model):
    """One picked sample and why it was picked."""

    mining_job = models.ForeignKey(MiningJob, on_delete=models.CASCADE, related_name="picks")
    rank = models.PositiveIntegerField()
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="picks")
    score = models.FloatField(null=True)
    terms = models.JSONField(default=dict)
    reason = models.CharField(max_length=300)
    control = models.BooleanField(default=False)
    probability = models.FloatField(null=True)
    prediction = models.JSONField(null=True)
    neighbours = models.JSONField(default=list)
    explanation = models.JSONField(default=dict)  # samples by id: keys would outlive an erasure

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mining_job", "rank"], name="pick_rank_once"),
            models.UniqueConstraint(fields=["mining_job", "sample"], name="pick_sample_once"),
        ]

    def __str__(self) -> str:
        return f"pick {self.rank} of {self.mining_job_id}"
