"""The people of a platform: their roles, rights and tokens."""

import re
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.audit import note
from accounts.models import Project, Role, Scope, Token, User
from accounts.projects import known_people, set_role
from accounts.rights import Right, has_right, projects, roles_of
from accounts.services import create_user, first_project
from accounts.signals import rights_lost
from core.errors import Conflict, Invalid, NotAllowed, NotFound
from core.references import MAX_ID_DIGITS, as_number

ME = "me"
NOT_IN_USERNAMES = re.compile(r"[^\w.@+-]")
MAX_USERNAME = 150
MAX_TOKENS = 100
SERVICE_DAYS = 90
"""The lifetime in days of a service account's token, unless you set another."""


@transaction.atomic
def add_person(
    username: str,
    *,
    role: str,
    project: Project | None = None,
    service: bool = False,
    expires_in_days: int | None = None,
    email: str = "",
) -> tuple[User, str]:
    """Add a person, or a program's service account, by a name that `NewPersonSerializer` accepts; return them with the
    secret of their first token; see `create_user`. Raises Invalid naming the field."""
    if User.objects.filter(username__iexact=username).exists():
        raise Invalid.field("username", f"{username!r} is taken: choose another")
    project = project or _only_project(role)
    if service and project is None:
        raise _no_owner()
    made = create_user(username, role=role, project=project, service=service, expires=_end(expires_in_days, service))
    if email:
        _write_email(made[0], email)
    after = {"role": role} | ({"service": True} if service else {}) | ({"email": email} if email else {})
    note("added", "person", username, project=project.pk if project else None, after=after)
    return made


def _write_email(person: User, email: str) -> None:
    """Set the person's email and unlink them from the identity provider. Whoever proves to the provider that the
    address is theirs signs in as this person; from the first time on their identity there counts, whatever the address.
    Raises Invalid (`email`)."""
    if email and person.is_service:
        raise Invalid.field("email", "a service account signs in nowhere: leave it out")
    if email and User.objects.filter(email__iexact=email).exclude(pk=person.pk).exists():
        raise Invalid.field("email", "it is somebody else's: one address is one person's")
    person.email, person.oidc_issuer, person.oidc_subject = email, "", ""
    person.save(update_fields=["email", "oidc_issuer", "oidc_subject"])


def _no_owner() -> Invalid:
    words = "a service account can't own the platform: give it a role in a project, `owner` too"
    return Invalid.field("role", words)


def _end(days: int | None, service: bool) -> datetime | None:  # noqa: FBT001 - of an account
    """Return when a token valid for `days` expires, None for never; one of a service account always expires."""
    if days is None and service:
        days = SERVICE_DAYS
    return None if days is None else timezone.now() + timedelta(days=days)


def _only_project(role: str) -> Project | None:
    """Return the project for a role given without one, None for owners of the platform. Raises Invalid (`project`)."""
    if role == Role.OWNER:
        return None
    first = first_project()
    if Project.objects.exclude(pk=first.pk).exists():
        raise Invalid.field("project", "name the project in which they get the role: there are several")
    return first


def find_person(reference: str, *, by: User, alone: bool = True) -> User:
    """Return a person by id, name or `me`, if `by` may: people get themselves, an owner of the platform anybody.

    With `alone=False` reviewers also get people of their projects. Raises NotAllowed, also for people who don't exist,
    and NotFound.
    """
    if reference in {ME, str(by.pk), by.username}:
        return by
    if not (has_right(by, Right.ADMINISTER, None) or (not alone and projects(Right.REVIEW))):
        words = "Only an owner of the platform may do this for somebody else: ask one for it."
        raise NotAllowed(words, code="owners_only")
    among = known_people(Right.REVIEW)
    number = as_number(reference, digits=MAX_ID_DIGITS)
    by_id = among.filter(pk=number).first() if number is not None else None
    found = by_id or among.filter(username=reference).first()
    if found is None:
        raise NotFound(f"There is nobody called {reference!r}.", code="person_unknown")
    return found


@transaction.atomic
def change_person(
    person: User,
    *,
    role: str | None = None,
    project: Project | None = None,
    active: bool | None = None,
    email: str | None = None,
) -> User:
    """Give a role, as `create_user` reads it, or deactivate or reactivate a person; None leaves a field unchanged.

    Another `email` ends their link to the identity provider, and their sessions.

    A deactivated person loses every session and token at once, with what others end at `rights_lost`, and needs a new
    token to come back. Raises Conflict (`last_owner`) for a change that would leave no owner, Invalid (`project`).
    """
    # All owners are locked, in one order: two owners who demote each other at once come here one after the other.
    owners = list(User.objects.select_for_update().filter(is_owner=True, is_active=True).order_by("pk"))
    person = User.objects.select_for_update().get(pk=person.pk)
    owns = person.is_owner if role is None else role == Role.OWNER and project is None
    before = {"owns": person.is_owner, "active": person.is_active, "email": person.email}
    if owns and person.is_service:
        raise _no_owner()
    if (not owns or active is False) and [owner.pk for owner in owners] == [person.pk]:
        raise Conflict(f"{person.username!r} is the last owner: make somebody else an owner first.", code="last_owner")
    ends = active is False and person.is_active
    demoted = person.is_owner and not owns
    person.is_owner = owns
    person.is_active = person.is_active if active is None else active
    if ends:
        person.tokens.all().delete()
        end_sessions(person)
    if email is not None and email != person.email:
        _write_email(person, email)
        end_sessions(person)
    person.save(update_fields=["is_owner", "is_active", "password"])
    after = {"owns": person.is_owner, "active": person.is_active, "email": person.email}
    note("changed", "person", person.username, before=before, after=after)
    if role is not None and (project is not None or role != Role.OWNER):
        set_role(_of(person, project), person, Role(role))
    if ends or demoted:
        rights_lost.send(User, person=person)
    return person


def _of(person: User, project: Project | None) -> Project:
    """Return the project in which a role is given: the named one, else the only one there is, or the only one they are
    in. Raises Invalid (`project`)."""
    if project is not None:
        return project
    theirs = list(Project.objects.filter(memberships__user=person)[:2])
    if not theirs and not Project.objects.exclude(pk=first_project().pk).exists():
        return first_project()
    if len(theirs) != 1:
        raise Invalid.field("project", f"name the project in which {person.username!r} gets the role")
    return theirs[0]


def end_sessions(person: User) -> None:
    """End all browser sessions of this person once the row is saved: a session is bound to the password, and here every
    password is unusable and differs each time."""
    person.set_unusable_password()


def issue_token(
    person: User,
    name: str,
    *,
    scope: Scope = Scope.ALL,
    expires_in_days: int | None = None,
    project: Project | None = None,
) -> tuple[Token, str]:
    """Create a token and return it with its secret. Without `expires_in_days` it never expires, except for a service
    account; with a `project` it is valid only there. Raises Conflict for a deactivated person or one with too many
    tokens, Invalid (`project`)."""
    if not person.is_active:
        raise Conflict(f"{person.username!r} is not active: set `active` first.", code="person_inactive")
    if person.tokens.count() >= MAX_TOKENS:
        raise Conflict(f"{person.username!r} holds {MAX_TOKENS} tokens: delete old ones.", code="too_many_tokens")
    roles = roles_of(person)
    if project is not None and roles is not None and project.pk not in roles:
        raise Invalid.field("project", f"{person.username!r} is not in {project.name!r}: give them a role in it first")
    expires = _end(expires_in_days, person.is_service)
    with transaction.atomic():
        made = Token.objects.issue(person, name, scope=scope, expires=expires, project=project)
        after = {"token": name, "scope": str(scope), "expires": expires and expires.isoformat()}
        after |= {"project": project.name} if project else {}
        note("token made", "person", person.username, after=after)
    return made


@transaction.atomic
def revoke_token(person: User, pk: int) -> User:
    """Revoke the token, and end all sessions that any of the person's tokens opened.

    Returns the person as saved, for a new session. Raises NotFound.
    """
    person = User.objects.select_for_update().get(pk=person.pk)
    found = person.tokens.filter(pk=pk).first()
    if found is None:
        raise NotFound(f"{person.username!r} has no token {pk}.", code="token_unknown")
    found.delete()
    note("token revoked", "person", person.username, before={"token": found.name})
    end_sessions(person)
    person.save(update_fields=["password"])
    return person
