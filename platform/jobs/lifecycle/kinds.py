"""The kinds of things with a lifecycle, named in the setting LIFECYCLE_KINDS, and the parts that apps register for
them.

A kind defines how a thing is found and named. *Parts* are the rows that depend on it; each is registered by the app
that owns the rows, so that no app needs to know those above it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from jobs.lifecycle.models import Named


class Fate(Enum):
    """What becomes of a part when the thing is deleted."""

    GOES = "goes"
    STAYS = "stays"
    NEEDS = "needs"  # it needs the thing: the deletion is refused while there is one
    BUSY = "busy"  # work under way: archiving and deleting are refused while there is some


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that depend on a thing. `nested` is the kind of rows that have a lifecycle of their own and are deleted with
    it."""

    name: str
    fate: Fate
    rows: Callable[[Any], QuerySet[Any]]
    nested: str = ""


class Kind(Protocol):
    """One kind of thing. `route` is where its addresses begin, as in `datasets/{reference}`."""

    name: str
    noun: str
    route: str
    model: type[Named]

    def find(self, reference: str) -> Named:
        """Return the thing with this id, name or former name. Raises NotFound."""
        ...

    def check_name(self, name: str) -> None:
        """Raise Invalid for a name that no such thing may have."""
        ...

    def holds(self, row: Any) -> list[Named]:
        """Return the things that it is part of: while one of them is archived, it counts as archived."""
        ...

    def renamed(self, row: Any, old: str) -> None:
        """Called after a renaming, inside its transaction."""
        ...

    def ended(self, row: Any) -> None:
        """Called after a deletion, inside its transaction: stop what would start work on it."""
        ...


_parts: dict[str, list[Part]] = {}


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds, by name."""
    return {name: import_string(path)() for name, path in settings.LIFECYCLE_KINDS.items()}


def kind_of(row: Named) -> Kind:
    """The kind of a row."""
    return next(kind for kind in kinds().values() if isinstance(row, kind.model))


def register(kind: str, *parts: Part) -> None:
    """Register parts of a kind of thing, in the order of their deletion. What an app above registers is deleted before
    what one below has registered. Raises ValueError for a name used before."""
    known = _parts.setdefault(kind, [])
    if taken := {part.name for part in known} & {part.name for part in parts}:
        raise ValueError(f"{kind} has parts named {sorted(taken)} already")
    known[:0] = parts


def parts_of(kind: str, *fates: Fate) -> list[Part]:
    """The parts of a kind that have one of these fates, in the order of their deletion."""
    return [part for part in _parts.get(kind, []) if part.fate in fates]
