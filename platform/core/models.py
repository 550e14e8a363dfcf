"""Rows of the core: remembered answers to idempotent requests, and when scheduled tasks last ran."""

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone


class IdempotencyRecord(models.Model):
    """The answer given to a (caller, key), or a claim on giving it (`status` 0)."""

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    content_type = models.CharField(max_length=100, blank=True)
    body = models.BinaryField(default=bytes)
    created = models.DateTimeField(auto_now_add=True)
    needs = models.JSONField(default=list, db_default=[])
    """What the first request was allowed by: `[project, right]` pairs, checked again before the answer is repeated."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="idempotency_once")]

    def __str__(self) -> str:
        return self.key

    @property
    def is_complete(self) -> bool:
        return self.status != 0


class ScheduledTask(models.Model):
    """When a task that runs on a schedule last ended (see `core.scheduled`)."""

    name = models.CharField(max_length=100, unique=True)
    interval = models.FloatField(default=0.0, db_default=0.0)  # seconds between two runs; 0: it is due at no time
    since = models.DateTimeField(default=timezone.now, db_default=Now())
    ended = models.DateTimeField(null=True)  # well
    failed = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
