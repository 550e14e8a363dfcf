"""JSON schemas of labels, put together."""

from typing import Any

Schema = dict[str, Any]
PLACE = "#/components/schemas/"
MOST_TEXT, MOST_NUMBER, MOST_ENTRIES = 1_000, 2**53, 10_000
TEXT: Schema = {"type": "string", "maxLength": MOST_TEXT}
NUMBER: Schema = {"type": "number", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER}
SHARES: Schema = {"type": "object", "additionalProperties": NUMBER, "maxProperties": MOST_ENTRIES}


def record(required: Schema, others: Schema | None = None) -> Schema:
    """An object with these properties and no more."""
    properties = required | (others or {})
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": [*required]}


def listed(items: Schema) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items, "maxItems": MOST_ENTRIES}


def numbers(count: int, words: str) -> Schema:
    """A list of so many numbers; `words` say what they are."""
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count, "description": words}


def reference(name: str) -> Schema:
    """The schema of that name."""
    return {"$ref": f"{PLACE}{name}"}
