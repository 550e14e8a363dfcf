"""Request bodies read as a stream, including chunked ones, which git and DVC send and Django takes for empty."""

from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar, cast

from django.http import HttpRequest
from django.urls import Resolver404, resolve

DRAIN_BYTES = 1 << 16
View = TypeVar("View", bound=Callable[..., Any])


def reads_chunked(view: View) -> View:
    """Mark a view that reads its body only through `body_of`."""
    view.reads_chunked = True  # type: ignore[attr-defined]  # functions take attributes
    return view


def is_chunked(request: HttpRequest) -> bool:
    """Whether the body is sent without its length."""
    return bool(request.META.get("HTTP_TRANSFER_ENCODING"))


def has_body(request: HttpRequest) -> bool:
    """Whether the request has a body, already received or still to come."""
    return is_chunked(request) or request.META.get("CONTENT_LENGTH") not in {None, "", "0"}


def takes_chunked(request: HttpRequest) -> bool:
    """Whether the view reads chunked bodies and the server marks where they end."""
    if not request.META.get("wsgi.input_terminated"):
        return False
    try:
        return getattr(resolve(request.path_info).func, "reads_chunked", False)
    except Resolver404:
        return False


def drained(request: HttpRequest, *, most: int) -> bool:
    """Read the rest of the body and discard it. Return False if it may exceed `most` bytes or if it broke off."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if not is_chunked(request) and (not announced.isdigit() or int(announced) > most):
        return False
    if is_chunked(request) and not request.META.get("wsgi.input_terminated"):
        return False
    body, taken = body_of(request), 0
    try:
        while taken <= most:
            chunk = body.read(DRAIN_BYTES)
            if not chunk:
                return True
            taken += len(chunk)
    except OSError:  # the client is gone, or sent less than it announced
        pass
    return False


def body_of(request: HttpRequest) -> BinaryIO:
    """Return the body, which can be read once. Django knows no length of a chunked one, so it is read from the server's
    own stream."""
    return cast(BinaryIO, request.META["wsgi.input"] if is_chunked(request) else request)
