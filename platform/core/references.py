"""`{id}` in an address takes an id or a name."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db.models import Model

M = TypeVar("M", bound=Model)
MAX_ID = 2**63 - 1
MAX_ID_DIGITS = 18
MAX_NUMBER_DIGITS = 9


def by_id_or_name(find: Callable[..., Iterable[M]], reference: str) -> M | None:
    """The row with this id, else the one with this name, if any; `find` is asked for a `pk` or a `name`."""
    number = as_number(reference, digits=MAX_ID_DIGITS)
    by_id = next(iter(find(pk=number)), None) if number is not None else None
    return by_id or next(iter(find(name=reference)), None)


def as_number(text: str, *, digits: int = MAX_NUMBER_DIGITS) -> int | None:
    """A whole number that the database's integers hold (32 bits, unless told), or None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
