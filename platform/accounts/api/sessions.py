"""Browser sessions, and each user's preferences for the web application."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login, logout
from django.middleware.csrf import get_token
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import throttling
from accounts.api.oidc import GIVEN, SignedOutSerializer, still_signed_in
from accounts.authentication import REALM, BrowserSession, TokenAuthentication, token_with
from accounts.caller import caller
from accounts.models import Role, User
from accounts.people_serializers import ProjectRoleSerializer, standing_document
from accounts.permissions import check_opens_session, needs
from accounts.preferences import keep_preferences, preferences_of
from accounts.rights import Right
from core.forms import validated

PREFERENCES = {"application/json": {"type": "object", "additionalProperties": {}, "maxProperties": 4_000}}

CLOSED = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
"""Methods of `/session` that answer 401 to a stranger."""


class LoginSerializer(serializers.Serializer[None]):
    token = serializers.CharField(max_length=200, trim_whitespace=True)


class UserSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    role = serializers.ChoiceField(
        choices=Role.choices,
        allow_null=True,
        help_text="`owner` for an owner of the platform, else the highest role in a project; null without one",
    )
    projects = ProjectRoleSerializer(many=True)


class SessionSerializer(serializers.Serializer[None]):
    user = UserSerializer()
    preferences = serializers.DictField(help_text="see `/session/preferences`")


class Session(APIView):
    """Log the browser in with a token, ask who is logged in, log out."""

    frees_space = True

    authentication_classes = [TokenAuthentication, BrowserSession]
    rights = needs(GET=Right.SEE, DELETE=Right.SEE)

    def get_permissions(self) -> list[object]:  # type: ignore[override]  # DRF's stub narrows the list's element
        # A stranger may POST here, and gets 405 for an unknown method.
        return super().get_permissions() if self.request.method in CLOSED else [AllowAny()]  # type: ignore[return-value]  # same

    def get_authenticators(self) -> list[object]:  # type: ignore[override]  # DRF's stub narrows the list's element
        # A stale cookie must not stand in the way of logging in again.
        return [] if self.request and self.request.method == "POST" else super().get_authenticators()  # type: ignore[return-value]  # same

    def get_authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's hook
        return REALM  # also where nobody authenticates: a wrong token is 401

    @extend_schema(operation_id="session_get", responses=SessionSerializer)
    def get(self, request: Request) -> Response:
        get_token(request._request)  # noqa: SLF001 - sets the CSRF cookie on Django's own request
        return Response(_session(caller(request)))

    @extend_schema(operation_id="session_create", request=LoginSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        """Sign in with a token. The session ends with the token that opened it, and after 30 days. Read-only tokens,
        tokens of one project and tokens of service accounts can't open a session."""
        token = token_with(validated(LoginSerializer, request)["token"], request._request)  # noqa: SLF001 - Django's own
        check_opens_session(token)
        login(request._request, token.user, backend="django.contrib.auth.backends.ModelBackend")  # noqa: SLF001 - as above
        if token.expires is not None:
            left = token.expires - timezone.now()
            request.session.set_expiry(min(int(left.total_seconds()), settings.SESSION_COOKIE_AGE))
        throttling.forget_wrong(request._request, throttling.TOKENS)  # noqa: SLF001 - as above
        return Response(_session(token.user))

    @extend_schema(operation_id="session_delete", request=None, responses={200: SignedOutSerializer})
    def delete(self, request: Request) -> Response:
        """Sign this browser out. If it signed in through an identity provider, its session there continues until you
        open the returned `address`."""
        given = request.session.get(GIVEN)
        logout(request._request)  # noqa: SLF001 - as above
        return Response({"provider": still_signed_in(given)})  # the provider may answer slowly: log out first


class SessionPreferences(APIView):
    rights = needs(GET=Right.SEE, PUT=Right.SEE)

    @extend_schema(operation_id="preferences_get", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Return the preferences stored last; an empty object at first."""
        return Response(preferences_of(caller(request)))

    @extend_schema(operation_id="preferences_put", request=PREFERENCES, responses=OpenApiTypes.OBJECT)
    def put(self, request: Request) -> Response:
        """Replace the preferences with a JSON object of at most 16 kB."""
        return Response(keep_preferences(caller(request), request.data))


def _session(user: User) -> dict[str, Any]:
    standing = standing_document(user, shown=lambda _: True)
    shown = {"id": user.pk, "username": user.username, **standing}
    return {"user": shown, "preferences": preferences_of(user)}
