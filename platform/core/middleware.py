"""Middleware that applies to every request, whatever the view."""

import hashlib
import logging
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from core import disk_space, idempotency
from core.bodies import drained, has_body, is_chunked, takes_chunked
from core.errors import (
    Conflict,
    LengthRequired,
    MotherlodeError,
    NotAllowed,
    OutOfSpace,
    PreconditionFailed,
    Unavailable,
)
from core.models import IdempotencyRecord
from core.pending_migrations import gate
from core.problems import PROBLEM_JSON, response_to

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]
WEBHOOK_HEADER = "X-Motherlode-Secret"
"""The header with a webhook's own secret; its view checks it against the row that the webhook belongs to."""
HEALTH = "/health/"
WRITING = {"POST", "PUT", "PATCH"}
CHANGING = {*WRITING, "DELETE"}
PRECONDITIONS = ("If-Match", "If-None-Match", "If-Unmodified-Since")
MAX_DRAINED_BYTES = 16 << 20
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: {store}; "
    "connect-src 'self' {store}; object-src 'none'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
)


class SecurityHeaders:
    """Set a content security policy on every answer that has none yet. Images may come from the store."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.policy = CSP.format(store=settings.S3_PUBLIC_ENDPOINT)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        return response


class DrainRefusedBody:
    """Read the rest of a refused request's body: a server that answers and closes while the client still sends resets
    the connection, and the answer is lost on its way. Bodies beyond MAX_DRAINED_BYTES, and those of strangers, are not
    read: that answer says `Connection: close`, and the proxy before the server makes sure it arrives."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code >= 400 and has_body(request):
            known = response.status_code != 401 and hasattr(request, "user") and request.user.is_authenticated
            if not known or not drained(request, most=MAX_DRAINED_BYTES):
                response["Connection"] = "close"
        return response


class RefuseChunkedBody:
    """Answer 411 to a chunked body: Django under WSGI would read it as empty (ticket 35838). Views that read bodies by
    `core.bodies` take them."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_chunked(request) and not takes_chunked(request):
            return response_to(LengthRequired("Send a Content-Length: chunked bodies are not accepted."))
        return self.get_response(request)


class RefuseUntilMigrated:
    """Answer 503 while migrations of this code are missing from the database, except to questions about health."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(HEALTH):
            try:
                words = gate.words()
            except DatabaseError as error:
                return response_to(error)
            if words:
                return response_to(Unavailable(f"{words[0].upper()}{words[1:]}.", code="migrations_missing"))
        return self.get_response(request)


class RefuseWritesWithoutSpace:
    """Answer 507 to a write while the disk is nearly full. Views that free space or only end something (`frees_space`)
    are let through."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., object], *_: object) -> HttpResponse | None:
        """Django calls this before each view."""
        if request.method in WRITING and not getattr(getattr(view, "cls", view), "frees_space", False):
            try:
                disk_space.check()
            except OutOfSpace as error:
                return response_to(error)
        return None


class RefusePreconditions:
    """Answer 412 to a change with a precondition, which can't be checked: objects that can change have no ETag. Where
    they have a version number, the body names it (`parent`)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asked = [name for name in PRECONDITIONS if request.headers.get(name, "*") != "*"]
        if asked and request.method in CHANGING:
            return response_to(
                PreconditionFailed(
                    f"{asked[0]} can't be kept here, as nothing that can be changed has an ETag; nothing was done. "
                    "Leave it out; a commit names the version that it builds on as its `parent`."
                )
            )
        return self.get_response(request)


class Problems:
    """Turn an exception that no view caught into a problem document without a stack trace, also outside DRF's views."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG002 - a hook
        """Django calls this for every exception of a view."""
        return response_to(exception)


class Idempotency:
    """`Idempotency-Key` on a POST: a repeat with the same key and body gets the first answer again.

    The rights that the first request used are checked again before its answer is repeated. An answer with
    `Cache-Control: no-store` shows a secret once and is not stored: a repeat is told that it was done.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        key, caller = request.headers.get("Idempotency-Key"), _caller(request)
        if key is None or caller is None or request.method != "POST":
            return self.get_response(request)
        if _person(request) and not _is_known(request):
            return self.get_response(request)  # the view refuses a stranger, whose body nobody reads
        try:
            claim = idempotency.claim(
                caller=caller,
                key=key,
                fingerprint=idempotency.fingerprint(request, read=_person(request) is not None),
                patience=idempotency.patience(request),
            )
        except MotherlodeError as error:
            return response_to(error)
        if claim.is_complete:
            return _replay(claim, request)
        try:
            response = self.get_response(request)
        except BaseException:
            idempotency.release(claim)
            raise
        done_nothing = response.status_code >= 500 or response.status_code in {401, 403, 429}
        if done_nothing or not isinstance(response, HttpResponse):
            idempotency.release(claim)
        elif "no-store" in response.headers.get("Cache-Control", ""):
            again = response_to(_told_once())
            _complete(claim, request, again, PROBLEM_JSON)
        else:
            _complete(claim, request, response, response.headers.get("Content-Type", ""))
        return response


def _complete(claim: IdempotencyRecord, request: HttpRequest, answer: HttpResponse, kind: str) -> None:
    rights: idempotency.RequestRights | None = getattr(request, "rights", None)
    body, needs = bytes(answer.content), [] if rights is None else rights.used()
    try:
        idempotency.complete(claim, status=answer.status_code, content_type=kind, body=body, needs=needs)
    except OperationalError as error:  # the work is committed: told otherwise, the caller would ask for it again
        logger.warning("the answer to %s %s is not kept for a repeat: %s", request.method, request.path, error)


def _told_once() -> Conflict:
    return Conflict(
        "This was done already, and its answer held a secret that is shown once: look at what there is, delete what "
        "you can't use, then ask for another with a new key.",
        code="answer_not_kept",
    )


def _caller(request: HttpRequest) -> str | None:
    """Return a digest that identifies the caller: of the token header, the session, or a webhook's secret; None for
    strangers, who share no answers."""
    credential = _person(request) or request.headers.get(WEBHOOK_HEADER)
    return hashlib.sha256(credential.encode()).hexdigest() if credential else None


def _person(request: HttpRequest) -> str | None:
    """Return the token header or the session cookie."""
    return request.headers.get("Authorization") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)


def _is_known(request: HttpRequest) -> bool:
    """Whether the caller is authenticated; checked also for a stored answer, for which the view is not called again."""
    try:
        return bool(Request(request, authenticators=APIView().get_authenticators()).user.is_authenticated)
    except (APIException, MotherlodeError):
        return False


def _replay(claim: IdempotencyRecord, request: HttpRequest) -> HttpResponse:
    try:
        _check_again(claim, request)
    except (APIException, MotherlodeError) as error:
        return response_to(error)
    response = HttpResponse(bytes(claim.body), status=claim.status, content_type=claim.content_type)
    response["Idempotency-Replayed"] = "true"
    return response


def _check_again(claim: IdempotencyRecord, request: HttpRequest) -> None:
    """Authenticate and authorize the repeat as its view would, and check the rights that the first request used, which
    may have been taken away since. Raises the view's refusal, or NotAllowed (`rights_changed`)."""
    match = resolve(request.path_info)
    if (made := getattr(match.func, "cls", None)) is not None:
        view: APIView = made(**getattr(match.func, "view_initkwargs", {}))
        view.setup(request, *match.args, **match.kwargs)
        asked = view.initialize_request(request, *match.args, **match.kwargs)
        view.perform_authentication(asked)
        for permission in view.get_permissions():
            if getattr(permission, "asked_on_replay", False) and not permission.has_permission(asked, view):
                view.permission_denied(asked)
    rights: idempotency.RequestRights | None = getattr(request, "rights", None)
    if rights is not None and not rights.hold([(project, right) for project, right in claim.needs]):
        words = "This was done, and you no longer have the rights that it took: ask an owner of the project for them."
        raise NotAllowed(words, code="rights_changed")
