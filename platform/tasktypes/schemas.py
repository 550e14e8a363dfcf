"""JSON schemas of labels, put together."""

from typing import Any

Schema = dict[str, Any]
PLACE = "#/components/schemas/"
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
SHARES: Schema = {"type": "object", "additionalProperties": NUMBER}


def record(required: Schema, others: Schema | None = None) -> Schema:
    """An object with these properties and no more."""
    properties = required | (others or {})
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": [*required]}


def listed(items: Schema) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items}


def numbers(count: int, words: str) -> Schema:
    """A list of so many numbers; `words` say what they are."""
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count, "description": words}


def reference(name: str) -> Schema:
    """The schema of that name."""
    return {"$ref": f"{PLACE}{name}"}
