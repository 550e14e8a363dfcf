"""Bodies read as they come: chunked ones too, which git and DVC send and which Django takes for empty."""

from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar, cast

from django.http import HttpRequest
from django.urls import Resolver404, resolve

DRAIN_BYTES = 1 << 16
View = TypeVar("View", bound=Callable[..., Any])


def reads_chunked(view: View) -> View:
    """Mark a view that reads its body by `body_of` alone."""
    view.reads_chunked = True  # type: ignore[attr-defined]  # functions take attributes
    return view


def is_chunked(request: HttpRequest) -> bool:
    """The body comes without its length."""
    return bool(request.META.get("HTTP_TRANSFER_ENCODING"))


def has_body(request: HttpRequest) -> bool:
    """One came, or is to come."""
    return is_chunked(request) or request.META.get("CONTENT_LENGTH") not in {None, "", "0"}


def takes_chunked(request: HttpRequest) -> bool:
    """The view reads such bodies, and the server says where they end."""
    if not request.META.get("wsgi.input_terminated"):
        return False
    try:
        return getattr(resolve(request.path_info).func, "reads_chunked", False)
    except Resolver404:
        return False


def drained(request: HttpRequest, *, most: int) -> bool:
    """Read the rest of the body and throw it away. False when there may be more of it than `most` bytes, or it broke
    off."""
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
    """The body, to be read once. Of a chunked one Django knows no length: it is read from the server's own stream."""
    return cast(BinaryIO, request.META["wsgi.input"] if is_chunked(request) else request)
