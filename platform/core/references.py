"""`{id}` in an address takes an id or a name."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db.models import Model

M = TypeVar("M", bound=Model)
MAX_ID = 2**63 - 1
MAX_ID_DIGITS = 18
MAX_NUMBER_DIGITS = 9


def by_id_or_name(find: Callable[..., Iterable[M]], reference: str) -> M | None:
    """Return the row with this id, else the one with this name, if any; `find` is called with a `pk` or a `name`."""
    number = as_number(reference, digits=MAX_ID_DIGITS)
    by_id = next(iter(find(pk=number)), None) if number is not None else None
    return by_id or next(iter(find(name=reference)), None)


def as_number(text: str, *, digits: int = MAX_NUMBER_DIGITS) -> int | None:
    """Return the text as a whole number that a database integer can hold (32 bits by default), else None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
