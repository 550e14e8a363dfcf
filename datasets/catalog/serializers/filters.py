"""Filters in requests and responses: requests take either form, the OpenAPI schema describes the whole JSON form."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.filtering.documents import GROUPS, SEARCH
from catalog.filtering.expressions import (
    CHOICE,
    COUNTS,
    FLAG,
    IDS,
    MAX_NUMBER,
    MAX_OPERANDS,
    MAX_PARTS,
    MAX_SAMPLES,
    MAX_TEXT,
    NUMBER,
    OBJECT_FIELDS,
    OBJECTS,
    OPERATORS,
    ORDERS,
    SAMPLE_FIELDS,
    TEXT,
    Field,
)
from catalog.filtering.text import MAX_LENGTH

Schema = dict[str, Any]
FILTER = {"$ref": "#/components/schemas/Filter"}
_TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT}
_NUMBER: Schema = {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}
_SCALAR: Schema = {"oneOf": [_TEXT, _NUMBER, {"type": "boolean"}]}


@extend_schema_field({"oneOf": [{"type": "string", "maxLength": MAX_LENGTH}, FILTER]})
class FilterField(serializers.JSONField):
    """A filter as JSON, or as text like `split = train and boxes >= 10`."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str | dict):
            raise serializers.ValidationError(
                'must be a text like `split = train`, or an object like {"split": "train"}'
            )
        return data


@extend_schema_field(FILTER)
class FilterDocumentField(serializers.JSONField):
    """A stored filter, always in its JSON form."""


def add_filter_schema(result: Schema, **_: Any) -> Schema:
    """Add the schema of the JSON form of filters, which refers to itself; a hook of drf-spectacular."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    counts = _object({operator: _count() for operator in COUNTS})
    objects = {
        name: {"description": words, "oneOf": [_count(), counts, _object({"where": _ref("ObjectFilter"), "count": {
            "oneOf": [_count(), counts]}})]}
        for name, words in OBJECTS.items()
    }  # fmt: skip
    said = {
        "model": _TEXT,
        "class": _several(_TEXT),
        "confidence": _object(dict.fromkeys(ORDERS, _NUMBER)),
        "correct": {"type": "boolean", "description": "the label says the same; false: something else"},
    }
    prediction = _object(said) | {
        "required": ["model"],
        "description": "the model's most probable class, by its scores",
    }
    search = _TEXT | {"minLength": 1, "description": "a part of the key: the same as key contains"}
    schemas["Filter"] = _filter(SAMPLE_FIELDS, "Filter") | {
        "description": "All members must hold. The text form says the same; docs/howto/splits-and-slices.md has both.",
    }
    schemas["Filter"]["properties"] |= {SEARCH: search, **objects, "prediction": prediction}
    schemas["ObjectFilter"] = _filter(OBJECT_FIELDS, "ObjectFilter") | {
        "description": "What one box, polygon or ignore region must be.",
    }
    return result


def _filter(fields: Any, name: str) -> Schema:
    groups = {
        group: {"type": "array", "minItems": 1, "maxItems": MAX_PARTS, "items": _ref(name)} for group in GROUPS[:2]
    }
    told = {field: _field(kind) | {"description": kind.words} for field, kind in fields.items()}
    return _object(told | groups | {"not": _ref(name)}) | {"minProperties": 1}


def _field(field: Field) -> Schema:
    if field.kind == FLAG:
        return {"type": "boolean"}
    if field.kind == IDS:
        return {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_SAMPLES,
            "items": {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
        }
    if field.kind == CHOICE:
        return _several(_TEXT)
    value = {NUMBER: _NUMBER, TEXT: _TEXT}.get(field.kind, _SCALAR)
    operators = {
        operator: {"type": "array", "minItems": 1, "maxItems": MAX_OPERANDS, "items": value} if operator == "in"
        else {"type": "boolean"} if operator == "exists" else value
        for operator in OPERATORS[field.kind]
    }  # fmt: skip
    condition: Schema = {"oneOf": [*value.get("oneOf", [value]), _object(operators)]}
    return (
        {"type": "object", "minProperties": 1, "maxProperties": MAX_PARTS, "additionalProperties": condition}
        if field.nested
        else condition
    )


def _several(one: Schema) -> Schema:
    return {"oneOf": [one, {"type": "array", "minItems": 1, "maxItems": MAX_OPERANDS, "items": one}]}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _count() -> Schema:
    return {"type": "integer", "minimum": 0, "maximum": MAX_SAMPLES}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
