"""The loop and its rounds."""

from django.conf import settings
from django.db import models

from catalog.models import NAME, Dataset, Version
from labeling.models import Queue
from registry.models import Model, Run
from rounds.models.mining import MiningJob


class Pipeline(models.Model):
    """The loop, bound to a dataset and a model."""

    name = models.CharField(max_length=100, unique=True, validators=[NAME])
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="pipelines")
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="pipelines")
    architecture = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    strategy = models.CharField(max_length=60)
    params = models.JSONField(default=dict)
    count = models.PositiveIntegerField()
    control = models.FloatField(default=0.1)
    seed = models.PositiveIntegerField(default=0)
    gates = models.JSONField(default=list)
    paused = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Round(models.Model):
    """One turn of the loop. `state` is the step it is in; each step's outcome is a row it points to."""

    class State(models.TextChoices):
        TRAINING = "training"
        SCORING = "scoring"
        QUEUEING = "queueing"
        LABELLING = "labelling"
        COMMITTING = "committing"
        RETRAINING = "retraining"
        GATING = "gating"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ENDED = (State.DONE, State.FAILED, State.CANCELLED)

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.TRAINING)
    failed_in = models.CharField(max_length=12, blank=True)
    step_started = models.DateTimeField(auto_now_add=True)
    first_run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="+")
    mining_job = models.OneToOneField(MiningJob, on_delete=models.PROTECT, null=True, related_name="round")
    queue = models.OneToOneField(Queue, on_delete=models.PROTECT, null=True, related_name="round")
    dataset_version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="+")
    promotion = models.JSONField(null=True)
    timings = models.JSONField(default=dict)
    error = models.CharField(max_length=1000, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pipeline", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["pipeline"],
                condition=~models.Q(state__in=["done", "failed", "cancelled"]),
                name="one_open_round",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.pipeline.name}"
