"""Authentication as git and DVC support it: Basic with a token as password, Bearer, the header of DVC's `auth =
custom`, or the read key of a repository."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated

from accounts.authentication import log_user, login_of, token_with
from accounts.models import Token, User
from accounts.permissions import check_scope
from accounts.rights import Right, check, platform_work, stand, stand_as_platform
from core.errors import NotFound
from core.problems import response_to
from publishing.keys import USER, is_read_key
from publishing.models import Repository
from publishing.services import repository_now
from publishing.sources import source

HEADER = "X-Motherlode-Token"
P = ParamSpec("P")
View = Callable[P, HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of a repository: a user, or the holder of the read key with this number."""

    user: User | None
    key_number: int | None = None


def protected(view: Callable[Concatenate[HttpRequest, P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view for machines: no cookies, so no CSRF; without valid credentials, the response asks for Basic
    authentication."""

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


def writer_of(request: HttpRequest, kind: str, name: str) -> User:
    """Return the user as `user_of` does, for a token that is not read-only and a user who may build there. Raises
    NotAllowed."""
    token = _token_of(request, Right.BUILD)
    check_scope(token, str(request.method))
    _check(kind, name)
    return token.user


def user_of(request: HttpRequest, kind: str, name: str) -> User:
    """Return the user whose token the request has, if they may read this repository. Raises NotAuthenticated,
    AuthenticationFailed for an unknown or expired token, NotFound for a repository in a project that they are not in,
    and NotAllowed for annotators, because publications contain every label."""
    token = _token_of(request, Right.READ)
    _check(kind, name)
    return token.user


def _check(kind: str, name: str) -> None:
    """Raise NotFound if the user may not see the repository's dataset or model. Passes if there is no repository: the
    caller reports that."""
    repository = _repository(kind, name)
    if repository is not None:
        project = source(kind).project_of(repository.name)
        check(project, lambda: NotFound(f"Nothing of {name!r} is published yet.", code="unpublished"))


def _token_of(request: HttpRequest, right: Right) -> Token:
    _, secret = _secret(request)
    if not secret:
        raise NotAuthenticated("Send a token: as the password of HTTP Basic, as Bearer, or in " + HEADER + ".")
    token = token_with(secret, request)
    request.user = token.user
    log_user(token.user)
    stand(token.user, right, project=token.project_id)
    return token


def reader_of(request: HttpRequest, kind: str, name: str) -> Reader:
    """Return the holder of a token, or of the repository's read key. Raises as `user_of` does."""
    login, secret = _secret(request)
    if login == USER and not secret.startswith("ml_"):
        with platform_work():
            repository = _repository(kind, name)
        if repository is not None and is_read_key(repository, secret):
            stand_as_platform()
            return Reader(None, repository.key_number)
    return Reader(user_of(request, kind, name))


def _repository(kind: str, name: str) -> Repository | None:
    with suppress(NotFound):
        return repository_now(kind, name)
    return None


def _secret(request: HttpRequest) -> tuple[str, str]:
    """Return (login, secret) of the request; empty strings if it has none."""
    if told := request.headers.get(HEADER):
        return "", told.strip()
    header = request.headers.get("Authorization", "")
    scheme, _, rest = header.partition(" ")
    if scheme.lower() == "bearer":
        return "", rest.strip()
    return login_of(header) or ("", "")
