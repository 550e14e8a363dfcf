"""Declarations of query parameters, with their bounds; views read them with `core.pagination.integer`, `probability`
and the like."""

from collections.abc import Collection, Iterable, Mapping

from drf_spectacular.utils import OpenApiParameter

from core.errors import Invalid

MOST_SINCE = 2**62
PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
"""The schema of the query parameter that `probability` reads."""


def whole_number(
    name: str, low: int, high: int, *, description: str = "", default: int | None = None
) -> OpenApiParameter:
    """Declare a parameter that is a whole number from `low` to `high`."""
    bounds = {"type": "integer", "minimum": low, "maximum": high}
    return OpenApiParameter(name, bounds if default is None else bounds | {"default": default}, description=description)


def several(name: str, values: Iterable[str], description: str) -> OpenApiParameter:
    """Declare a parameter that is one or more of these values, separated by commas."""
    one = f"({'|'.join(values)})"
    return OpenApiParameter(name, {"type": "string", "pattern": f"^({one}(,{one})*)?$"}, description=description)


def chosen(query: Mapping[str, str], name: str, known: Collection[str]) -> list[str]:
    """Read the values of a parameter that `several` declares, none without it. Raises Invalid for one that is not
    known."""
    wanted = [word for word in query.get(name, "").split(",") if word]
    if unknown := set(wanted) - set(known):
        raise Invalid.field(name, f"{sorted(unknown)} unknown: use {', '.join(known)}")
    return wanted


def probability(name: str, text: str) -> float:
    """Read a number from 0 to 1. Raises Invalid naming the parameter."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise Invalid.field(name, "must be a number from 0 to 1")
    return value


SINCE = whole_number("since", 0, MOST_SINCE, description="`next` of the previous response")
