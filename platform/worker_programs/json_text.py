"""Read JSON from outside within bounds, and write any value as JSON."""

import json
import re
from collections import Counter
from itertools import chain
from typing import Any

import orjson

MAX_DEPTH = 150  # a response nests it a few levels deeper still, and orjson writes 254
NO_NUMBERS = ("NaN", "Infinity", "-Infinity")  # as Python's json and pandas write them
MAX_VALUES = 4_000_000  # per body: a list of empty lists takes thirty times its bytes in memory
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+"[ \t\r\n]*+(:?)', re.DOTALL)


class JsonRefusedError(ValueError):
    """The text is JSON but exceeds a bound or repeats a name; the message says why and what to do."""


def read_json(data: bytes, *, depth: int = MAX_DEPTH, values: int = MAX_VALUES) -> Any:
    """Parse a JSON text from outside. Raises ValueError: orjson's for invalid JSON (which includes NaN, numbers that no
    double holds and unpaired surrogates), JsonRefusedError for too deep nesting, too many values and names that occur
    twice in an object."""
    opened = data.count(b"{") + data.count(b"[")
    if opened + data.count(b",") > values:
        raise JsonRefusedError(f"it holds more than {values:,} values: send it in parts")
    value = orjson.loads(data)
    if opened > depth and nests_deeper(value, depth):
        raise JsonRefusedError(f"it is nested more than {depth} levels deep: make it flatter")
    names = _names(value)
    if names != data.count(b":") and names != sum(bool(found[1]) for found in _TEXTS.finditer(data)):
        raise JsonRefusedError(f"{_name_given_twice(data)!r} stands twice in an object: keep one of them")
    return value


def json_fault(error: json.JSONDecodeError) -> str:
    """Describe what is wrong at the place where a text is invalid JSON."""
    wrong = next((word for word in NO_NUMBERS if error.doc.startswith(word, error.pos)), None)
    return f"{wrong} is not a number in JSON, write null or a number" if wrong else error.msg


def write_json(value: Any, *, options: int = 0) -> bytes:
    """Format a value as JSON; slower for values that orjson refuses: nesting beyond 254 levels, integers beyond 64
    bits."""
    try:
        return orjson.dumps(value, default=str, option=options)
    except TypeError:
        sort = bool(options & orjson.OPT_SORT_KEYS)
        text = json.dumps(value, default=str, sort_keys=sort, separators=(",", ":"), ensure_ascii=False)
        return text.encode(errors="replace") + b"\n" * bool(options & orjson.OPT_APPEND_NEWLINE)


def nests_deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects are nested more than `depth` levels deep."""
    level = [value] if isinstance(value, list | dict) else []
    for _ in range(depth):
        if not level:
            return False
        level = _inner(level)
    return bool(level)


def _inner(level: list[Any]) -> list[Any]:
    inner = chain.from_iterable(one.values() if type(one) is dict else one for one in level)
    return [one for one in inner if type(one) is dict or type(one) is list]


def _names(value: Any) -> int:
    """Count the names of all objects in a value."""
    count, level = 0, [value] if isinstance(value, list | dict) else []
    while level:
        count += sum(len(one) for one in level if type(one) is dict)
        level = _inner(level)
    return count


def _name_given_twice(data: bytes) -> str:
    twice: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return {}

    json.loads(data, object_pairs_hook=note)
    return twice[0][:100] if twice else ""
