"""What holds for every request, whatever the view."""

import hashlib
import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from core import idempotency
from core.errors import MotherlodeError
from core.problems import STATUS, problem_response

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
)


class SecurityHeaders:
    """A content security policy on every answer that did not set a stricter one."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CSP)
        return response


class RefuseChunkedBody:
    """Answer 411 to a body without a length: Django under WSGI would read it as empty (ticket 35838)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
            detail = "Send a Content-Length: chunked bodies are not accepted."
            return problem_response(411, code="length_required", detail=detail)
        return self.get_response(request)


class ServiceUnavailable:
    """A database that does not answer is 503 and a request to try again, also outside DRF's views."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse:
        """Turn what no view caught into a problem document without a stack in it."""
        if isinstance(exception, MotherlodeError):
            status = next(status for kind, status in STATUS.items() if isinstance(exception, kind))
            return problem_response(status, code=exception.code, detail=exception.detail)
        if isinstance(exception, OperationalError | InterfaceError):
            response = problem_response(503, code="unavailable", detail="The database does not answer. Try again.")
            response["Retry-After"] = "2"
            return response
        logger.error("unexpected error at %s", request.path, exc_info=exception)
        detail = "Something went wrong on our side; the log has the details. Nothing half-done was kept."
        return problem_response(500, code="internal", detail=detail)


class Idempotency:
    """`Idempotency-Key` on a POST: the same key and body answers the first response again."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        key = request.headers.get("Idempotency-Key")
        if key is None or request.method != "POST":
            return self.get_response(request)
        try:
            claim = idempotency.claim(caller=_caller(request), key=key, fingerprint=idempotency.fingerprint(request))
        except MotherlodeError as error:
            status = next(status for kind, status in STATUS.items() if isinstance(error, kind))
            return problem_response(status, code=error.code, detail=error.detail)
        if claim.is_complete:
            return _replay(claim)
        try:
            response = self.get_response(request)
        except BaseException:
            idempotency.release(claim)
            raise
        if response.status_code >= 500 or response.status_code in {401, 403} or isinstance(response, StreamingHttpResponse):
            idempotency.release(claim)
        elif isinstance(response, HttpResponse):
            kind = response.headers.get("Content-Type", "")
            idempotency.complete(claim, status=response.status_code, content_type=kind, body=bytes(response.content))
        return response


def _caller(request: HttpRequest) -> str:
    """Who asks, as a digest: the token header, or the session."""
    credential = request.headers.get("Authorization") or request.COOKIES.get("sessionid", "")
    return hashlib.sha256(credential.encode()).hexdigest()


def _replay(claim: idempotency.IdempotencyRecord) -> HttpResponse:
    response = HttpResponse(bytes(claim.body), status=claim.status, content_type=claim.content_type)
    response["Idempotency-Replayed"] = "true"
    return response
