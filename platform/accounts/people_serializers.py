"""People and tokens, as the API accepts and shows them."""

from collections.abc import Callable
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from accounts.models import Membership, Role, Scope, Token, User
from accounts.people import MAX_USERNAME
from accounts.rights import Right, is_member, projects
from core.forms import ReferenceField

WHICH_PROJECT = (
    "project, by id or name; by default the only one in which you may build, or `default` if there are several"
)
"""Help text for the project of a new object."""
PROJECT = (
    "project, by id or name; without it, `owner` means an owner of the platform, and any other role is given in the "
    "only project"
)


USERNAME = RegexValidator(
    r"^(?!\d+$)(?!\.+$)(?![mM][eE]$)[\w.@+-]+$",
    "must be letters, digits and @ . + - _ only, no number, not points alone and not 'me'",
)
NO_NUMBER = RegexValidator(
    r"^(?![0-9]+$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
    "must be letters, digits and . _ - only, at most 100, and no number",
)


def expiry(of: str) -> serializers.IntegerField:
    """Return a field for the number of days that a token is valid."""
    words = f"{of}; null or left out: never, of a service account in 90".removeprefix("; ")
    return serializers.IntegerField(min_value=1, max_value=3650, required=False, allow_null=True, help_text=words)


EMAIL = (
    "address that the identity provider must have verified for somebody to sign in as this person; empty: nobody can"
)


class ProjectRoleSerializer(serializers.Serializer[None]):
    project = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)


class PersonSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    role = serializers.ChoiceField(
        choices=Role.choices,
        allow_null=True,
        help_text="`owner` for an owner of the platform, else the highest role in a project; null without one",
    )
    projects = ProjectRoleSerializer(
        many=True, help_text="projects and the role in each; empty for owners of the platform, who are in all"
    )
    active = serializers.BooleanField()
    email = serializers.CharField(
        allow_null=True, help_text="email address to sign in with; shown to owners of the platform"
    )
    provider = serializers.BooleanField(help_text="whether they have signed in with the identity provider")
    service = serializers.BooleanField(
        help_text="whether this is a program's account, which has only tokens and can't sign in"
    )
    created = serializers.DateTimeField()
    last_seen = serializers.DateTimeField(allow_null=True, help_text="time of their last request, to the minute")
    tokens = serializers.IntegerField(help_text="number of tokens that they hold")


class PersonListSerializer(serializers.Serializer[None]):
    results = PersonSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewPersonSerializer(serializers.Serializer[None]):
    username = serializers.CharField(max_length=MAX_USERNAME, validators=[USERNAME])
    role = serializers.ChoiceField(choices=Role.choices, default=Role.ANNOTATOR)
    project = ReferenceField(max_length=100, required=False, help_text=PROJECT)
    service = serializers.BooleanField(
        required=False, help_text="whether to make an account for a program, which can't sign in"
    )
    expires_in_days = expiry("of the first token")
    email = serializers.EmailField(max_length=254, required=False, help_text=EMAIL)


class AddedPersonSerializer(PersonSerializer):
    token = serializers.CharField(help_text="first token of the person; shown only this once")


class PersonChangeSerializer(serializers.Serializer[None]):
    role = serializers.ChoiceField(choices=Role.choices, required=False)
    project = ReferenceField(max_length=100, required=False, help_text=PROJECT)
    active = serializers.BooleanField(required=False)
    email = serializers.EmailField(max_length=254, required=False, allow_blank=True, help_text=EMAIL)


class TokenSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(
        choices=Scope.choices, help_text="`all` for everything that its person may do, `read` for reading only"
    )
    project = serializers.CharField(
        allow_null=True, help_text="only project that the token is valid in; null for all projects of its person"
    )
    created = serializers.DateTimeField()
    expires = serializers.DateTimeField(allow_null=True, help_text="time when the token expires; null if never")
    last_used = serializers.DateTimeField(allow_null=True)
    last_address = serializers.CharField(
        allow_null=True, help_text="address that it was last used from; empty for this machine"
    )


class TokenListSerializer(serializers.Serializer[None]):
    results = TokenSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewTokenSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(choices=Scope.choices, required=False)
    expires_in_days = expiry("")
    project = serializers.CharField(
        max_length=100,
        required=False,
        help_text="only project that the token is valid in; leave it out for all projects",
    )


class IssuedTokenSerializer(TokenSerializer):
    secret = serializers.CharField(help_text="secret of the token; shown only this once")


class ProjectSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    description = serializers.CharField()
    created = serializers.DateTimeField()
    members = serializers.IntegerField(
        help_text="number of members; owners of the platform are in every project in addition"
    )


class ProjectListSerializer(serializers.Serializer[None]):
    results = ProjectSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewProjectSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[NO_NUMBER])
    description = serializers.CharField(max_length=2000, default="", allow_blank=True)


class ProjectChangeSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[NO_NUMBER], required=False)
    description = serializers.CharField(max_length=2000, required=False, allow_blank=True)


class MemberSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField(help_text="id of the person")
    username = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    active = serializers.BooleanField()
    service = serializers.BooleanField(help_text="whether this is a program's account")
    since = serializers.DateTimeField()


class MemberListSerializer(serializers.Serializer[None]):
    results = MemberSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class MemberRoleSerializer(serializers.Serializer[None]):
    role = serializers.ChoiceField(choices=Role.choices)


def project_document(project: Any) -> dict[str, Any]:
    """Return a project as the API shows it; `members` must be counted."""
    return {
        "id": project.pk,
        "name": project.name,
        "description": project.description,
        "created": project.created,
        "members": project.members,
    }


def member_document(row: Membership) -> dict[str, Any]:
    """Return a member as the API shows them; `user` must be loaded."""
    return {
        "id": row.user_id,
        "username": row.user.username,
        "role": row.role,
        "active": row.user.is_active,
        "service": row.user.is_service,
        "since": row.created,
    }


def standing_document(person: User, *, shown: Callable[[int], bool]) -> dict[str, Any]:
    """Return a person's roles in the projects that are `shown`: their strongest `role`, and the role in each of the
    `projects`."""
    order = list(Role)
    known = [row for row in person.memberships.all() if shown(row.project_id)]
    rows = sorted(known, key=lambda row: row.project.name)
    most = min((Role(row.role) for row in rows), key=order.index, default=None)
    return {
        "role": Role.OWNER if person.is_owner else most,
        "projects": [] if person.is_owner else [{"project": row.project.name, "role": row.role} for row in rows],
    }


def person_document(person: User) -> dict[str, Any]:
    """Return a person as the API shows them, without projects that the caller may not see; `tokens` and `memberships`
    with their projects must be loaded."""
    return {
        "id": person.pk,
        "username": person.username,
        **standing_document(person, shown=is_member),
        "active": person.is_active,
        "email": person.email if projects(Right.ADMINISTER) is None else None,
        "provider": bool(person.oidc_subject),
        "service": person.is_service,
        "created": person.date_joined,
        "last_seen": person.last_seen,
        "tokens": len(person.tokens.all()),
    }


def token_document(token: Token) -> dict[str, Any]:
    """Return a token without its secret, which is not stored; `project` must be loaded."""
    names = ("name", "scope", "created", "expires", "last_used", "last_address")
    project = token.project.name if token.project else None
    return {"id": token.pk, "project": project} | {name: getattr(token, name) for name in names}
