"""Rules about accounts."""

import os
from datetime import datetime
from pathlib import Path

from django.db import transaction

from accounts.models import Membership, Project, Role, Token, User
from core.errors import Invalid

OWNER = "owner"
FIRST = "default"
"""The name of the project that a platform begins with."""


def first_project() -> Project:
    """Return the oldest project; create it if there is none."""
    return Project.objects.order_by("pk").first() or Project.objects.get_or_create(name=FIRST)[0]


@transaction.atomic
def create_user(
    username: str, *, role: str, project: Project | None = None, service: bool = False, expires: datetime | None = None
) -> tuple[User, str]:
    """Create a user and their first token, and return both; see `new_user`."""
    user = new_user(username, role=role, project=project, service=service)
    return user, Token.objects.issue(user, "first", expires=expires)[1]


@transaction.atomic
def new_user(username: str, *, role: str, project: Project | None = None, service: bool = False) -> User:
    """Create a user without a token: `owner` without a project owns the platform; any other role is one in the project,
    by default the first. Raises Invalid if the name is taken."""
    if User.objects.filter(username=username).exists():
        raise Invalid.field("username", f"{username!r} is taken: choose another")
    user = User(username=username, is_owner=role == Role.OWNER and project is None, is_service=service)
    user.set_unusable_password()
    user.save()
    project = project or first_project()
    if not user.is_owner:
        Membership.objects.create(project=project, user=user, role=role)
    return user


def ensure_owner(token_file: Path) -> User:
    """Make sure that the owner exists and that the file holds a valid token of theirs, readable by this system user
    alone (0600)."""
    owner = User.objects.filter(username=OWNER).first()
    if owner is None:
        owner, secret = create_user(OWNER, role=Role.OWNER)
    elif not owner.is_active:
        return owner  # somebody else is in charge now
    elif token_file.is_file() and Token.objects.holding(token_file.read_text().strip()):
        return owner
    else:
        secret = Token.objects.issue(owner, "var/token")[1]
    token_file.parent.mkdir(parents=True, exist_ok=True)
    token_file.unlink(missing_ok=True)  # a file that others may read would stay readable
    with os.fdopen(os.open(token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")
    return owner
