"""`/session/oidc`: the browser's redirect to the identity provider and back, and the options of the sign-in page."""

import logging
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login
from django.core import signing
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import oidc
from core.errors import NotFound
from core.query_parameters import takes
from core.reading_views import only_read

logger = logging.getLogger(__name__)
COOKIE, SALT, MINUTES = "oidc", "accounts.oidc", 10
"""The values that a browser must bring back are stored in a signed cookie, so that a sign-in that is only begun creates
no row."""


GIVEN = "oidc_id_token"
"""The session key of the ID token that the provider issued."""


class ProviderSerializer(serializers.Serializer[None]):
    name = serializers.CharField(help_text="display name of the identity provider")
    address = serializers.CharField(help_text="URL to send the browser to; to sign in, add `?next=` and a page")


class SignInOptionsSerializer(serializers.Serializer[None]):
    provider = ProviderSerializer(
        allow_null=True, help_text="identity provider; null if people sign in with tokens only"
    )


class SignedOutSerializer(serializers.Serializer[None]):
    provider = ProviderSerializer(
        allow_null=True,
        help_text="identity provider where this browser is still signed in; its `address` signs out there too",
    )


def still_signed_in(id_token: str | None) -> dict[str, str] | None:
    """Return the provider that issued this ID token, with the URL that ends the session there; None if there is
    none."""
    address = oidc.ending(id_token) if id_token and oidc.is_on() else None
    return None if address is None else {"name": settings.OIDC_NAME, "address": address}


class SignInOptions(APIView):
    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="session_options", auth=[], responses=SignInOptionsSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """Return the ways to sign in besides a token. Anybody may call this."""
        provider = {"name": settings.OIDC_NAME, "address": "/session/oidc"} if oidc.is_on() else None
        return Response({"provider": provider})


@takes("next")
@only_read
def start(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the provider."""
    _check_on()
    page = request.GET.get("next", "")
    try:
        address, bring = oidc.begin()
    except oidc.SignInRefusedError as refusal:
        return _back(refusal, page)
    answer = HttpResponseRedirect(address)
    kept = signing.dumps({**bring, "next": page[:2000]}, salt=SALT)
    flags = {"secure": settings.HTTPS, "httponly": True, "samesite": "Lax"}
    answer.set_cookie(COOKIE, kept, max_age=MINUTES * 60, path="/session/oidc", **flags)
    answer["Cache-Control"] = "no-store"
    return answer


@only_read
def callback(request: HttpRequest) -> HttpResponseBase:
    """Handle the return from the provider, with a code or its refusal. Further parameters are the provider's own."""
    _check_on()
    try:
        brought = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MINUTES * 60)
    except signing.BadSignature:
        brought = {}
    page = brought.get("next", "")
    try:
        told = {name: request.GET.get(name, "") for name in ("state", "code", "error")}
        identity = oidc.finish(brought, **told)
        person = oidc.person_of(identity)
    except oidc.SignInRefusedError as refusal:
        answer = _back(refusal, page)
    else:
        login(request, person, backend="django.contrib.auth.backends.ModelBackend")
        request.session[GIVEN] = identity.id_token
        request.session.set_expiry(int(settings.OIDC_SESSION_HOURS * 3600))
        answer = HttpResponseRedirect(f"/app{page}" if _is_page(page) else "/app/")
    answer.delete_cookie(COOKIE, path="/session/oidc", samesite="Lax")
    answer["Cache-Control"] = "no-store"
    return answer


def _check_on() -> None:
    if not oidc.is_on():
        raise NotFound("No identity provider is set up here: sign in with a token.", code="oidc_off")


def _back(refusal: oidc.SignInRefusedError, page: str) -> HttpResponseRedirect:
    """Redirect to the sign-in page, which explains the reason; the cause is only logged."""
    logger.warning("sign-in refused: %s", refusal.reason, exc_info=refusal.__cause__)
    query = {"refused": refusal.reason} | ({"next": page} if _is_page(page) else {})
    return HttpResponseRedirect(f"{oidc.SIGN_IN}?{urlencode(query)}")


def _is_page(page: str) -> bool:
    """Whether this is a page of the web application, not a URL elsewhere."""
    return page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
