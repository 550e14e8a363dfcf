"""Comments on tasks."""

from django.conf import settings
from django.db import models

MOST_TEXT = 2000


class Comment(models.Model):
    """A comment on a task, or on the place (`x`, `y`) in its upright image, as fractions of its width and height."""

    task = models.ForeignKey("labeling.Task", on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    text = models.CharField(max_length=MOST_TEXT)
    x = models.FloatField(null=True)
    y = models.FloatField(null=True)
    mentions = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    resolved_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"comment {self.pk} on task {self.task_id}"
