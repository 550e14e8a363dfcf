"""Messages for invalid fields of a config in plain words, because pydantic's own messages name Python's internals."""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

SHOWN = 80
# Messages by pydantic's type of error; `{}` are filled from its context. A message follows the field's name.
MESSAGES = {
    "missing": "is missing: this field is required",
    "missing_argument": "is missing: this field is required",
    "missing_keyword_only_argument": "is missing: this field is required",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must fit the pattern {pattern}",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "dict_type": "must be an object",
    "dataclass_type": "must be an object",
    "none_required": "must be null",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le:,}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "json_invalid": "is not JSON: {error}",
    "value_error": "{error}",
    "assertion_error": "{error}",
}
_UNKNOWN = {"unexpected_keyword_argument", "extra_forbidden", "unexpected_positional_argument"}
_SELF_EXPLAINING = {"missing", "missing_argument", "missing_keyword_only_argument", "json_invalid"}


def field_and_message(fault: Mapping[str, Any], cls: type[Any]) -> tuple[str, str]:
    """Convert one of pydantic's errors about a config `cls` to (dotted field, what is wrong with it and the given
    value)."""
    place: Sequence[int | str] = fault["loc"]
    field = ".".join(str(part) for part in place) or "config"
    kind = fault["type"]
    if kind in _UNKNOWN:
        return field, _no_such(str(place[-1]), _fields_at(cls, place[:-1]))
    message = MESSAGES.get(kind, fault["msg"]).format_map(fault.get("ctx", {}))
    if kind in _SELF_EXPLAINING:
        return field, message
    return field, f"{message}, not {str(fault['input'])[:SHOWN]!r}"


def _no_such(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    if close:
        return f"is not a field here; did you mean {close[0]}?"
    return f"is not a field here; there are {', '.join(known)}" if known else "is not a field here"


def _fields_at(cls: Any, place: Sequence[int | str]) -> list[str]:
    """Return the field names of the dataclass at a place within a config; empty if that is not a dataclass."""
    for part in place:
        hints = typing.get_type_hints(cls) if dataclasses.is_dataclass(cls) else {}
        cls = next(iter(_dataclasses_in(hints.get(str(part)))), None)
    return [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []


def _dataclasses_in(hint: Any) -> list[Any]:
    """Return the dataclasses in a type hint: itself, or the members of a union."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) or typing.get_origin(hint) else (hint,)
    return [one for one in options if dataclasses.is_dataclass(one)]
