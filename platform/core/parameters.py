"""Declarations of query parameters, with their bounds; views read them by `core.pagination.integer` and its like."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter

MOST_SINCE = 2**62


def whole_number(
    name: str, low: int, high: int, *, description: str = "", default: int | None = None
) -> OpenApiParameter:
    """A whole number from `low` to `high`."""
    bounds = {"type": "integer", "minimum": low, "maximum": high}
    return OpenApiParameter(name, bounds if default is None else bounds | {"default": default}, description=description)


def several(name: str, values: Iterable[str], description: str) -> OpenApiParameter:
    """One or more of these values, with commas between them."""
    one = f"({'|'.join(values)})"
    return OpenApiParameter(name, {"type": "string", "pattern": f"^({one}(,{one})*)?$"}, description=description)


SINCE = whole_number("since", 0, MOST_SINCE, description="`next` of the answer before")
