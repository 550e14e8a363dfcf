"""The attributes of the objects of labels, and their values."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, QuerySet

from catalog.filtering.expressions import Compare, Objects
from catalog.filtering.printing import write_text
from catalog.models import LabelObject

MOST_VALUES = 20
MANY_VALUES = 1000
"""The most different values of an attribute that are counted."""
CHUNK = 10_000


@dataclass(slots=True)
class _Attribute:
    """The values of one attribute over all objects."""

    objects: int = 0
    values: Counter[Any] = field(default_factory=Counter)
    low: float | None = None
    high: float | None = None

    def add(self, value: Any, count: int) -> None:
        self.objects += count
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)
        if isinstance(value, str | int | float) and (
            len(self.values) < MANY_VALUES or (type(value), value) in self.values
        ):
            self.values[type(value), value] += count


def attribute_figures(shapes: QuerySet[LabelObject]) -> list[dict[str, Any]]:
    """Return each attribute with the number of objects that have it, its most frequent values, and the range of its
    numbers."""
    found: dict[str, _Attribute] = {}
    told = shapes.filter(attributes__isnull=False).values_list("attributes").annotate(n=Count("pk"))
    for attributes, count in told.iterator(chunk_size=CHUNK):
        for name, value in attributes.items():
            found.setdefault(name, _Attribute()).add(value, count)
    return [_figures(name, found[name]) for name in sorted(found)]


def _figures(name: str, one: _Attribute) -> dict[str, Any]:
    frequent = one.values.most_common(MOST_VALUES)
    values = [{"value": value, "count": count, "filter": _filter(name, value)} for (_, value), count in frequent]
    return {
        "name": name,
        "objects": one.objects,
        "values": values,
        "others": one.objects - sum(count for _, count in frequent),
        "min": one.low,
        "max": one.high,
    }


def _filter(name: str, value: Any) -> str | None:
    if set(name) & set('"\\'):
        return None  # filters can't use such a name
    return write_text(Objects("objects", Compare(("attributes", name), "=", value), ">=", 1))
