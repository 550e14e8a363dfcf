"""How a request is authenticated: by a bearer token, or by the browser's session with CSRF."""

import base64
import binascii
from copy import copy

from django.http import HttpRequest, QueryDict
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts import throttling
from accounts.audit import address_of
from accounts.models import Token, User
from core.logs import add_log_fields

REALM = 'Bearer realm="motherlode"'


def log_user(user: User) -> None:
    """Add the user to the request's log records from now on."""
    add_log_fields(user_id=user.pk, user=user.username)


def token_with(secret: str, request: HttpRequest) -> Token:
    """Return the token with this secret and record its use. Raises AuthenticationFailed if it is unknown or has
    expired, TooManyAttempts if too many wrong ones came from this address."""
    token, address = Token.objects.known(secret), address_of(request)
    if token is None or token.last_address != address:
        throttling.check_wait(request, throttling.TOKENS)
    if token is None:
        if secret:
            throttling.count_wrong(request, throttling.TOKENS, secret)
        words = "The server does not know this token: copy all of it, or ask an owner for a new one."
        raise AuthenticationFailed(words)
    if token.expired:
        words = f"The token {token.name!r} expired on {token.expires:%Y-%m-%d at %H:%M} UTC: make another."
        raise AuthenticationFailed(words)
    Token.objects.used(token, address)
    token.user.seen()
    return token


class TokenAuthentication(BaseAuthentication):
    """Authenticate by `Authorization: Bearer <token>`; a token anywhere else is ignored."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the token's user and the token; looked up once per request."""
        known: tuple[User, Token] | None = getattr(request._request, "token_holder", None)  # noqa: SLF001 - Django's own
        if known is None and (known := self._holder(request)):
            request._request.token_holder = known  # type: ignore[attr-defined]  # noqa: SLF001 - as above
            log_user(known[0])
        return known

    def _holder(self, request: Request) -> tuple[User, Token] | None:
        secret = self.secret_of(get_authorization_header(request).decode("latin-1"))
        if secret is None:
            return None
        token = token_with(secret, request._request)  # noqa: SLF001 - as above
        return token.user, token

    def secret_of(self, header: str) -> str | None:
        """Return the token in the header `Authorization`; None if it proves nothing that this class knows."""
        scheme, _, secret = header.partition(" ")
        return secret.strip() if scheme.lower() == "bearer" else None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's hook
        return REALM


class TokenOrPasswordAuthentication(TokenAuthentication):
    """Authenticate as TokenAuthentication does, or by HTTP Basic with the token as its password, for the clients of
    others."""

    def secret_of(self, header: str) -> str | None:
        basic = login_of(header)
        return super().secret_of(header) if basic is None else basic[1]


def login_of(header: str) -> tuple[str, str] | None:
    """Return login and password of a header `Authorization: Basic ..`; empty ones if it can't be read, None if it is of
    another scheme."""
    scheme, _, rest = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        login, _, secret = base64.b64decode(rest.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return login, secret.strip()


class BrowserSession(SessionAuthentication):
    """Authenticate by the browser's session cookie; unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        found = super().authenticate(request)
        if found is not None:
            found[0].seen()
            log_user(found[0])
        return found

    def enforce_csrf(self, request: Request) -> None:
        """Check the CSRF token in the header only, so that no body is read before the user is known."""
        bodiless = copy(request._request)  # noqa: SLF001 - Django's own
        bodiless.POST = QueryDict()
        super().enforce_csrf(bodiless)  # type: ignore[arg-type]  # Django's check looks at Django's request

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's hook
        return REALM
