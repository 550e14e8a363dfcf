"""Default bounds of a request body's fields that declare none. Serializers validate with them, and the OpenAPI schema
states them."""

from collections.abc import Iterator
from typing import Any, TypeVar

from django.core.validators import (
    BaseValidator,
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
)
from drf_spectacular.drainage import has_override
from rest_framework import serializers

MAX_TEXT = 2_000
MAX_ENTRIES = 10_000
MAX_NAMES = 1_000
MAX_INTEGER = 2**53 - 1  # what every JSON reader keeps exactly
MAX_NUMBER = 1e15
MAX_ID = 2**63 - 1
NO_NUL = r"^[^\u0000]*$"
"""No database stores the null character."""
Shape = TypeVar("Shape", bound=serializers.BaseSerializer[Any])


def bounded(shape: Shape) -> Shape:
    """Add a default bound to each of the serializer's own fields that has none, and return the serializer."""
    for field in getattr(shape, "fields", {}).values():
        for part in _parts(field):
            part.validators = [*part.validators, *_missing(part)]
    return shape


def bounded_throughout(shape: Shape) -> Shape:
    """Add the default bounds to the serializer and to all serializers nested in it."""
    bounded(shape)
    for field in getattr(shape, "fields", {}).values():
        for part in _parts(field):
            if isinstance(part, serializers.BaseSerializer):
                bounded_throughout(part)
    return shape


def bounded_parameter(schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a URL parameter, with a default bound where it has none."""
    if "enum" in schema:
        return schema
    if schema.get("type") == "array":
        return {"maxItems": MAX_NAMES} | schema | {"items": bounded_parameter(schema["items"])}
    if schema.get("type") == "string" and "format" not in schema:
        return {**({"minLength": 1} if required else {}), "maxLength": MAX_TEXT, "pattern": NO_NUL} | schema
    if schema.get("type") == "integer":
        return {"minimum": 0, "maximum": MAX_ID} | schema
    if schema.get("type") == "number" and "exclusiveMinimum" not in schema:
        return {"minimum": -MAX_NUMBER, "maximum": MAX_NUMBER} | schema
    return schema


def _parts(field: Any) -> Iterator[Any]:
    """Yield the field and the fields of its entries, but none that declare a schema themselves: those have bounds
    already."""
    if has_override(field, "field"):
        return
    yield field
    if (child := getattr(field, "child", None)) is not None:
        yield from _parts(child)


def _missing(field: Any) -> Iterator[BaseValidator]:
    if isinstance(field, serializers.CharField):
        if not _has(field, MaxLengthValidator):
            yield MaxLengthValidator(MAX_TEXT, f"must have at most {MAX_TEXT} characters")
    elif isinstance(field, serializers.ListField | serializers.ListSerializer):
        if getattr(field, "max_length", None) is None and not _has(field, MaxLengthValidator):
            yield MaxLengthValidator(MAX_ENTRIES, f"must have at most {MAX_ENTRIES} entries")
    elif isinstance(field, serializers.DictField):
        if not _has(field, MaxLengthValidator):
            yield MaxLengthValidator(MAX_NAMES, f"must have at most {MAX_NAMES} names")
    elif isinstance(field, serializers.IntegerField | serializers.FloatField):
        most = MAX_INTEGER if isinstance(field, serializers.IntegerField) else MAX_NUMBER
        if field.min_value is None and not _has(field, MinValueValidator):
            yield MinValueValidator(-most, f"must be at least {-most}")
        if field.max_value is None and not _has(field, MaxValueValidator):
            yield MaxValueValidator(most, f"must be at most {most}")


def _has(field: Any, kind: type[BaseValidator]) -> bool:
    return any(isinstance(one, kind) for one in field.validators)
