"""Pages of a search: its order, and the token that says where the next page begins."""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet

from core.errors import Invalid
from core.pagination import decode, encode
from mlflow_api.filters import Order, unknown

M = TypeVar("M", bound=Model)
T = TypeVar("T")
Keys = list[tuple[str, bool]]
"""Columns to order by, and whether from high to low; the last one is unique."""


def columns(orders: Sequence[Order], known: Mapping[str, str], usual: Keys) -> Keys:
    """Return the columns of an order, or the `usual` ones; `known` maps attributes to columns without nulls. Raises
    Invalid (`order_by`)."""
    for one in orders:
        if one.kind != "attribute" or one.key not in known:
            raise unknown("order_by", one, known)
    keys = [(known[one.key], one.descending) for one in orders] or list(usual)
    return keys if keys[-1][0] == "pk" else [*keys, ("pk", True)]


def page(
    rows: QuerySet[M], keys: Keys, *, token: str, limit: int, search: str, values: Callable[[M], Sequence[Any]]
) -> tuple[list[M], str]:
    """Return one page of the rows, and the token of the next one, empty after the last. `search` names what is
    searched; `values` are those of a row's columns."""
    if token:
        rows = rows.filter(_after(keys, _position(token, search)))
    found = list(rows.order_by(*(f"-{name}" if descending else name for name, descending in keys))[: limit + 1])
    if len(found) <= limit:
        return found, ""
    found = found[:limit]
    return found, encode(list(values(found[-1])), path=search)


def slice_of(
    items: Sequence[T], *, token: str, limit: int, search: str, name: Callable[[T], Any]
) -> tuple[list[T], str]:
    """The same of a list in memory, in which `name` is unique. Raises Invalid (`page_token`) if the one that the page
    before ended with is gone."""
    begin = 0
    if token:
        (last,) = _position(token, search)
        begin = next((at + 1 for at, one in enumerate(items) if name(one) == last), -1)
        if begin < 0:
            raise Invalid.field("page_token", "what the last page ended with is gone: search again without a token")
    found = list(items[begin : begin + limit])
    more = begin + limit < len(items)
    return found, encode([name(found[-1])], path=search) if more else ""


def _position(token: str, search: str) -> list[Any]:
    try:
        found: list[Any] = decode(token, path=search)
    except Invalid as error:
        words = "is none of this search: send the `next_page_token` as it was given, with the same filter and order"
        raise Invalid.field("page_token", words) from error
    return found


def _after(keys: Keys, values: Sequence[Any]) -> Q:
    """The condition of the rows behind these values."""
    conditions = []
    for at, (name, descending) in enumerate(keys):
        same = {before: value for (before, _), value in zip(keys[:at], values, strict=False)}
        conditions.append(Q(**same, **{f"{name}__{'lt' if descending else 'gt'}": values[at]}))
    return reduce(operator.or_, conditions)
