"""Invalid query parameters are refused: one that the operation does not declare, by its name, as it would otherwise be
ignored; text that is too long or that no database can store; and a parameter that stands there more often than it may,
as all but the last would be ignored.

The declaration is the one that the OpenAPI schema is made from (`extend_schema(parameters=..)`).
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.views import APIView

from core.bounds import MAX_NAMES, MAX_TEXT
from core.errors import Invalid
from core.forms import closest
from core.problems import response_to

UNKNOWN = "unknown_parameter"


class Bounds(NamedTuple):
    """The longest value that a parameter may have, and how often it may stand in a query."""

    length: int = MAX_TEXT
    times: int = 1


View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def takes(*names: str) -> Callable[[View], View]:
    """Declare the query parameters of a view outside DRF."""

    def declare(view: View) -> View:
        view.query_parameters = dict.fromkeys(names, Bounds())  # type: ignore[attr-defined]  # functions take attributes
        return view

    return declare


class RefuseUnknownParameters:
    """Answer 400 to query parameters that the view does not declare, or whose values are invalid."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _arguments: list[Any],
        _named: dict[str, Any],
    ) -> HttpResponse | None:
        """Django calls this before the view."""
        if not request.GET:
            return None
        known = getattr(view, "query_parameters", declared(getattr(view, "cls", None), request.method or ""))
        if known is None:
            return None
        faults, code = {name: [_no_such(name, known)] for name in request.GET if name not in known}, UNKNOWN
        if not faults:
            faults, code = _no_texts(request, known), Invalid.code
        if not faults:
            return None
        detail = "; ".join(f"{name}: {messages[0]}" for name, messages in faults.items())
        return response_to(Invalid(detail, code=code, errors=faults))


@cache
def declared(view: type[Any] | None, method: str) -> Mapping[str, Bounds] | None:
    """Return the query parameters that one of our views declares for an HTTP method, with the bounds of each; None for
    other views."""
    if view is None or not issubclass(view, APIView) or view.__module__.partition(".")[0] == "drf_spectacular":
        return None
    operation = getattr(view, "get" if method == "HEAD" else method.lower(), None)
    if operation is None:
        return None  # the view says that there is no such method
    schema = getattr(operation, "kwargs", {}).get("schema")
    if schema is None:
        return {}
    stated = schema()
    stated.view = view(request=None, kwargs={})
    stated.method = method
    parameters = stated.get_override_parameters()
    return {
        one.name: _bounds(one)
        for one in parameters
        if isinstance(one, OpenApiParameter) and one.location == OpenApiParameter.QUERY
    }


def _bounds(parameter: OpenApiParameter) -> Bounds:
    stated = parameter.type if isinstance(parameter.type, dict) else {}
    several = parameter.many or stated.get("type") == "array"
    return Bounds(stated.get("maxLength", MAX_TEXT), MAX_NAMES if several else 1)


def _no_texts(request: HttpRequest, known: Mapping[str, Bounds]) -> dict[str, list[str]]:
    faults = {
        name: [f"must have at most {known[name].length} characters, and no null characters"]
        for name, values in request.GET.lists()
        if any(len(value) > known[name].length or "\0" in value for value in values)
    }
    often = {
        name: [f"stands here {len(values)} times: at most {known[name].times}"]
        for name, values in request.GET.lists()
        if len(values) > known[name].times
    }
    return faults | often


def _no_such(name: str, known: Mapping[str, Bounds]) -> str:
    if not known:
        return "is not a query parameter here: this operation takes none"
    close = closest(name, known)
    return (
        f"is not a query parameter here; did you mean {close}?"
        if close
        else (f"is not a query parameter here; there are {', '.join(known)}")
    )
