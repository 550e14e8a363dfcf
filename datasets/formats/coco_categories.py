"""COCO's categories by id, and those that stand twice: a dataset knows a class by its name alone."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Any

from formats.errors import FormatError
from formats.notes import Notes

SAME_NAME = "categories of the same name became one class"
SAME_ID = "categories that are listed twice were read once"


@dataclass(frozen=True, slots=True)
class Category:
    """A category of a file; `where` is its place, for errors."""

    id: int | str
    name: str
    above: Any
    where: str


def category_names(
    categories: Iterable[Category], used: Set[int | str], notes: Notes, path: str
) -> dict[int | str, str]:
    """Return the names of the categories by id. Of those that stand twice, the same ones are read as one, which is
    noted; `used` are the ids that annotations have. Raises FormatError for an id that two names share, and for two
    categories of one name in different supercategories that are both used: they would be mixed up."""
    names: dict[int | str, str] = {}
    first: dict[str, Category] = {}
    for one in categories:
        if one.id in names:
            if names[one.id] != one.name:
                raise FormatError(
                    f"{one.where}.id: {one.id} is {names[one.id]!r} and {one.name!r}: give each category its own id"
                )
            notes.add(SAME_ID, path)
            continue
        names[one.id] = one.name
        other = first.setdefault(one.name, one)
        if other is one:
            continue
        if (other.above or None) != (one.above or None) and {other.id, one.id} <= used:
            raise FormatError(
                f"{one.where}.name: {one.name!r} is the name of {other.id} (supercategory {other.above!r}) and of "
                f"{one.id} (supercategory {one.above!r}), which would become one class: rename one of them"
            )
        if other.id not in used:
            first[one.name] = one
        notes.add(SAME_NAME, path)
    return names
