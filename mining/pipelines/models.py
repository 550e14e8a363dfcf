"""Pipelines, their budgets and their rounds."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from catalog.models import NAME, Dataset, Version
from jobs.lifecycle.models import NAME_LENGTH, Named, Present
from jobs.models import Job
from labeling.models import Queue
from mining_jobs.models import MiningJob
from registry.models import Model, Run


def usual_grace() -> int:
    """Default seconds from the last answer of a round to its commit."""
    return int(settings.COMMIT_GRACE_SECONDS)


class PipelineQuerySet(models.QuerySet["Pipeline"]):
    def to_examine(self) -> Self:
        """Pipelines with triggers that have not been checked on the head of their dataset."""
        tried = Q(examined=F("dataset__head"))
        rested = Q(archived__isnull=False) | Q(dataset__archived__isnull=False) | Q(model__archived__isnull=False)
        return self.filter(paused=False, stopped__isnull=True).exclude(rested).exclude(trigger={}).exclude(tried)


class Pipeline(Named):
    """The active-learning loop on a dataset and a model, with what starts its rounds and what stops them."""

    name = models.CharField(max_length=NAME_LENGTH, unique=True, validators=[NAME])
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="pipelines")
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="pipelines")
    architecture = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    strategy = models.CharField(max_length=60)
    params = models.JSONField(default=dict)
    count = models.PositiveIntegerField()
    control = models.FloatField(default=0.1)
    seed = models.PositiveIntegerField(default=0)
    filter = models.JSONField(null=True)
    """The part of the pool it mines in; slices by name, as defined when a round begins."""
    compose = models.JSONField(null=True)
    committee = models.JSONField(null=True)
    answers_per_task = models.PositiveSmallIntegerField(default=1)
    commit_grace = models.PositiveIntegerField(default=usual_grace)
    warm_start = models.BooleanField(default=False)
    needs = models.JSONField(default=dict)
    """Requirements of its trainings and its scoring: `{"train": .., "score": ..}`, as of a run and of a mining job."""
    gates = models.JSONField(default=list)
    paused = models.BooleanField(default=False)

    schedule = models.CharField(max_length=100, blank=True)
    """Cron expression, five fields, UTC; empty: no schedule."""
    next_run = models.DateTimeField(null=True)
    """When the schedule is due next. This row decides; celery's beat only wakes a worker at that time."""
    trigger = models.JSONField(default=dict)
    examined = models.PositiveBigIntegerField(null=True)
    """The head (a version's id) that the triggers were last checked on: while it is the same, nothing has changed."""
    last_trigger = models.JSONField(null=True)
    webhook_digest = models.CharField(max_length=64, blank=True)
    webhook_window = models.DateTimeField(null=True)
    webhook_calls = models.PositiveIntegerField(default=0)

    budget = models.JSONField(default=dict)
    stop = models.JSONField(default=dict)
    stopped = models.JSONField(null=True)
    """The rule that ended the loop, with its reason and numbers; null while the loop goes on."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    objects = Present.from_queryset(PipelineQuerySet)()

    def __str__(self) -> str:
        return self.name

    @property
    def goes_on(self) -> bool:
        """Whether it may start rounds by itself."""
        archived = any(row.archived is not None for row in (self, self.dataset, self.model))
        return not self.paused and self.stopped is None and not archived


class DatasetBudget(models.Model):
    """The budget shared by all pipelines of a dataset."""

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="budget")
    limits = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"budget of {self.dataset_id}"


class Round(models.Model):
    """One pass through the loop. `state` is the step it is in; it points to the row that each step produced."""

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
        STOPPED = "stopped"  # by a budget, before it spent

    ENDED = (State.DONE, State.FAILED, State.CANCELLED, State.STOPPED)
    STEPS = (State.TRAINING, State.SCORING, State.QUEUEING, State.LABELLING, State.COMMITTING, State.RETRAINING,
             State.GATING)  # fmt: skip

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.TRAINING)
    failed_in = models.CharField(max_length=12, blank=True)
    step_started = models.DateTimeField(auto_now_add=True)
    trigger = models.JSONField(default=dict)
    first_run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="+")
    mining_job = models.OneToOneField(MiningJob, on_delete=models.PROTECT, null=True, related_name="round")
    queue = models.OneToOneField(Queue, on_delete=models.PROTECT, null=True, related_name="round")
    dataset_version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="+")
    jobs = models.ManyToManyField(Job, related_name="rounds")
    """Every job the round started, including those that a retry replaced: the round's spending is read from them."""
    choice = models.JSONField(null=True)
    """The strategy that picked, and why that one when a back-test chose it."""
    promotion = models.JSONField(null=True)
    waiting = models.JSONField(null=True)
    """The daily budget that the round waits for until tomorrow."""
    stopped = models.JSONField(null=True)
    timings = models.JSONField(default=dict)
    error = models.CharField(max_length=1000, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pipeline", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["pipeline"],
                condition=~models.Q(state__in=["done", "failed", "cancelled", "stopped"]),
                name="one_open_round",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.pipeline.name}"
