"""Statistics of a version: classes, objects per image, their sizes and shapes, classes that occur together.

Every count has the filter, as text, that selects its samples.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from math import inf
from operator import itemgetter
from typing import Any

from django.core.cache import cache
from django.db.models import Case, Count, F, FloatField, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Cast, NullIf

from catalog.filtering.expressions import Compare, Expression, Objects, all_of
from catalog.filtering.filters import Filter
from catalog.filtering.printing import write_text
from catalog.models import LabelObject, RevisionClass, RevisionQuerySet, Split, Version
from catalog.reading.attributes import attribute_figures
from catalog.versions import tallies

KEPT_SECONDS = 24 * 3600
MOST_TOGETHER = 30
"""The most classes whose pairs are counted, and the most pairs that are returned."""
PER_IMAGE = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, inf))
SMALL, LARGE = 32.0**2, 96.0**2
"""COCO's limits between small, medium and large objects, in square pixels."""
SIDES = (0, 8, 16, 32, 64, 128, 256, 512, 1024, inf)
"""Limits of bins, as square roots of areas."""
ASPECTS = (0, 0.25, 0.5, 0.8, 1.25, 2, 4, inf)

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Bin:
    """Values from `low` to below `high`."""

    low: float
    high: float

    def conditions(self, field: str) -> list[Expression]:
        """Return the bin as conditions on one object."""
        low, high = self.low, self.high
        said = [Compare((field,), ">=", low)] if low > 0 else []
        return [*said, *([Compare((field,), "<", high)] if high != inf else [])]


def statistics(version: Version, chosen: Filter) -> Figures:
    """Return the statistics of the samples of a version that pass. Raises Invalid as `Filter.apply` does."""
    place = chosen.place(version)
    if place is None:
        return _counted(version, chosen)
    found: Figures | None = cache.get_or_set(f"statistics:{place}", lambda: _counted(version, chosen), KEPT_SECONDS)
    return _counted(version, chosen) if found is None else found


def _counted(version: Version, chosen: Filter) -> Figures:
    rows = chosen.apply(version.revisions).order_by()
    splits, classes = _by_split(version, chosen, rows), _by_class(version, chosen, rows)
    figures: Figures = {
        "version": version.number,
        "filter": chosen.text or None,
        "images": sum(n for counts in splits.values() for n in counts),
        "labelled": sum(told for told, _ in splits.values()),
        "by_split": {split: sum(counts) for split, counts in splits.items()},
        "objects": None,
    }
    objects: Counter[str] = Counter()
    if version.dataset.task_type.labels.has_objects:
        shapes = LabelObject.objects.filter(label__in=rows.exclude(label=None).values("label")).order_by()
        figures["objects"] = _objects(shapes, rows, figures["labelled"], classes)
        objects.update(dict(_real(shapes).values_list("class_name").annotate(n=Count("pk"))))
    figures["classes"] = [
        {
            "class": name,
            "images": sum(by_split.values()),
            "objects": objects[name] if figures["objects"] else None,
            "by_split": by_split,
            "filter": write_text(Compare(("class",), "=", name)),
        }
        for name in version.dataset.classes
        for by_split in [classes.get(name, {})]
    ]
    return figures


def _by_split(version: Version, chosen: Filter, rows: RevisionQuerySet) -> dict[str, tuple[int, int]]:
    """Map splits to the numbers of samples with and without a label."""
    found: Counter[tuple[str, bool]] = Counter()
    if (cells := chosen.cells) is not None:
        for (split, labelled), n in tallies.count(version, cells, "split", "labelled").items():
            found[str(split), bool(labelled)] += n
    else:
        told = Count("pk", filter=Q(label__isnull=False))
        for split, n, with_label in rows.values_list("split").annotate(n=Count("pk"), told=told):
            found[split, True], found[split, False] = with_label, n - with_label
    there = [split for split in Split.values if found[split, True] or found[split, False]]
    return {split: (found[split, True], found[split, False]) for split in there}


def _by_class(version: Version, chosen: Filter, rows: RevisionQuerySet) -> dict[str, dict[str, int]]:
    """Map classes to the number of samples that name them in each split."""
    cells, pairs = chosen.cells, list[tuple[Any, Any, int]]()
    if cells is not None and not cells.pop("class_name"):
        pairs = [(name, split, n) for (name, split), n in tallies.count(version, cells, "class_name", "split").items()]
    elif chosen.ground.several:
        mentions = RevisionClass.objects.filter(revision__in=rows.values("pk")).order_by()
        pairs = list(mentions.values_list("class_name", "revision__split").annotate(n=Count("pk")))
    else:
        pairs = list(rows.values_list("class_name", "split").annotate(n=Count("pk")))
    found: dict[str, dict[str, int]] = {}
    for name, split, n in pairs:
        if name:
            found.setdefault(str(name), {})[str(split)] = n
    return found


def _real(shapes: QuerySet[LabelObject]) -> QuerySet[LabelObject]:
    return shapes.exclude(kind=LabelObject.Kind.IGNORED)


def _objects(shapes: QuerySet[LabelObject], rows: RevisionQuerySet, labelled: int, classes: Any) -> Figures:
    kinds = dict(shapes.values_list("kind").annotate(n=Count("pk")))
    counts = Counter(_real(shapes).values_list("label").annotate(n=Count("pk")).values_list("n", flat=True))
    with_objects = sum(counts.values())
    counts[0] = labelled - with_objects
    sizes, sides, aspects = _shapes(_real(shapes))
    return {
        "boxes": kinds.get(LabelObject.Kind.BOX, 0),
        "polygons": kinds.get(LabelObject.Kind.POLYGON, 0),
        "ignored": kinds.get(LabelObject.Kind.IGNORED, 0),
        "images_without": counts[0],
        "per_image": list(_per_image(counts)),
        "sizes": sizes,
        "sides": sides,
        "aspects": aspects,
        "together": _together(rows, sorted(classes, key=lambda name: -sum(classes[name].values()))[:MOST_TOGETHER]),
        "attributes": attribute_figures(shapes),
    }


def _per_image(counts: Counter[int]) -> Iterator[Figures]:
    for low, high in PER_IMAGE:
        n = sum(count for number, count in counts.items() if low <= number <= high)
        where: list[Expression] = [Objects("objects", all_of([]), "=" if low == high else ">=", low)]
        if low != high and high != inf:
            where.append(Objects("objects", all_of([]), "<=", int(high)))
        words = f"{low}" if low == high else f"{low} or more" if high == inf else f"{low} to {high}"
        yield {"name": words, "count": n, "filter": write_text(all_of(where))}


def _shapes(shapes: QuerySet[LabelObject]) -> tuple[list[Figures], list[Figures], list[Figures]]:
    """Count objects by size, by the square root of the area, and by width over height."""
    areas = [_Bin(low**2, high**2) for low, high in pairwise(SIDES)]
    shares = [_Bin(low, high) for low, high in pairwise(ASPECTS)]
    sizes = [_Bin(0, SMALL), _Bin(SMALL, LARGE), _Bin(LARGE, inf)]
    ratio = Cast(F("width"), FloatField()) / NullIf(Cast(F("height"), FloatField()), Value(0.0))
    told = shapes.annotate(ratio=ratio)
    keys = {"size": _numbered("area", sizes), "side": _numbered("area", areas), "aspect": _numbered("ratio", shares)}
    by_size, by_side, by_aspect = Counter[int](), Counter[int](), Counter[int]()
    for size, side, aspect, n in told.annotate(**keys).values_list(*keys).annotate(n=Count("pk")):
        by_size[size] += n
        by_side[side] += n
        by_aspect[aspect] += n
    names = ["small", "medium", "large"]
    return (
        [_bar(names[at], by_size[at], one, "area") for at, one in enumerate(sizes)],
        [_bar(_span(SIDES[at], SIDES[at + 1]), by_side[at], one, "area") for at, one in enumerate(areas)],
        [_bar(_span(ASPECTS[at], ASPECTS[at + 1]), by_aspect[at], one, "aspect") for at, one in enumerate(shares)],
    )


def _numbered(column: str, bins: Sequence[_Bin]) -> Case:
    """Return an expression for the number of a value's bin."""
    cases = [When(**{f"{column}__lt": one.high}, then=Value(at)) for at, one in enumerate(bins) if one.high != inf]
    return Case(*cases, default=Value(len(bins) - 1), output_field=IntegerField())


def _bar(name: str, count: int, one: _Bin, field: str) -> Figures:
    where = all_of(one.conditions(field))
    return {"name": name, "count": count, "filter": write_text(Objects("objects", where, ">=", 1))}


def _span(low: float, high: float) -> str:
    if low == 0:
        return f"under {high:g}"
    return f"{low:g} and more" if high == inf else f"{low:g} to {high:g}"


def _together(rows: RevisionQuerySet, names: Sequence[str]) -> list[Figures]:
    """Count the images in which two classes occur together, the most frequent pairs first."""
    mentions = RevisionClass.objects.filter(revision__in=rows.values("pk"), class_name__in=names)
    found: Counter[tuple[str, str]] = Counter()
    told = mentions.order_by("revision_id", "class_name").values_list("revision_id", "class_name")
    for _, group in groupby(told.iterator(chunk_size=10_000), key=itemgetter(0)):
        found.update(combinations([name for _, name in group], 2))
    return [
        {
            "classes": list(pair),
            "images": n,
            "filter": write_text(all_of([Compare(("class",), "=", name) for name in pair])),
        }
        for pair, n in found.most_common(MOST_TOGETHER)
    ]
