"""Who may use the platform, and the tokens they hold."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from core.prepared import prepared

PREFIX = "ml_"
NOTED_EVERY = timedelta(minutes=1)


class Role(models.TextChoices):
    """A role in a project, from the most powerful to the least; `accounts.rights` says what each allows."""

    OWNER = "owner"
    ENGINEER = "engineer"
    REVIEWER = "reviewer"
    ANNOTATOR = "annotator"
    VIEWER = "viewer"


class User(AbstractUser):
    """A person, or a program's service account. An owner of the platform may do everything in every project."""

    is_owner = models.BooleanField(default=False)
    is_service = models.BooleanField(default=False)  # it has only tokens, and can't open a session
    last_seen = models.DateTimeField(null=True)  # with a token or in a browser; it outlives both
    # Their identity at the provider; empty until they signed in with it.
    oidc_issuer = models.CharField(max_length=200, blank=True)
    oidc_subject = models.CharField(max_length=255, blank=True)

    class Meta(AbstractUser.Meta):  # type: ignore[name-defined, misc]  # its stub hides it
        constraints = [
            models.UniqueConstraint(
                fields=["oidc_issuer", "oidc_subject"],
                name="one_person_of_an_identity",
                condition=~models.Q(oidc_subject=""),
            ),
            models.UniqueConstraint(Lower("email"), name="one_person_of_an_email", condition=~models.Q(email="")),
        ]

    def seen(self) -> None:
        """Record that the user was active just now, unless that was recorded in the last minute."""
        if due := _due("last_seen", self.last_seen):
            User.objects.filter(due, pk=self.pk).update(last_seen=timezone.now())


class Project(models.Model):
    """What a group of people works on: each dataset and model, and all that is made of them, is in one."""

    name = models.CharField(max_length=100, unique=True)
    description = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(models.QuerySet["Membership"]):
    def role_of(self, user: User) -> list[tuple[int, str]]:
        """Return (project id, role) for each of the user's memberships."""
        return _roles_of(user=user.pk)


class Membership(models.Model):
    """Somebody's role in a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    created = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_role_in_a_project")]

    def __str__(self) -> str:
        return f"{self.role} of project {self.project_id}"


class Scope(models.TextChoices):
    """What a token allows: everything its user may do, or only the reading part of that."""

    ALL = "all"
    READ = "read"


class TokenQuerySet(models.QuerySet["Token"]):
    def issue(
        self,
        user: User,
        name: str,
        *,
        scope: Scope = Scope.ALL,
        expires: datetime | None = None,
        project: Project | None = None,
    ) -> tuple["Token", str]:
        """Create a token and return it with its secret, which is shown once: only its digest is stored."""
        secret = PREFIX + secrets.token_urlsafe(32)
        made = self.create(user=user, name=name, digest=digest(secret), scope=scope, expires=expires, project=project)
        return made, secret

    def known(self, secret: str) -> "Token | None":
        """Return the active user's token with this secret, if any; it may have expired."""
        return next(iter(_with_digest(digest=digest(secret))), None)

    def holding(self, secret: str) -> "Token | None":
        """Return the token with this secret, if any and not expired."""
        token = self.known(secret)
        return None if token is None or token.expired else token

    def used(self, token: "Token", address: str) -> None:
        """Record that the token was used from this address, unless a use was recorded in the last minute."""
        if due := _due("last_used", token.last_used):
            self.filter(due, pk=token.pk).update(last_used=timezone.now(), last_address=address)


class Token(models.Model):
    """A bearer token: 256 random bits, stored as a SHA-256 digest."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    last_used = models.DateTimeField(null=True)
    last_address = models.CharField(max_length=60, null=True)  # noqa: DJ001 - where from; None: never used, or not known
    expires = models.DateTimeField(null=True)  # None: never
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.ALL)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, related_name="+")  # None: all of theirs

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} of {self.user.username}"

    @property
    def expired(self) -> bool:
        """Whether the token has expired."""
        return self.expires is not None and self.expires <= timezone.now()


class WrongSecrets(models.Model):
    """The number of wrong secrets that an address sent lately; `accounts.throttling` counts them."""

    key = models.CharField(max_length=120, unique=True)  # kind of secret and address
    count = models.PositiveIntegerField(default=0)
    tags = models.JSONField(default=list)  # keyed digests of the last ones: the same secret counts once
    until = models.DateTimeField(null=True)  # the address waits until then
    changed = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.count} wrong {self.key}"


class AuditEvent(models.Model):
    """An audit event: `accounts.audit` adds rows, and nothing changes or deletes one. Names are stored as they were, so
    that a row stays readable when the person, the token or the thing is gone."""

    created = models.DateTimeField(auto_now_add=True)
    who = models.CharField(max_length=150, blank=True)  # empty: the platform, or somebody at its command line
    token = models.CharField(max_length=100, blank=True)  # its name; empty: a browser
    address = models.CharField(max_length=60, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    action = models.CharField(max_length=40)
    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=200)
    project = models.ForeignKey(Project, on_delete=models.SET_NULL, null=True, related_name="+")
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    def __str__(self) -> str:
        return f"{self.who or 'the platform'}: {self.action} {self.kind} {self.name}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the row. Raises ProtectedError if it exists already."""
        if not self._state.adding:
            raise models.ProtectedError("What was written down stays as it is.", {self})
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> tuple[int, dict[str, int]]:
        """Raise ProtectedError: events are never deleted."""
        raise models.ProtectedError("What was written down stays.", {self})


class Preferences(models.Model):
    """A user's preferences in the web application, which alone reads them: keys, theme and the like."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, primary_key=True, related_name="+")
    document = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"preferences of user {self.user_id}"


def _due(field: str, noted: datetime | None) -> models.Q | None:
    """Return a filter for rows whose `field` was set at least a minute ago or never; None if this row's, `noted`, is
    newer."""
    earlier = timezone.now() - NOTED_EVERY
    if noted is not None and noted > earlier:
        return None
    return models.Q(**{field: None}) | models.Q(**{f"{field}__lte": earlier})


@prepared("digest")
def _with_digest(digest: str) -> models.QuerySet[Token]:
    return Token.objects.filter(digest=digest, user__is_active=True).select_related("user")


@prepared("user")
def _roles_of(user: int) -> models.QuerySet[Membership, tuple[int, str]]:
    return Membership.objects.filter(user=user).values_list("project_id", "role")


def digest(secret: str) -> str:
    """Return the digest of a secret that the database stores."""
    return hashlib.sha256(secret.encode()).hexdigest()
