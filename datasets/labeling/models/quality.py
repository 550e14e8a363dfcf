"""Reviews, and gold: tasks whose answer is known."""

from django.conf import settings
from django.db import models


class Review(models.Model):
    """A task whose label a reviewer decides. `history` keeps decisions that were taken back."""

    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"

    class Reason(models.TextChoices):
        DISAGREEMENT = "disagreement"
        RANDOM = "random"
        FLAG = "flag"
        GOLD = "gold"

    queue = models.ForeignKey("labeling.Queue", on_delete=models.CASCADE, related_name="reviews", db_index=False)
    task = models.OneToOneField("labeling.Task", on_delete=models.CASCADE, related_name="review")
    reason = models.CharField(max_length=12, choices=Reason)
    state = models.CharField(max_length=4, choices=State, default=State.OPEN)
    decision = models.JSONField(null=True)
    answer = models.ForeignKey("labeling.Answer", on_delete=models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decided = models.DateTimeField(null=True)
    history = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["queue", "state", "id"], name="review_of_queue")]

    def __str__(self) -> str:
        return f"review of task {self.task_id}"


class Gold(models.Model):
    """The known answer to a task that is mixed in to measure how accurate people are."""

    queue = models.ForeignKey("labeling.Queue", on_delete=models.CASCADE, related_name="gold")
    task = models.OneToOneField("labeling.Task", on_delete=models.CASCADE, related_name="gold")
    value = models.JSONField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"gold of task {self.task_id}"
