"""Helpers to build the JSON schemas of labels."""

from typing import Any

Schema = dict[str, Any]
PLACE = "#/components/schemas/"
MOST_TEXT, MOST_NUMBER, MOST_ENTRIES = 1_000, 2**53, 10_000
TEXT: Schema = {"type": "string", "maxLength": MOST_TEXT}
NUMBER: Schema = {"type": "number", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER}
SHARES: Schema = {"type": "object", "additionalProperties": NUMBER, "maxProperties": MOST_ENTRIES}


def record(required: Schema, others: Schema | None = None) -> Schema:
    """Return the schema of an object with these properties and no others."""
    properties = required | (others or {})
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": [*required]}


def listed(items: Schema) -> Schema:
    """Return the schema of a list of such items."""
    return {"type": "array", "items": items, "maxItems": MOST_ENTRIES}


def numbers(count: int, words: str) -> Schema:
    """Return the schema of a list of this many numbers; `words` describe them."""
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count, "description": words}


def reference(name: str) -> Schema:
    """Return a reference to the schema of that name."""
    return {"$ref": f"{PLACE}{name}"}
