"""Queues of tasks, leased to one annotator at a time, and what the annotators said."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from catalog.models import Dataset, Sample, Version


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


class TaskQuerySet(models.QuerySet["Task"]):
    """Whether a lease is live is the database's clock to say, never this process's."""

    def live(self) -> Self:
        """Tasks under a lease that still runs."""
        return self.filter(state=Task.State.LEASED, lease_until__gt=Now())

    def free(self) -> Self:
        """Tasks that can be leased: waiting ones, and those whose lease has run out."""
        run_out = Q(state=Task.State.LEASED, lease_until__lte=Now())
        return self.filter(Q(state=Task.State.TODO) | run_out, queue__state=Queue.State.OPEN)

    def new_to(self, user_id: int) -> Self:
        """Tasks this person has neither answered nor skipped."""
        said = Answer.objects.verdicts().filter(task=OuterRef("pk"), author=user_id)
        return self.exclude(Exists(said))


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

    objects = TaskQuerySet.as_manager()

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


class AnswerQuerySet(models.QuerySet["Answer"]):
    def verdicts(self) -> Self:
        """Answers and skips that count: neither taken back nor too late."""
        return self.filter(opinion=False, withdrawn=False)


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

    objects = AnswerQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["task", "id"], name="answer_of_task"),
            models.Index(fields=["author", "created"], name="answer_of_author"),
        ]

    def __str__(self) -> str:
        return f"answer to {self.task_id}"
