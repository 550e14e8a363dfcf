"""A user's preferences in the web application: their keys, their theme."""

from typing import Any

import orjson

from accounts.models import Preferences, User
from core.errors import Invalid

MAX_BYTES = 16 << 10


def preferences_of(user: User) -> dict[str, Any]:
    """Return the object stored last, empty if there is none."""
    found: dict[str, Any] | None = Preferences.objects.filter(user=user).values_list("document", flat=True).first()
    return found or {}


def keep_preferences(user: User, document: Any) -> dict[str, Any]:
    """Store this object in place of the old one. Raises Invalid if it is not an object or too large."""
    if not isinstance(document, dict):
        raise Invalid.field("preferences", 'must be a JSON object, like {"theme": "dark"}')
    data = orjson.dumps(document)
    if len(data) > MAX_BYTES:
        raise Invalid.field("preferences", f"must be at most {MAX_BYTES} bytes of JSON, not {len(data)}")
    if b"\\u0000" in data:
        raise Invalid.field("preferences", "must not hold NUL characters")
    Preferences.objects.update_or_create(user=user, defaults={"document": document})
    return document
