"""Who asks, as git and DVC can say it: Basic with a token for a password, Bearer, a header of DVC's `auth = custom`,
or the read key of a repository."""

import base64
import binascii
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated

from accounts.authentication import log_user, token_with
from accounts.models import Token, User
from accounts.permissions import REVIEWER, check_role, check_scope
from core.errors import NotFound
from core.problems import response_to
from publishing.keys import USER, is_read_key
from publishing.models import Repository
from publishing.services import repository_now

HEADER = "X-Motherlode-Token"
P = ParamSpec("P")
View = Callable[P, HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who may read: a user, or whoever holds the read key of this number."""

    user: User | None
    key_number: int | None = None


def protected(view: Callable[Concatenate[HttpRequest, P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view for machines: no cookies, so no CSRF; where nobody is known, the answer asks for Basic credentials."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except (NotAuthenticated, AuthenticationFailed) as error:
            response = response_to(error)
            response["WWW-Authenticate"] = 'Basic realm="motherlode", charset="UTF-8"'
            return response

    return guarded


def writer_of(request: HttpRequest) -> User:
    """As `user_of`, with a token that does not only read. Raises NotAllowed for one that does."""
    token = _token_of(request)
    check_scope(token, str(request.method))
    return token.user


def user_of(request: HttpRequest) -> User:
    """The holder of the request's token, who reads. Raises NotAuthenticated, AuthenticationFailed for a token that is
    unknown or has expired, and NotAllowed for annotators: what is published holds every label."""
    return _token_of(request).user


def _token_of(request: HttpRequest) -> Token:
    _, secret = _secret(request)
    if not secret:
        raise NotAuthenticated("Send a token: as the password of HTTP Basic, as Bearer, or in " + HEADER + ".")
    token = token_with(secret)
    request.user = token.user
    log_user(token.user)
    check_role(token.user, REVIEWER)
    return token


def reader_of(request: HttpRequest, kind: str, name: str) -> Reader:
    """The holder of a token, or of the repository's read key. Raises NotAuthenticated."""
    login, secret = _secret(request)
    if login == USER and not secret.startswith("ml_"):
        repository = _repository(kind, name)
        if repository is not None and is_read_key(repository, secret):
            return Reader(None, repository.key_number)
    return Reader(user_of(request))


def _repository(kind: str, name: str) -> Repository | None:
    with suppress(NotFound):
        return repository_now(kind, name)
    return None


def _secret(request: HttpRequest) -> tuple[str, str]:
    """(login, secret) of the request, empty where it has none."""
    if told := request.headers.get(HEADER):
        return "", told.strip()
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return "", rest.strip()
    if scheme.lower() != "basic":
        return "", ""
    try:
        login, _, secret = base64.b64decode(rest.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return login, secret.strip()
