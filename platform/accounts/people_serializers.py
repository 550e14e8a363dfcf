"""People and tokens, as the API takes and shows them."""

from typing import Any

from rest_framework import serializers

from accounts.models import Scope, Token, User


class PersonSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    role = serializers.ChoiceField(choices=User.Role.choices)
    active = serializers.BooleanField()
    created = serializers.DateTimeField()
    last_seen = serializers.DateTimeField(allow_null=True, help_text="when they last asked for anything, to the minute")
    tokens = serializers.IntegerField(help_text="how many they hold")


class PersonListSerializer(serializers.Serializer[None]):
    results = PersonSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewPersonSerializer(serializers.Serializer[None]):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(choices=User.Role.choices, default=User.Role.ANNOTATOR)


class AddedPersonSerializer(PersonSerializer):
    token = serializers.CharField(help_text="their first token: it is shown this once")


class PersonChangeSerializer(serializers.Serializer[None]):
    role = serializers.ChoiceField(choices=User.Role.choices, required=False)
    active = serializers.BooleanField(required=False)


class TokenSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(choices=Scope.choices, help_text="what its person may do, or of that reading alone")
    created = serializers.DateTimeField()
    expires = serializers.DateTimeField(allow_null=True, help_text="null: never")
    last_used = serializers.DateTimeField(allow_null=True)


class TokenListSerializer(serializers.Serializer[None]):
    results = TokenSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewTokenSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(choices=Scope.choices, required=False)
    expires_in_days = serializers.IntegerField(
        min_value=1, max_value=3650, required=False, allow_null=True, help_text="null or left out: it never expires"
    )


class IssuedTokenSerializer(TokenSerializer):
    secret = serializers.CharField(help_text="it is shown this once")


def person_document(person: User) -> dict[str, Any]:
    """A person as the API shows them; `tokens` must be loaded."""
    return {
        "id": person.pk,
        "username": person.username,
        "role": person.role,
        "active": person.is_active,
        "created": person.date_joined,
        "last_seen": person.last_seen,
        "tokens": len(person.tokens.all()),
    }


def token_document(token: Token) -> dict[str, Any]:
    """A token without its secret, which nobody has."""
    names = ("name", "scope", "created", "expires", "last_used")
    return {"id": token.pk} | {name: getattr(token, name) for name in names}
