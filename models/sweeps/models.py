"""Searches over settings: sweeps and their trials, each of which is a run."""

from django.conf import settings
from django.db import models

from catalog.models import NAME, Dataset, Version
from jobs.lifecycle.models import NAME_LENGTH, Named, Present
from registry.models import Model, Run


class Sweep(Named):
    """A search over settings and its progress. Its trials are the truth about all that was tried."""

    class State(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Sampler(models.TextChoices):
        TPE = "tpe"
        RANDOM = "random"
        GRID = "grid"

    class Pruner(models.TextChoices):
        NONE = "none"
        MEDIAN = "median"
        HALVING = "halving"

    class Direction(models.TextChoices):
        MAXIMIZE = "maximize"
        MINIMIZE = "minimize"

    name = models.CharField(max_length=NAME_LENGTH, unique=True, null=True, validators=[NAME])  # noqa: DJ001 - until it has an id
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="sweeps")
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="sweeps")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    architecture = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    seed = models.PositiveIntegerField(default=0)
    """Seed of the trainings, unless the space has one, and of the sampler."""
    space = models.JSONField()
    """What is searched, by setting (`recipe.learning_rate`): `{"choices": [..]}`, or `{"low", "high", "step", "log",
    "whole"}`."""
    metric = models.CharField(max_length=60)
    direction = models.CharField(max_length=8, choices=Direction)
    trials_wanted = models.PositiveIntegerField()
    parallel = models.PositiveSmallIntegerField()
    sampler = models.CharField(max_length=10, choices=Sampler)
    pruner = models.CharField(max_length=10, choices=Pruner)
    startup = models.PositiveSmallIntegerField()
    """Complete trials before any is pruned by the median."""
    warmup = models.PositiveSmallIntegerField()
    """Evaluations of each trial before it may be pruned."""

    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    error = models.TextField(blank=True)
    importance = models.JSONField(default=dict)
    """By setting, its share of the variance of the metric, computed from `importance_trials` complete trials."""
    importance_trials = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    objects = Present["Sweep"]()

    def __str__(self) -> str:
        return str(self.name)


class Trial(models.Model):
    """One point of the space and its outcome. Its run is made in the transaction that makes this row."""

    class State(models.TextChoices):
        RUNNING = "running"
        COMPLETE = "complete"
        PRUNED = "pruned"
        FAILED = "failed"
        CANCELLED = "cancelled"

    sweep = models.ForeignKey(Sweep, on_delete=models.CASCADE, related_name="trials")
    number = models.PositiveIntegerField()
    run = models.OneToOneField(Run, on_delete=models.PROTECT, null=True, related_name="trial")
    """None: the settings can't be trained with together; `reason` says why."""
    params = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    value = models.FloatField(null=True)
    """The metric of the weights that were kept."""
    curve = models.JSONField(default=list)
    """`[[step, metric], ..]`, every evaluation of the training."""
    memory = models.JSONField(default=dict)
    """What the sampler and the pruner noted about this trial."""
    reason = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sweep", "number"], name="trial_once")]

    def __str__(self) -> str:
        return f"trial {self.number} of {self.sweep}"
