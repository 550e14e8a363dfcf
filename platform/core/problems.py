"""Errors as RFC 9457 problem documents: the one place where an error gets its HTTP status."""

import logging
import sys
from http import HTTPStatus
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.module_loading import import_string
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from core import disk_space, errors
from core.logs import current
from core.postgres.lock_errors import is_lock_error

logger = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"
STATUS: dict[type[errors.MotherlodeError], int] = {
    errors.Unprocessable: 422,
    errors.TooLarge: 413,
    errors.LengthRequired: 411,
    errors.Invalid: 400,
    errors.TooManyAtOnce: 429,
    errors.TooManyAttempts: 429,
    errors.TooManyRequests: 429,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.PreconditionFailed: 412,
    errors.RangeNotSatisfiable: 416,
    errors.NotAllowed: 403,
    errors.Unavailable: 503,
    errors.OutOfSpace: 507,
}
WAITED_FOR = {429, 503}
DRF_CODES = {401: "not_authenticated", 403: "not_allowed", 404: "not_found", 405: "method_not_allowed",
             406: "not_acceptable", 415: "unsupported_media_type", 429: "throttled"}  # fmt: skip
# Django's exceptions; the first match counts. Their messages may reveal internals, so they stay in the log.
DJANGO: tuple[tuple[tuple[type[Exception], ...], int, str, str], ...] = (
    ((Http404,), 404, "not_found", "There is nothing at this address."),
    ((PermissionDenied,), 403, "not_allowed", "This account may not do that."),
    ((RequestDataTooBig,), 413, "too_large", "The body is too large: send files as multipart or an archive."),
    ((SuspiciousOperation, BadRequest, MultiPartParserError), 400, "invalid", "The request is malformed."),
    ((OperationalError, InterfaceError), 503, "unavailable", "The database does not answer. Try again."),
)
LOCKED = "Another write holds what this one needs. Nothing of yours was written: send it again in 2 s."
NO_SPACE = "A disk of the platform is full. Send it again when an operator has freed space; nothing half-done was kept."
INTERNAL = "Something went wrong on our side; the log has the details. Nothing half-done was kept."


def problem(
    status: int,
    *,
    code: str,
    detail: str,
    errors: dict[str, list[str]] | None = None,
    extra: dict[str, object] | None = None,
) -> dict[str, object]:
    """Return the problem document as a dictionary."""
    document: dict[str, object] = {
        "type": f"urn:motherlode:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    if errors:
        document["errors"] = errors
    if status >= 500 and (request_id := current("request_id")):
        document["instance"] = f"urn:motherlode:request:{request_id}"
    return document | (extra or {})


def response_to(exc: BaseException | None) -> HttpResponse:
    """Return the problem document as a plain Django response, for middleware and views outside DRF; 500 for unexpected
    errors."""
    document = (_document(exc) if isinstance(exc, Exception) else None) or problem(
        500, code="internal", detail=INTERNAL
    )
    status = int(str(document["status"]))
    if status >= 500:
        logger.error("answered %s", document["code"], exc_info=exc)
    headers = {"Retry-After": str(int(getattr(exc, "wait", None) or 2))} if status in WAITED_FOR else {}
    return HttpResponse(orjson.dumps(document), status=status, content_type=PROBLEM_JSON, headers=headers)


def handler(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's hook
    """Django's handler400, 403, 404 and 500: for exceptions raised outside of every view."""
    return response_to(exception or sys.exc_info()[1])


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's hook
    """Django's CSRF_FAILURE_VIEW."""
    detail = "The CSRF token is missing or wrong: reload the page, or send a bearer token instead of the session."
    return response_to(errors.NotAllowed(detail, code="csrf_failed"))


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's handler: any exception a view raised becomes a problem document; unknown ones stay unknown (500)."""
    document = _document(exc)
    if document is None:
        return None
    if isinstance(exc, exceptions.MethodNotAllowed):
        methods = ", ".join(sorted({*context["view"].allowed_methods} - {"OPTIONS", context["request"].method}))
        document["detail"] = f"{context['request'].method} is not possible at this address; these are: {methods}."
    elif isinstance(exc, exceptions.UnsupportedMediaType):
        kinds = ", ".join(dict.fromkeys(one.media_type for one in context["view"].parser_classes))
        document["detail"] = f"Content-Type: this address reads {kinds}, not {context['request'].content_type[:100]!r}."
    elif isinstance(exc, exceptions.NotAcceptable):
        kinds = ", ".join(dict.fromkeys(one.media_type for one in context["view"].renderer_classes))
        document["detail"] = f"Accept: this address answers with {kinds}."
    elif isinstance(exc, exceptions.NotAuthenticated):
        document["detail"] = "Sign in, or send your token in the header `Authorization: Bearer TOKEN`."
    set_rollback()
    status = int(str(document["status"]))
    if status >= 500:
        logger.error("%s answered %s", context["request"].path, document["code"], exc_info=exc)
    response = Response(document, status=status, content_type=PROBLEM_JSON)
    if isinstance(exc, exceptions.APIException) and (header := getattr(exc, "auth_header", None)):
        response["WWW-Authenticate"] = header
    if isinstance(exc, errors.RangeNotSatisfiable):
        response["Content-Range"] = f"bytes */{exc.size}"
    if status in WAITED_FOR:
        response["Retry-After"] = str(int(getattr(exc, "wait", None) or 2))
    return response


def _document(exc: Exception) -> dict[str, object] | None:
    found = _known(exc)
    if (found is None or int(str(found["status"])) in {500, 503}) and disk_space.is_cause_of(exc):
        return problem(507, code=errors.OutOfSpace.code, detail=NO_SPACE)
    return found


def _known(exc: Exception) -> dict[str, object] | None:
    if _waited_for_lock(exc):
        return problem(503, code=errors.Busy.code, detail=LOCKED)
    if isinstance(exc, errors.MotherlodeError):
        status = next((status for kind, status in STATUS.items() if isinstance(exc, kind)), 500)
        return problem(status, code=exc.code, detail=exc.detail, errors=exc.errors, extra=exc.extra)
    if isinstance(exc, exceptions.ValidationError):
        fields = _flatten(exc.detail)
        detail = "; ".join(f"{field}: {messages[0]}" for field, messages in fields.items())
        return problem(400, code="invalid", detail=detail, errors=fields)
    if isinstance(exc, exceptions.APIException):
        return problem(exc.status_code, code=DRF_CODES.get(exc.status_code, exc.default_code), detail=str(exc.detail))
    for kinds, status, code, detail in DJANGO:
        if isinstance(exc, kinds):
            return problem(status, code=code, detail=detail)
    for path, status in settings.PROBLEM_STATUS.items():
        if isinstance(exc, import_string(path)):
            return problem(status, code=exc.code, detail=str(exc))
    return None


def _waited_for_lock(exc: Exception) -> bool:
    """Whether a write gave up waiting for another one (LOCK_SECONDS), or was chosen to end a deadlock with it."""
    return is_lock_error(exc) or (isinstance(exc, OperationalError) and "database is locked" in str(exc))


def _flatten(detail: Any, prefix: str = "") -> dict[str, list[str]]:
    """Flatten DRF's nested validation detail to {dotted field: [messages]}; errors of no single field go under
    `body`."""
    if isinstance(detail, dict):
        flat: dict[str, list[str]] = {}
        for key, value in detail.items():
            own = [] if key == api_settings.NON_FIELD_ERRORS_KEY else [str(key)]
            flat |= _flatten(value, ".".join([prefix, *own] if prefix else own))
        return flat
    if isinstance(detail, list) and any(isinstance(item, dict) for item in detail):
        flat = {}
        for index, item in enumerate(detail):
            flat |= _flatten(item, f"{prefix}.{index}" if prefix else str(index))
        return flat
    messages = detail if isinstance(detail, list) else [detail]
    return {prefix or "body": [str(message) for message in messages]} if messages else {}
