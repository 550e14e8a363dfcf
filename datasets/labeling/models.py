"""Queues of tasks, leased to one annotator at a time, and what the annotators said."""

from catalog.models import Dataset, Sample, Version
from django.conf import settings
from django.db import models
from django.db.models import Q


class Queue(models.Model):
    """Samples of one dataset that wait for labels."""

    class State(models.TextChoices):
        OPEN = "open"
        COMPLETE = "complete"
        COMMITTED = "committed"

    name = models.CharField(max_length=100, unique=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="queues")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answers_per_task = models.PositiveSmallIntegerField(default=1)
    committed_version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """One sample to label. `token` fences: every new lease raises it."""

    class State(models.TextChoices):
        TODO = "todo"
        LEASED = "leased"
        DONE = "done"
        SKIPPED = "skipped"

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="tasks")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.TODO)
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    suggestion = models.JSONField(null=True)
    why = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["queue", "position"], name="task_position_once"),
            models.UniqueConstraint(fields=["queue", "sample"], name="task_sample_once"),
        ]
        indexes = [
            models.Index(fields=["queue", "position"], condition=Q(state__in=["todo", "leased"]), name="task_open")
        ]

    def __str__(self) -> str:
        return f"task {self.position} of {self.queue_id}"


class Answer(models.Model):
    """What a person said of a task: a label, or a skip (`value` None). Append-only; an undone one is withdrawn.

    An `opinion` came after the lease had gone to somebody else: kept, but it does not end the task.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="answers")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    value = models.JSONField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    seconds = models.FloatField(default=0.0)
    shown_suggestion = models.BooleanField(default=False)
    opinion = models.BooleanField(default=False)
    withdrawn = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["task", "id"], name="answer_of_task")]

    def __str__(self) -> str:
        return f"answer to {self.task_id}"
