"""Queues of tasks, each leased to one annotator at a time, and the annotators' answers and flags."""

from collections.abc import Mapping
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from catalog.models import Dataset, Sample, Version
from jobs.lifecycle.models import NAME_LENGTH, Named, Present

# The fields of `why` that reveal the model's suggestion, with the values that a blind task shows instead.
BLINDED_FIELDS: Mapping[str, Any] = {"reason": "", "neighbours": []}
SKIP_REASONS = ("unclear", "not in the classes", "bad image")


def skip_reasons() -> list[str]:
    """Return the skip reasons that a queue offers by default. A skip may give any text as its reason."""
    return list(SKIP_REASONS)


class Queue(Named):
    """Samples of one dataset that wait for labels.

    Code that changes the state of a task updates `total`, `done` and `skipped` under the lock of this row, because
    counting at each answer would take time in proportion to the queue.
    """

    class Kind(models.TextChoices):
        CLASSIFY = "classify"
        GRID = "grid"
        BOXES = "boxes"
        POLYGONS = "polygons"

    class Mode(models.TextChoices):
        LABEL = "label"
        VERIFY = "verify"

    class Priority(models.TextChoices):
        LOW = "low"
        NORMAL = "normal"
        HIGH = "high"

    class State(models.TextChoices):
        OPEN = "open"
        COMPLETE = "complete"
        COMMITTED = "committed"

    name = models.CharField(max_length=NAME_LENGTH, unique=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="queues")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.CLASSIFY)
    mode = models.CharField(max_length=6, choices=Mode, default=Mode.LABEL)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    answers_per_task = models.PositiveSmallIntegerField(default=1)
    blind_share = models.FloatField(default=0.05)
    gold_share = models.FloatField(default=0.0)
    review_share = models.FloatField(default=0.0)
    accept_threshold = models.FloatField(null=True)
    skip_reasons = models.JSONField(default=skip_reasons)
    priority = models.CharField(max_length=6, choices=Priority, default=Priority.NORMAL)
    due = models.DateTimeField(null=True)
    assignees = models.JSONField(default=list)  # ids of people; empty: everybody
    committed_version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    commit_grace = models.PositiveIntegerField(null=True)  # seconds from the last answer to its round's commit
    commit_at = models.DateTimeField(null=True)  # see `labeling.grace`
    held = models.DateTimeField(null=True)
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    objects = Present["Queue"]()

    def __str__(self) -> str:
        return self.name


class TaskQuerySet(models.QuerySet["Task"]):
    """Tasks by their leases, which always compare with the database's clock, never this process's."""

    def live(self) -> Self:
        """Tasks under a lease that still runs."""
        return self.filter(state=Task.State.LEASED, lease_until__gt=Now())

    def free(self) -> Self:
        """Tasks that can be leased: waiting ones, and those whose lease has run out."""
        return self.filter(waiting(), queue__state=Queue.State.OPEN)

    def new_to(self, user_id: int) -> Self:
        """Tasks that this person has neither answered nor skipped."""
        said = Answer.objects.verdicts().filter(task=OuterRef("pk"), author=user_id)
        return self.exclude(Exists(said))


def waiting() -> Q:
    """Match tasks that are not finished and that nobody holds."""
    return Q(state=Task.State.TODO) | Q(state=Task.State.LEASED, lease_until__lte=Now())


class Task(models.Model):
    """One sample to label. `token` is a fencing token: every new lease raises it.

    `blind`: the suggestion is hidden, to measure how much suggestions influence people. `cluster` is the class that the
    shown suggestion names, empty if none is shown: a grid's page shows one cluster. `lease_until` is set only while the
    task is leased.
    """

    class State(models.TextChoices):
        TODO = "todo"
        LEASED = "leased"
        DONE = "done"
        SKIPPED = "skipped"

    # No indexes of their own, as each is written at every lease and answer: others begin with queue and sample.
    # Annotators look for the tasks they hold within one queue.
    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+", db_index=False)
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.TODO)
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    suggestion = models.JSONField(null=True)
    why = models.JSONField(null=True)
    blind = models.BooleanField(default=False)
    cluster = models.CharField(max_length=200, blank=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["queue", "position"], name="task_position_once"),
            models.UniqueConstraint(fields=["sample", "queue"], name="task_sample_once"),
        ]
        indexes = [
            # Waiting tasks in order. Not a partial index on `state`: SQLite can't match its condition to a parameter.
            models.Index(fields=["queue", "state", "position"], name="task_of_state"),
            models.Index(fields=["queue", "lease_until"], condition=Q(lease_until__isnull=False), name="task_leased"),
        ]

    def __str__(self) -> str:
        return f"task {self.position} of {self.queue_id}"

    @property
    def shown_suggestion(self) -> Any:
        """The suggestion as annotators see it: None on a blind task."""
        return None if self.blind else self.suggestion

    @property
    def shown_why(self) -> Any:
        """Why the sample was picked; on a blind task without the fields that would reveal the suggestion."""
        return self.why | BLINDED_FIELDS if self.blind and self.why is not None else self.why


class AnswerQuerySet(models.QuerySet["Answer"]):
    def verdicts(self) -> Self:
        """Answers and skips that count: neither withdrawn nor given after the lease was lost."""
        return self.filter(opinion=False, withdrawn=False)


class Answer(models.Model):
    """A person's answer to a task: a label, or a skip (`value` None). Append-only; an undone answer is withdrawn.

    `verification` describes an answer that was given question by question (`labeling.verifying`).

    An `opinion` is an answer given after the lease was lost: it is kept, but does not end the task. `changed` says
    whether the label differs from the suggestion; null if there is none or it is unknown.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="answers")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    value = models.JSONField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    seconds = models.FloatField(default=0.0)
    shown_suggestion = models.BooleanField(default=False)
    changed = models.BooleanField(null=True)
    verification = models.JSONField(null=True)
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


class Flag(models.Model):
    """A person's request that somebody look at a task; people see their own flags, reviewers and up see all."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="flags")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "author"], name="flag_once")]

    def __str__(self) -> str:
        return f"flag on task {self.task_id}"
