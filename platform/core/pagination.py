"""Opaque cursors over a stable, unique order: no COUNT, no OFFSET, the same cost on every page."""

import json
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Case, IntegerField, Model, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Concat
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.errors import Invalid
from core.parameters import whole_number

M = TypeVar("M", bound=Model)
DEFAULT_LIMIT = 50
MAX_LIMIT = 500
MAX_SEARCH = 500
MAX_CURSOR = 8_000  # it may hold a sample's key
PAGE = [
    OpenApiParameter(
        "cursor",
        {"type": "string", "pattern": r"^[\w-]+:[\w-]+:[\w-]+$", "maxLength": MAX_CURSOR},
        description="position in the list, as given in `next`",
    ),
    whole_number("limit", 1, MAX_LIMIT, default=DEFAULT_LIMIT),
]
"""The query parameters of every list."""
SEARCHED: dict[str, object] = {"type": "string", "maxLength": MAX_SEARCH}
"""The schema of the query parameter that `search` reads."""
NAMED = OpenApiParameter("q", SEARCHED, description="words, each of which is in the name or another text of the row")
"""The query parameter that `named` reads."""
NUMBERED = Concat(Value("v"), Cast("number", TextField()), output_field=TextField())
"""What a version is called, `v3`, for `named`."""
CALLED = "is_called_so"
"""The annotation of rows that `named` has found: 1 where the name is what was searched for, else 0."""
PROJECT = OpenApiParameter("project", description="name of a project, to list only what is in it")


def paged(
    request: Request,
    queryset: QuerySet[M],
    render: Callable[[list[M]], Sequence[Any]],
    *,
    key: str = "pk",
    descending: bool = True,
) -> dict[str, Any]:
    """One page of `queryset` as `{results, next}`, ordered by the unique, monotonic field `key`; of rows that `named`
    has found, those come first whose name is just what was searched for.

    `render` takes the rows of the page together, so that it asks the database once for all of them. `each` makes it of
    a function that asks nothing.
    """
    limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
    searched = CALLED in queryset.query.annotations
    path = f"{request.path} by name" if searched else request.path
    if (cursor := request.query_params.get("cursor")) is not None:
        position = decode(cursor, path=path)
        called, last = position if searched else (None, position)
        after = Q(**{f"{key}__{'lt' if descending else 'gt'}": last})
        queryset = queryset.filter(Q(**{f"{CALLED}__lt": called}) | Q(after, **{CALLED: called}) if searched else after)
    order = [*([f"-{CALLED}"] if searched else []), f"-{key}" if descending else key]
    rows = list(queryset.order_by(*order)[: limit + 1])
    following = None
    if len(rows) > limit:
        rows = rows[:limit]
        last = getattr(rows[-1], key)
        position = [getattr(rows[-1], CALLED), last] if searched else last
        following = next_url(request, cursor=encode(position, path=path))
    return {"results": list(render(rows)), "next": following}


def each(render: Callable[[M], Any]) -> Callable[[list[M]], list[Any]]:
    """Return what `paged` takes from a function that renders one row and asks the database nothing."""
    return lambda rows: [render(row) for row in rows]


def positions(request: Request, total: int) -> tuple[slice, str | None]:
    """Return a page of a list of `total` rows that never changes, as a slice, and the URL of the next page."""
    limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
    cursor = request.query_params.get("cursor")
    first = 0 if cursor is None else int(decode(cursor, path=request.path))
    end = first + limit
    return slice(first, end), next_url(request, cursor=encode(end, path=request.path)) if end < total else None


def search(request: Request, name: str = "q") -> str:
    """Return the text to search for, empty if there is none. Raises Invalid for text that a database can't search
    for."""
    text = request.query_params.get(name, "").strip()
    if len(text) > MAX_SEARCH or "\0" in text:
        raise Invalid.field(name, f"must be a text of at most {MAX_SEARCH} characters without null characters")
    return text


def named(request: Request, rows: QuerySet[M], *fields: str, documents: Sequence[str] = ()) -> QuerySet[M]:
    """Return the rows that hold every word of the query parameter `q` in one of `fields`, or in the JSON of one of
    `documents`, in any case; all of them without it. The first field is the name: `paged` shows the rows first of which
    it is just `q`."""
    if not (text := search(request)):
        return rows
    rows = rows.alias(**{f"{field}_text": Cast(field, TextField()) for field in documents})
    is_called = When(**{f"{fields[0]}__iexact": text}, then=1)
    rows = rows.annotate(**{CALLED: Case(is_called, default=0, output_field=IntegerField())})
    for word in text.split():
        found = [Q(**{f"{field}__icontains": word}) for field in fields]
        written = {word, json.dumps(word)[1:-1]}  # SQLite has it with escapes
        found += [Q(**{f"{field}_text__icontains": part}) for field in documents for part in written]
        rows = rows.filter(reduce(or_, found))
    return rows


def encode(value: object, *, path: str) -> str:
    """Encode a position in the list at `path` as an opaque, URL-safe word, signed so that no other is ever looked
    up."""
    return signing.dumps(value, salt=f"cursor {path}")


def decode(cursor: str, *, path: str) -> Any:
    """Return the position that a cursor encodes. Raises Invalid for one that was not made for this list."""
    try:
        return signing.loads(cursor, salt=f"cursor {path}")
    except signing.BadSignature as error:
        raise Invalid.field("cursor", "not a cursor of this list: follow `next` as it was given") from error


def next_url(request: Request, **changes: object) -> str:
    """Return the URL of this request with some query parameters changed."""
    query = request.query_params.copy()
    for name, value in changes.items():
        query[name] = str(value)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def integer(request: Request, name: str, *, default: int, low: int, high: int) -> int:
    """Read a bounded integer query parameter. Raises Invalid naming the parameter."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise Invalid.field(name, f"must be a whole number from {low} to {high}")
    return value
