"""Bodies read as they come: chunked ones too, which git and DVC send and which Django takes for empty."""

from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar, cast

from django.http import HttpRequest
from django.urls import Resolver404, resolve

View = TypeVar("View", bound=Callable[..., Any])


def reads_chunked(view: View) -> View:
    """Mark a view that reads its body by `body_of` alone."""
    view.reads_chunked = True  # type: ignore[attr-defined]  # functions take attributes
    return view


def is_chunked(request: HttpRequest) -> bool:
    """The body comes without its length."""
    return bool(request.META.get("HTTP_TRANSFER_ENCODING"))


def takes_chunked(request: HttpRequest) -> bool:
    """The view reads such bodies, and the server says where they end."""
    if not request.META.get("wsgi.input_terminated"):
        return False
    try:
        return getattr(resolve(request.path_info).func, "reads_chunked", False)
    except Resolver404:
        return False


def body_of(request: HttpRequest) -> BinaryIO:
    """The body, to be read once. Of a chunked one Django knows no length: it is read from the server's own stream."""
    return cast(BinaryIO, request.META["wsgi.input"] if is_chunked(request) else request)
