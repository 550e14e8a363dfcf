"""The lifecycle of named things (archived, restored, deleted), and the record of its events."""

from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Manager, QuerySet

from accounts.models import Project

NAME_LENGTH = 130
"""Length of the column: a name has at most 100 characters, a deleted thing's name has a suffix too."""


M = TypeVar("M", bound=models.Model, covariant=True)


class Present(Manager[M]):
    """Finds only rows that are not deleted: the `objects` of every named thing."""

    def get_queryset(self) -> QuerySet[M]:
        return super().get_queryset().filter(deleted=None)


class Named(models.Model):
    """A thing with a name, that can be archived and deleted.

    A deleted thing keeps its row, under a name that no other thing can take (`pets (deleted 12)`), so that what was
    made from it can still show it; it is found nowhere else. `everything` has those rows too.
    """

    archived = models.DateTimeField(null=True)
    archived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    deleted = models.DateTimeField(null=True)

    everything: ClassVar[Manager[Any]] = Manager()
    in_project: ClassVar[str] = "dataset__project"
    """The path from a row to its project."""

    class Meta:
        abstract = True

    @property
    def project_of(self) -> int:
        """The id of the project it is in."""
        found: Any = self
        for name in self.in_project.split("__"):
            found = getattr(found, f"{name}_id" if name == "project" else name)
        return int(found)


class LifecycleEvent(models.Model):
    """Who renamed, archived, restored or deleted what, or released which former name of it, and when. Append-only; for
    a renaming, `name` is the old name."""

    class Action(models.TextChoices):
        RENAMED = "renamed"
        ARCHIVED = "archived"
        RESTORED = "restored"
        DELETED = "deleted"
        RELEASED = "released"

    kind = models.CharField(max_length=20)
    object_id = models.PositiveBigIntegerField()
    action = models.CharField(max_length=10, choices=Action)
    name = models.CharField(max_length=100)
    detail = models.JSONField(default=dict)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["kind", "name"], name="lifecycle_former_name"),
            models.Index(fields=["kind", "object_id"], name="lifecycle_of_object"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} {self.action}"
