"""What each person has seen of what waits for them, and what was sent."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import User


class NotificationSettings(models.Model):
    """A person's choice; whoever has made none gets mail, and has seen nothing."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_settings"
    )
    mail = models.BooleanField(default=True, db_default=True)
    seen = models.DateTimeField(null=True)
    """What began to wait until then is no longer new to them."""

    def __str__(self) -> str:
        return f"notifications of {self.user.username}"

    @classmethod
    def of(cls, user: User) -> Self:
        """Return the person's choice, which need not be stored yet."""
        choice: Self | None = getattr(user, "notification_settings", None)
        return choice or cls(user=user)


class Delivery(models.Model):
    """A notification that was sent to a person by mail, or, without a person, to the webhook. It is claimed first, so
    that of several processes one sends it, and sent once that has succeeded."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    key = models.CharField(max_length=120)
    claimed = models.DateTimeField()
    sent = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="mailed_once"),
            models.UniqueConstraint(fields=["key"], condition=Q(user=None), name="posted_once"),
        ]
        indexes = [models.Index(fields=["claimed"], name="delivery_claimed")]

    def __str__(self) -> str:
        return self.key
