"""What an object of a label carries beside its class and its place: attributes, an id, a track. All formats share these
rules."""

import math
from collections.abc import Mapping
from typing import Any

MAX_ATTRIBUTES = 50
MAX_NAME = 100
MAX_TEXT = 1000
MAX_NUMBERS = 16
MAX_NUMBER = 2**53  # beyond it, whole numbers and floats are not the same on every database
MAX_ID = 100


def attributes_fault(attributes: Any) -> str | None:
    """Return why these can't be the attributes of an object, in words; None if they can."""
    if not isinstance(attributes, Mapping):
        return 'must be an object like {"occluded": true}'
    if len(attributes) > MAX_ATTRIBUTES:
        return f"must hold at most {MAX_ATTRIBUTES} attributes, not {len(attributes)}"
    return next((fault for name, value in attributes.items() if (fault := attribute_fault(name, value))), None)


def attribute_fault(name: Any, value: Any) -> str | None:
    """Return why an attribute can't be kept, in words that name it; None if it can."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        return f"{str(name)[:40]!r} is not a name: use 1 to {MAX_NAME} printable characters"
    if isinstance(value, str):
        return None if _is_text(value) else f"{name!r} must have at most {MAX_TEXT} characters, none of them NUL"
    if isinstance(value, bool) or _is_number(value):
        return None
    if isinstance(value, list) and len(value) <= MAX_NUMBERS and all(map(_is_number, value)):
        return None
    if value is None:
        return f"{name!r} has no value: leave it out"
    return f"{name!r} must be a text, a number, true or false, or a list of at most {MAX_NUMBERS} numbers"


def id_fault(value: Any) -> str | None:
    """Return why this can't be the id or the track of an object, in words; None if it can."""
    if isinstance(value, str) and 0 < len(value) <= MAX_ID and value.isprintable():
        return None
    return f"must be a text of 1 to {MAX_ID} printable characters"


def _is_text(value: str) -> bool:
    whole = not any("\ud800" <= char <= "\udfff" for char in value)  # half of a pair is not a character
    return whole and len(value) <= MAX_TEXT and "\0" not in value


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and abs(value) <= MAX_NUMBER
