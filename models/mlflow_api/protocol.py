"""The rules of MLflow's REST protocol that hold for all of its operations: who asks, what is read, what a refusal is.

The protocol is not ours, so its operations are in no OpenAPI document: fields that are unknown here are ignored,
success is always 200, and a refusal is `{"error_code", "message"}`. Clients try again after 408, 429 and 5xx.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import TokenOrPasswordAuthentication
from accounts.permissions import HasRole
from catalog.api.bytes import AnyAccept
from core.bounds import bounded_throughout
from core.errors import NotFound
from core.problems import exception_handler

INVALID = "INVALID_PARAMETER_VALUE"
UNKNOWN = "RESOURCE_DOES_NOT_EXIST"
ERROR_CODES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: UNKNOWN,
    405: "ENDPOINT_NOT_FOUND",
    409: "RESOURCE_CONFLICT",
    429: "REQUEST_LIMIT_EXCEEDED",
    503: "TEMPORARILY_UNAVAILABLE",
    507: "RESOURCE_EXHAUSTED",
}
"""MLflow's word for a status; for any other 4xx it is INVALID, for any other 5xx INTERNAL_ERROR."""


class Operation(APIView):
    """An operation of the protocol."""

    schema = None
    authentication_classes = [TokenOrPasswordAuthentication]
    permission_classes = [HasRole]
    content_negotiation_class = AnyAccept

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        view: Any = super().as_view(**initkwargs)
        view.query_parameters = None  # newer clients may send more: see `asked`
        return view

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        return refusal


class NoSuchOperation(NotFound):
    """An operation of MLflow that the platform does not have."""

    error_code = "ENDPOINT_NOT_FOUND"


class Refused(exceptions.APIException):
    """An operation that the platform does in another way, which the message names."""

    status_code = 400
    error_code = INVALID


class Exists(Refused):
    """What a client would create is there already; clients then go on with that."""

    error_code = "RESOURCE_ALREADY_EXISTS"


def refusal(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's handler for operations of the protocol: a problem document as MLflow's clients read it."""
    told = exception_handler(exc, context)
    if told is None:
        return None
    document: Mapping[str, Any] = told.data
    status = told.status_code
    usual = ERROR_CODES.get(status, INVALID if status < 500 else "INTERNAL_ERROR")
    told.data = {"error_code": getattr(exc, "error_code", usual), "message": document["detail"]}
    told.content_type = "application/json"
    return told


def asked(shape: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Read the fields of a request: in its query if it is a GET, else in its body. Raises ValidationError naming each
    faulty field; unknown ones are ignored, because newer clients may send more."""
    data = request.query_params if request.method in {"GET", "HEAD"} else request.data
    values: dict[str, Any] = bounded_throughout(shape()).run_validation(data)
    return values


def milliseconds(moment: Any) -> int | None:
    """Return a time as the protocol writes it; None if there is none."""
    return None if moment is None else int(moment.timestamp() * 1000)


def tag_list(tags: Mapping[str, object]) -> list[dict[str, str]]:
    """Return tags or params as the protocol writes them; None stands for one that is not there."""
    return [{"key": key, "value": str(value)} for key, value in tags.items() if value is not None]
