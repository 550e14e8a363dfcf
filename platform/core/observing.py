"""What is seen of every request: an id that its log records and its answer share, and how long it took."""

import logging
import re
import time
from collections.abc import Callable
from functools import cache
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from core.logs import log_fields
from core.request_counts import Key, counts

logger = logging.getLogger(__name__)
HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9_.-]{1,64}")
METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
ASKED_BY_MACHINES = {"/health/live", "/health/ready", "/metrics"}


class ObserveRequests:
    """Take the id that a request brings, if it is well-formed, or make one; answer it; count and log the request.

    Neither tells of an address, only of the route: addresses are without end, and may hold names and secrets.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asked = request.headers.get(HEADER, "")
        request_id = asked if WELL_FORMED.fullmatch(asked) else uuid4().hex
        with log_fields(request_id=request_id):
            begun = time.perf_counter()
            response = self.get_response(request)
            _note(request, response.status_code, time.perf_counter() - begun)
        response[HEADER] = request_id
        return response


def _note(request: HttpRequest, status: int, seconds: float) -> None:
    method = request.method if request.method in METHODS else "other"
    route = route_of(request)
    counts().add(Key(route, str(method), f"{status // 100}xx"), seconds)
    level = logging.DEBUG if route in ASKED_BY_MACHINES else logging.INFO
    with log_fields(method=method, route=route, status=status, seconds=round(seconds, 4)):
        logger.log(level, "%s %s answered %d", method, route, status)


def route_of(request: HttpRequest) -> str:
    """The route as the schema writes it (`/jobs/{pk}`); `static` for files, `none` for what no route matched."""
    if request.resolver_match is not None:
        return _named(request.resolver_match.route)
    return "static" if request.path.startswith(settings.STATIC_URL) else "none"


@cache
def _named(route: str) -> str:
    return "/app/" if route.startswith("^") else "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
