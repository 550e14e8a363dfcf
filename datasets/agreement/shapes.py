"""Answers that are boxes or polygons: which shapes of two people match.

Two shapes match when they are of one kind, name one class, and their boxes overlap with an IoU of at least `MATCH`,
the best overlap first and each shape once: the rule of the PASCAL VOC challenge (Everingham et al., IJCV 88, 2010). A
polygon counts by the box around all of its parts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.opinions import Codes, coded

MATCH = 0.5
AT_ONCE = 1_000_000  # comparisons of two shapes
Corners = NDArray[np.float64]
Label = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """A box, or a polygon when it has `rings`: one, or one for each of its parts."""

    name: str
    corners: tuple[float, float, float, float]
    rings: tuple[tuple[tuple[float, float], ...], ...] | None = None
    carried: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Its attributes, id and track, where it has any."""


def shapes_of(label: Label) -> list[Shape]:
    """Return the boxes and polygons of a detection label."""
    boxes = [Shape(one["class"], tuple(one["box"]), carried=_carried(one)) for one in label.get("boxes", ())]
    polygons = [
        Shape(one["class"], _around(rings), rings, _carried(one))
        for one, rings in ((one, _rings(one)) for one in label.get("polygons", ()))
    ]
    return boxes + polygons


def regions_of(label: Label) -> list[Shape]:
    """Return the regions to ignore of a detection label; a region without a class has an empty name."""
    return [Shape(one.get("class", ""), tuple(one["box"]), carried=_carried(one)) for one in label.get("ignore", ())]


def label_of(shapes: Sequence[Shape], regions: Sequence[Shape] = ()) -> dict[str, Any]:
    """Build the detection label with these shapes and regions to ignore."""
    boxes = [{"class": one.name, "box": list(one.corners), **one.carried} for one in shapes if one.rings is None]
    polygons = [{"class": one.name, **_outline(one.rings), **one.carried} for one in shapes if one.rings is not None]
    ignore = [({"class": one.name} if one.name else {}) | {"box": list(one.corners), **one.carried} for one in regions]
    return {"boxes": boxes} | ({"polygons": polygons} if polygons else {}) | ({"ignore": ignore} if ignore else {})


def _carried(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one[name] for name in ("attributes", "id", "track") if name in one}


@dataclass(frozen=True, slots=True)
class Columns:
    """The shapes of many answers, one after the other; `starts` and `counts` give the shapes of each answer."""

    kinds: Codes  # codes of (class, is a polygon)
    corners: Corners
    starts: Codes
    counts: Codes
    names: list[tuple[str, bool]]

    @classmethod
    def of(cls, answers: Sequence[Sequence[Shape]]) -> "Columns":
        listed = [shape for shapes in answers for shape in shapes]
        kinds, names = coded((shape.name, shape.rings is not None) for shape in listed)
        corners = np.array([shape.corners for shape in listed], np.float64).reshape(-1, 4)
        counts = np.array([len(shapes) for shapes in answers], np.int64)
        return cls(kinds, corners, np.cumsum(counts) - counts, counts, names)


@dataclass(frozen=True, slots=True)
class Matches:
    """For each pair of answers: the number of shapes that match, the sum of their IoU, and whether all shapes match."""

    matched: Codes
    overlap: NDArray[np.float64]
    agree: NDArray[np.bool_]
    by_class: Counter[str] = field(default_factory=Counter)

    def mean_iou(self, pairs: Any) -> float | None:
        """Return the mean IoU of the matched shapes of these pairs; None if nothing matches."""
        count = self.matched[pairs].sum()
        return float(self.overlap[pairs].sum() / count) if count else None


def match(columns: Columns, first: Codes, second: Codes) -> Matches:
    """Compare answers `first[i]` with `second[i]`."""
    matched, overlap = np.zeros(len(first), np.int64), np.zeros(len(first))
    names: Counter[str] = Counter()
    for chosen in portions(columns.counts[first] * columns.counts[second]):
        for at, kind, share in _matched(columns, first[chosen], second[chosen]):
            matched[chosen.start + at] += 1
            overlap[chosen.start + at] += share
            names[columns.names[kind][0]] += 1
    left_over = (columns.counts[first] != matched) | (columns.counts[second] != matched)
    return Matches(matched, overlap, ~left_over, names)


def portions(sizes: Codes) -> Iterator[slice]:
    """Split entries into slices of about AT_ONCE comparisons each, given the number of comparisons of each entry."""
    if not len(sizes):
        return
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // AT_ONCE, prepend=0))
    edges = [0, *(int(cut) for cut in cuts if cut), len(sizes)]
    for start, stop in pairwise(edges):
        yield slice(start, stop)


def _matched(columns: Columns, first: Codes, second: Codes) -> Iterator[tuple[int, int, float]]:
    """Yield (pair, kind, IoU) of the shapes that match."""
    sizes = columns.counts[first] * columns.counts[second]
    pair = np.repeat(np.arange(len(first)), sizes)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    width = columns.counts[second][pair]
    ones = columns.starts[first][pair] + place // np.maximum(width, 1)
    others = columns.starts[second][pair] + place % np.maximum(width, 1)
    alike = columns.kinds[ones] == columns.kinds[others]
    pair, ones, others = pair[alike], ones[alike], others[alike]
    shares = iou(columns.corners[ones], columns.corners[others])
    near = np.flatnonzero(shares >= MATCH)
    taken: set[tuple[int, int, int]] = set()
    for at in near[np.argsort(-shares[near], kind="stable")].tolist():
        sides = (int(pair[at]), 0, int(ones[at])), (int(pair[at]), 1, int(others[at]))
        if taken.isdisjoint(sides):
            taken.update(sides)
            yield int(pair[at]), int(columns.kinds[ones[at]]), float(shares[at])


def iou(ones: Corners, others: Corners) -> NDArray[np.float64]:
    """Return the intersection over union of boxes (n, 4), row by row."""
    low, high = np.maximum(ones[:, :2], others[:, :2]), np.minimum(ones[:, 2:], others[:, 2:])
    common = np.prod(np.clip(high - low, 0, None), axis=1)
    whole = np.prod(ones[:, 2:] - ones[:, :2], axis=1) + np.prod(others[:, 2:] - others[:, :2], axis=1) - common
    shares: NDArray[np.float64] = np.divide(common, whole, out=np.zeros_like(common), where=whole > 0)
    return shares


def _rings(polygon: Label) -> tuple[tuple[tuple[float, float], ...], ...]:
    parts = polygon["parts"] if "parts" in polygon else [polygon["points"]]
    return tuple(tuple((x, y) for x, y in ring) for ring in parts)


def _outline(rings: Sequence[Sequence[tuple[float, float]]]) -> dict[str, Any]:
    listed = [[list(point) for point in ring] for ring in rings]
    return {"points": listed[0]} if len(listed) == 1 else {"parts": listed}


def _around(rings: Sequence[Sequence[Sequence[float]]]) -> tuple[float, float, float, float]:
    xs, ys = zip(*(point for ring in rings for point in ring), strict=True)
    return min(xs), min(ys), max(xs), max(ys)
