"""An object's attributes as XML elements: all texts except `true` and `false`, as CVAT writes them."""

import re
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from formats.notes import Notes

RETURN = "\r"
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def value_of(text: str) -> Any:
    """Return an attribute's value from the text of its element: checkboxes are `true` or `false`."""
    return {"true": True, "false": False}.get(text, text)


def text_of(value: Any, losses: Notes, key: str, *, read: Callable[[str], Any] = value_of) -> str:
    """Return an attribute's value as the escaped text of an element; notes a loss if `read` would return another
    type."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if type(read(text)) is not type(value):
        losses.add("attributes are texts or true and false there, whatever they were", key)
    if (safe := NO_XML.sub("\ufffd", text)) != text:
        losses.add("characters of attributes that XML has no place for", key)
    return escape(safe, {RETURN: "&#13;"})
