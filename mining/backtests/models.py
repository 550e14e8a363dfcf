"""Back-tests, and the replays that they share."""

from django.conf import settings
from django.db import models

from blobs.models import Blob
from catalog.models import NAME, Dataset, Version
from jobs.lifecycle.models import NAME_LENGTH, Named, Present
from jobs.models import Job
from registry.models import ModelVersion


class Backtest(Named):
    """Strategies replayed on a labelled dataset version, each with the same seeds; the first of them is random."""

    name = models.CharField(max_length=NAME_LENGTH, unique=True, null=True, validators=[NAME])  # noqa: DJ001 - until it has an id
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="backtests")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    learner = models.JSONField()
    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, null=True, related_name="backtests")
    """The model whose embeddings a probe learns on."""
    strategies = models.JSONField()
    seeds = models.PositiveIntegerField()
    rounds = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    control = models.FloatField()
    target = models.FloatField(null=True)
    data = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    """The file of embeddings, while the job needs it."""
    report = models.JSONField(null=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="backtest")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    objects = Present["Backtest"]()

    def __str__(self) -> str:
        return str(self.name)


class Replay(models.Model):
    """The curve of one strategy with one seed, kept for every back-test that needs the same again."""

    key = models.CharField(max_length=64, unique=True)
    """Digest of the samples with their labels, the learner, and the whole plan."""
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"replay {self.key[:8]}"
