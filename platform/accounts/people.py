"""The people of a platform: who they are, what they may do, the tokens they hold."""

from datetime import timedelta

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import Scope, Token, User
from accounts.services import create_user
from accounts.signals import rights_lost
from core.errors import Conflict, Invalid, NotAllowed, NotFound
from core.references import MAX_ID_DIGITS, as_number

ME = "me"
MAX_USERNAME = 150
MAX_TOKENS = 100


def add_person(username: str, *, role: str) -> tuple[User, str]:
    """A new person and the secret of their first token. Raises Invalid naming the field."""
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError as error:
        raise Invalid.field("username", "must be letters, digits and @ . + - _ only") from error
    if len(username) > MAX_USERNAME or username.isdecimal() or username.casefold() == ME:
        raise Invalid.field("username", f"must have at most {MAX_USERNAME} characters, and be no number and not {ME!r}")
    if User.objects.filter(username__iexact=username).exists():
        raise Invalid.field("username", f"{username!r} is taken: choose another")
    return create_user(username, role=role)


def find_person(reference: str, *, by: User, alone: bool = True) -> User:
    """A person by id, name or `me`, as `by` may ask for them: themselves, an owner for all.

    With `alone` False a reviewer may ask too. Raises NotAllowed, also for people who don't exist, and NotFound.
    """
    if reference in {ME, str(by.pk), by.username}:
        return by
    if not (by.is_owner or (by.reviews and not alone)):
        raise NotAllowed("Only an owner may do this for somebody else: ask one for it.", code="owners_only")
    number = as_number(reference, digits=MAX_ID_DIGITS)
    by_id = User.objects.filter(pk=number).first() if number is not None else None
    found = by_id or User.objects.filter(username=reference).first()
    if found is None:
        raise NotFound(f"There is nobody called {reference!r}.", code="person_unknown")
    return found


@transaction.atomic
def change_person(person: User, *, role: str | None = None, active: bool | None = None) -> User:
    """Give a role, or take somebody off the platform or back; None leaves things as they are.

    Who is taken off loses every session and token at once, with what others end at `rights_lost`, and needs a new token
    to come back. Raises Conflict (`last_owner`) for what would leave nobody in charge.
    """
    # All owners are locked, in one order: two owners who demote each other at once come here one after the other.
    owners = list(User.objects.select_for_update().filter(role=User.Role.OWNER, is_active=True).order_by("pk"))
    person = User.objects.select_for_update().get(pk=person.pk)
    leaves = (role is not None and role != User.Role.OWNER) or active is False
    if leaves and [owner.pk for owner in owners] == [person.pk]:
        raise Conflict(f"{person.username!r} is the last owner: make somebody else an owner first.", code="last_owner")
    ends = active is False and person.is_active
    reviewed = person.reviews
    person.role = role or person.role
    person.is_active = person.is_active if active is None else active
    if ends:
        person.tokens.all().delete()
        end_sessions(person)
    person.save(update_fields=["role", "is_active", "password"])
    if ends or (reviewed and not person.reviews):
        rights_lost.send(User, person=person)
    return person


def end_sessions(person: User) -> None:
    """Every browser's session of this person is over once the row is saved: a session is bound to the password, of
    which only the unusable kind is kept here, and that is another one each time."""
    person.set_unusable_password()


def issue_token(
    person: User, name: str, *, scope: Scope = Scope.ALL, expires_in_days: int | None = None
) -> tuple[Token, str]:
    """One more token and its secret; with no `expires_in_days` it never expires. Raises Conflict for a person who was
    taken off the platform."""
    if not person.is_active:
        raise Conflict(f"{person.username!r} is not active: set `active` first.", code="person_inactive")
    if person.tokens.count() >= MAX_TOKENS:
        raise Conflict(f"{person.username!r} holds {MAX_TOKENS} tokens: delete old ones.", code="too_many_tokens")
    expires = None if expires_in_days is None else timezone.now() + timedelta(days=expires_in_days)
    return Token.objects.issue(person, name, scope=scope, expires=expires)


@transaction.atomic
def revoke_token(person: User, pk: int) -> User:
    """The token is worth nothing from now on, nor are the sessions that it, or another of theirs, opened.

    Returns the person, whose sessions are new. Raises NotFound.
    """
    person = User.objects.select_for_update().get(pk=person.pk)
    if person.tokens.filter(pk=pk).delete()[0] == 0:
        raise NotFound(f"{person.username!r} has no token {pk}.", code="token_unknown")
    end_sessions(person)
    person.save(update_fields=["password"])
    return person
