"""Who may use the platform, and the tokens they hold."""

import hashlib
import secrets
from typing import Self

from django.contrib.auth.models import AbstractUser
from django.db import models

PREFIX = "ml_"


class User(AbstractUser):
    """A person or a program. The owner may do everything; finer roles come later."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ANNOTATOR = "annotator"

    role = models.CharField(max_length=20, choices=Role, default=Role.ANNOTATOR)

    @property
    def is_owner(self) -> bool:
        """May do everything."""
        return self.role == self.Role.OWNER


class TokenQuerySet(models.QuerySet["Token"]):
    def issue(self, user: User, name: str) -> tuple["Token", str]:
        """A new token and its secret, which is shown once: only its digest is kept."""
        secret = PREFIX + secrets.token_urlsafe(32)
        return self.create(user=user, name=name, digest=digest(secret)), secret

    def holding(self, secret: str) -> Self:
        """The active token with this secret, if any."""
        return self.filter(digest=digest(secret), user__is_active=True).select_related("user")


class Token(models.Model):
    """A bearer token: 256 random bits, kept as a SHA-256 digest."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} of {self.user.username}"


def digest(secret: str) -> str:
    """What the database keeps of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
