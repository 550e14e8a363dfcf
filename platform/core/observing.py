"""Observation of every request: an id shared by its log records and its answer, and its duration."""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from opentelemetry.trace import SpanKind, StatusCode

from core import host_metrics, tracing
from core.logs import current, log_fields

logger = logging.getLogger(__name__)
HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9_.-]{1,64}")
METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
BUSY, FREE = (0.0, 1.0), (0.0, -1.0)  # a thread more or less that is at a request
ASKED_BY_MACHINES = {"/health/live", "/health/ready", "/metrics"}


class ObserveRequests:
    """Take the request's id if it is well-formed, or make one; return it in the answer; count and log the request.

    Counts and logs name the route only, never the URL: URLs are unlimited in number, and may hold names and secrets.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asked = request.headers.get(HEADER, "")
        request_id = asked if WELL_FORMED.fullmatch(asked) else uuid4().hex
        with log_fields(request_id=request_id), _traced(request) as told:
            begun = time.perf_counter()
            host_metrics.web_threads.add((), BUSY)
            try:
                response = self.get_response(request)
            finally:
                host_metrics.web_threads.add((), FREE)
            _note(request, response.status_code, time.perf_counter() - begun)
            told(response.status_code)
        response[HEADER] = request_id
        return response


@contextmanager
def _traced(request: HttpRequest) -> Iterator[Callable[[int], None]]:
    """Open the request's span, in the trace that the request names, if any; call the yielded function with the status.
    Requests that machines send every few seconds, and those for static files, have no span."""
    if request.path in ASKED_BY_MACHINES or request.path.startswith(settings.STATIC_URL):
        yield lambda _: None
        return
    with tracing.span("request", parent=request.headers.get("traceparent", ""), kind=SpanKind.SERVER) as span:

        def told(status: int) -> None:
            route = route_of(request)
            span.update_name(f"{_method(request)} {route}")
            span.set_attributes(
                {
                    "http.request.method": _method(request),
                    "http.route": route,
                    "http.response.status_code": status,
                    "motherlode.request_id": str(current("request_id")),
                }
            )
            if status >= 500:
                span.set_status(StatusCode.ERROR)

        yield told


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def _note(request: HttpRequest, status: int, seconds: float) -> None:
    method, route = _method(request), route_of(request)
    host_metrics.requests.observe(route, method, f"{status // 100}xx", seconds=seconds)
    level = logging.DEBUG if route in ASKED_BY_MACHINES else logging.INFO
    with log_fields(method=method, route=route, status=status, seconds=round(seconds, 4)):
        logger.log(level, "%s %s answered %d", method, route, status)


def route_of(request: HttpRequest) -> str:
    """Return the route as the schema writes it (`/jobs/{pk}`); `static` for files, `none` if no route matched."""
    if request.resolver_match is not None:
        return _named(request.resolver_match.route)
    return "static" if request.path.startswith(settings.STATIC_URL) else "none"


@cache
def _named(route: str) -> str:
    return "/app/" if route.startswith("^") else "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
