"""How the OpenAPI document is made: rules for all operations are here.

A view declares its own answers (`extend_schema`); a refusal that no rule covers is declared there too, as
`responses={.., 409: None}`. The limits of requests come from `core.bounds`, which also enforces them.
"""

from collections.abc import Iterator
from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation

from core.bounds import MAX_ENTRIES, MAX_ID, MAX_TEXT, NO_NUL, bounded, bounded_parameter
from core.forms import ChangeSerializer, NamesField, ReferenceField
from core.idempotency import MAX_KEY
from core.middleware import CHANGING, WRITING
from core.pagination import PAGE
from core.problems import PROBLEM_JSON

Document = dict[str, Any]
TEXT_HEADER: Document = {"schema": {"type": "string", "maxLength": MAX_TEXT}}
REFUSALS: dict[str, tuple[str, str, dict[str, str]]] = {
    "400": ("Invalid", "The request can't be done as written: `errors` says which field, and why.", {}),
    "401": ("Unauthorized", "Nobody is signed in, or the token is unknown or has expired.",
            {"WWW-Authenticate": "how to prove who asks"}),
    "403": ("Forbidden", "This account, or this token, may not do that; or the session's CSRF token is missing.", {}),
    "404": ("NotFound", "There is no such thing, or not for you.", {}),
    "406": ("NotAcceptable", "`Accept` asks for a media type that this operation does not answer with.", {}),
    "409": ("Conflict", "The state of things does not allow it now: `code` says which.", {}),
    "411": ("LengthRequired", "The body came without a `Content-Length`.", {}),
    "412": ("PreconditionFailed", "`If-Match` and its like can't be kept: what can be changed has no ETag.", {}),
    "413": ("TooLarge", "The body is larger than this operation takes.", {}),
    "415": ("UnsupportedMediaType", "The body is of a media type that this operation does not read.", {}),
    "416": ("RangeNotSatisfiable", "The `Range` begins behind the end of the bytes.",
            {"Content-Range": "how many bytes there are"}),
    "422": ("Unprocessable", "It is well-formed, and contradicts itself or what was sent before (`code`).", {}),
    "429": ("TooManyRequests", "Too many wrong tokens came from here, too much of yours is under way, or the project's "
            "requests of this minute are used up: wait.",
            {"Retry-After": "seconds to wait"}),
    "431": ("HeadersTooLarge", "The address and the headers are longer than the server takes.", {}),
    "5XX": ("Failed", "Our own fault, or a service that does not answer: `instance` names the request in the log.", {}),
}  # fmt: skip
"""By status: the name of the response, its description, its headers."""
PATHLESS = {one.name for one in PAGE}
IDEMPOTENCY_KEY: Document = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "A repeat with the same key and the same request hears the first answer again, for a week; the same "
    "key with another request is 422.",
}
NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"


class Schema(AutoSchema):
    def _get_parameters(self) -> list[Document]:
        parameters: list[Document] = super()._get_parameters()
        for one in parameters:
            one["schema"] = bounded_parameter(one["schema"], required=one.get("required", False))
        return [*parameters, *([IDEMPOTENCY_KEY] if self.method == "POST" and self.get_auth() else [])]

    def _map_basic_serializer(self, serializer: Any, direction: Direction) -> Document:
        if direction != "request":
            return dict(super()._map_basic_serializer(serializer, direction))  # type: ignore[no-untyped-call]  # the library's
        shape = serializer() if isinstance(serializer, type) else serializer
        document: Document = super()._map_basic_serializer(bounded(shape), direction)  # type: ignore[no-untyped-call]  # as above
        for name, field in shape.fields.items():
            if getattr(field, "allow_blank", False) and document["properties"][name].get("type") == "string":
                document["properties"][name].setdefault("pattern", NO_NUL)
        least = {"minProperties": 1} if isinstance(shape, ChangeSerializer) else {}
        return document | {"additionalProperties": False} | least

    def _map_serializer_field(self, field: Any, direction: Direction, bypass_extensions: bool = False) -> Any:  # noqa: FBT001, FBT002 - the library's signature
        schema = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]  # as above
        if direction == "request" and schema is not None:
            _bound_field(field, schema)
        return schema

    def _get_request_for_media_type(self, serializer: Any, direction: Direction = "request") -> Any:
        """The library treats all fields of a PATCH as optional; here the serializer decides."""
        method, self.method = self.method, "PUT" if self.method == "PATCH" else self.method
        try:
            schema, required = super()._get_request_for_media_type(serializer, direction)  # type: ignore[no-untyped-call]  # as above
        finally:
            self.method = method
        shape = serializer if isinstance(serializer, type) else type(serializer)
        return schema, required or issubclass(shape, ChangeSerializer)

    def _get_response_bodies(self, direction: Direction = "response") -> Document:
        # Django REST framework asks for this class while its own views are imported.
        from config.problem_serializer import ProblemSerializer

        self.resolve_serializer(ProblemSerializer, direction)
        bodies: Document = super()._get_response_bodies(direction)
        told = {*self._refusals(), *(status for status in bodies if status in REFUSALS)}
        return {status: answer for status, answer in bodies.items() if status not in REFUSALS} | {
            status: {"$ref": f"#/components/responses/{REFUSALS[status][0]}"} for status in sorted(told)
        }

    def _refusals(self) -> Iterator[str]:
        """Yield the statuses of possible refusals, by the kind of operation."""
        parameters = self._get_parameters()
        body = self._get_request_body()  # type: ignore[no-untyped-call]  # as above
        query = {one["name"] for one in parameters if one["in"] == "query"} - PATHLESS
        yield from ("400", "431", "5XX")
        if self.view.get_authenticators() or self.method == "POST":
            yield from ("401", "403", "429")
        if body or query or any(one["in"] == "path" for one in parameters):
            yield "404"
        if type(self.view).content_negotiation_class is DefaultContentNegotiation:
            yield "406"
        if self.method in CHANGING:
            yield from ("409", "412")
        if self.method in WRITING:
            yield from ("411", "413", "415")
        if self.method == "POST":
            yield "422"


class ReferenceExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # its hook is untyped
    target_class = ReferenceField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Any:  # noqa: ARG002 - the library's hook
        """Return the field's schema: a number or text in requests, text in responses."""
        if direction == "response":
            return {"type": "string"}
        text = {"type": "string", "maxLength": self.target.max_length or MAX_TEXT}
        if not self.target.allow_blank:
            _not_blank(text)
        return {"oneOf": [text, {"type": "integer", "minimum": 0, "maximum": MAX_ID}]}


def _bound_field(field: Any, schema: Document) -> None:
    """Add constraints that the library leaves out: the length of a list, that a file is not empty, nor a text blank."""
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        _bound_list(field, schema)
    elif isinstance(field, serializers.FileField) and not field.allow_empty_file:
        schema["minLength"] = 1
    elif _is_never_blank(field):
        _not_blank(schema)


def _is_never_blank(field: Any) -> bool:
    """Whether the field is a text that may not be blank and has no pattern of its own."""
    if not isinstance(field, serializers.CharField) or isinstance(field, ReferenceField) or field.allow_blank:
        return False
    return not any(isinstance(one, RegexValidator) for one in field.validators)


def _bound_list(field: Any, schema: Document) -> None:
    schema["maxItems"] = field.max_length or MAX_ENTRIES
    least = field.min_length or (0 if getattr(field, "allow_empty", True) else 1)
    if least:
        schema["minItems"] = least
    if isinstance(field, NamesField):
        schema["uniqueItems"] = True


def _not_blank(schema: Document) -> None:
    schema["minLength"] = max(schema.get("minLength", 1), 1)
    schema["pattern"] = NOT_BLANK


def add_problem_response(result: Document, **_: Any) -> Document:
    """A hook of drf-spectacular: add the refusals that operations refer to."""
    content = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    result["components"]["responses"] = {
        name: {
            "description": words,
            "content": content,
            **(
                {"headers": {header: TEXT_HEADER | {"description": of} for header, of in headers.items()}}
                if headers
                else {}
            ),
        }
        for name, words, headers in REFUSALS.values()
    }
    return result
