"""Answers that are boxes or polygons: which shapes of two people mean one thing, and what several people's come to.

Two shapes match when they are of one kind, name one class, and their boxes overlap with an IoU of at least `MATCH`,
the best overlap first and each shape once: the rule of the PASCAL VOC challenge (Everingham et al., IJCV 88, 2010). A
polygon counts by the box around it.
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
AT_ONCE = 1_000_000  # shape against shape
Corners = NDArray[np.float64]
Label = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """A box, or a polygon when it has `points`."""

    name: str
    corners: tuple[float, float, float, float]
    points: tuple[tuple[float, float], ...] | None = None


def shapes_of(label: Label) -> list[Shape]:
    """The boxes and polygons of a detection label."""
    boxes = [Shape(one["class"], tuple(one["box"])) for one in label.get("boxes", ())]
    polygons = [
        Shape(one["class"], _around(one["points"]), tuple((x, y) for x, y in one["points"]))
        for one in label.get("polygons", ())
    ]
    return boxes + polygons


def label_of(shapes: Sequence[Shape]) -> dict[str, Any]:
    """The detection label with these shapes."""
    boxes = [{"class": one.name, "box": list(one.corners)} for one in shapes if one.points is None]
    polygons = [
        {"class": one.name, "points": [list(point) for point in one.points]} for one in shapes if one.points is not None
    ]
    return {"boxes": boxes} | ({"polygons": polygons} if polygons else {})


@dataclass(frozen=True, slots=True)
class Columns:
    """The shapes of many answers, one after the other; `starts` and `counts` say which are whose."""

    kinds: Codes  # class and kind together
    corners: Corners
    starts: Codes
    counts: Codes
    names: list[tuple[str, bool]]

    @classmethod
    def of(cls, answers: Sequence[Sequence[Shape]]) -> "Columns":
        listed = [shape for shapes in answers for shape in shapes]
        kinds, names = coded((shape.name, shape.points is not None) for shape in listed)
        corners = np.array([shape.corners for shape in listed], np.float64).reshape(-1, 4)
        counts = np.array([len(shapes) for shapes in answers], np.int64)
        return cls(kinds, corners, np.cumsum(counts) - counts, counts, names)


@dataclass(frozen=True, slots=True)
class Matches:
    """For each pair of answers: shapes that match, the sum of their IoU, and whether nothing is left over."""

    matched: Codes
    overlap: NDArray[np.float64]
    agree: NDArray[np.bool_]
    by_class: Counter[str] = field(default_factory=Counter)

    def mean_iou(self, pairs: Any) -> float | None:
        """Over the matched shapes of some pairs; None when nothing matches."""
        count = self.matched[pairs].sum()
        return float(self.overlap[pairs].sum() / count) if count else None


def match(columns: Columns, first: Codes, second: Codes) -> Matches:
    """Compare answers `first[i]` with `second[i]`."""
    matched, overlap = np.zeros(len(first), np.int64), np.zeros(len(first))
    names: Counter[str] = Counter()
    for chosen in _portions(columns.counts[first] * columns.counts[second]):
        for at, kind, share in _matched(columns, first[chosen], second[chosen]):
            matched[chosen.start + at] += 1
            overlap[chosen.start + at] += share
            names[columns.names[kind][0]] += 1
    left_over = (columns.counts[first] != matched) | (columns.counts[second] != matched)
    return Matches(matched, overlap, ~left_over, names)


def _portions(sizes: Codes) -> Iterator[slice]:
    """Runs of pairs that together compare about AT_ONCE shapes."""
    if not len(sizes):
        return
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // AT_ONCE, prepend=0))
    edges = [0, *(int(cut) for cut in cuts if cut), len(sizes)]
    for start, stop in pairwise(edges):
        yield slice(start, stop)


def _matched(columns: Columns, first: Codes, second: Codes) -> Iterator[tuple[int, int, float]]:
    """(pair, kind, IoU) of what matches."""
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
    """Intersection over union of boxes (n, 4), one by one."""
    low, high = np.maximum(ones[:, :2], others[:, :2]), np.minimum(ones[:, 2:], others[:, 2:])
    common = np.prod(np.clip(high - low, 0, None), axis=1)
    whole = np.prod(ones[:, 2:] - ones[:, :2], axis=1) + np.prod(others[:, 2:] - others[:, :2], axis=1) - common
    shares: NDArray[np.float64] = np.divide(common, whole, out=np.zeros_like(common), where=whole > 0)
    return shares


def fuse(answers: Sequence[Sequence[Shape]]) -> tuple[list[Shape], float]:
    """What most people drew, and the mean share of people who say so.

    Shapes of different people that overlap (IoU >= MATCH, whatever their class) mean one thing, the best overlap first,
    at most one shape of each person. A thing that more than half of the people drew is kept, with the class most of
    them gave it and the median of each coordinate; a polygon is that of the person nearest to the median.
    """
    kept, shares = [], []
    for group in _things(answers):
        name, votes = Counter(shape.name for shape in group).most_common(1)[0]
        if 2 * len(group) > len(answers):
            kept.append(_median([shape for shape in group if shape.name == name]))
            shares.append(votes / len(answers))
        else:
            shares.append(1 - len(group) / len(answers))
    return kept, sum(shares) / len(shares) if shares else 1.0


def _things(answers: Sequence[Sequence[Shape]]) -> list[list[Shape]]:
    """The shapes of all answers, grouped by what they are about, in the order they were drawn."""
    drawn = [(person, shape) for person, shapes in enumerate(answers) for shape in shapes]
    group_of = list(range(len(drawn)))
    members = {place: [place] for place in group_of}
    for one, other in _overlapping(drawn):
        left, right = sorted((group_of[one], group_of[other]))
        people = [drawn[place][0] for place in members[left] + members[right]] if left != right else []
        if people and len(set(people)) == len(people):
            members[left] += members.pop(right)
            for place in members[left]:
                group_of[place] = left
    return [[drawn[place][1] for place in sorted(places)] for places in members.values()]


def _overlapping(drawn: Sequence[tuple[int, Shape]]) -> list[tuple[int, int]]:
    """Places of shapes of one kind by different people that overlap enough, the best first."""
    if not drawn:
        return []
    corners = np.array([shape.corners for _, shape in drawn], np.float64)
    people = np.array([person for person, _ in drawn])
    polygons = np.array([shape.points is not None for _, shape in drawn])
    ones, others = np.triu_indices(len(drawn), 1)
    could = (people[ones] != people[others]) & (polygons[ones] == polygons[others])
    ones, others = ones[could], others[could]
    shares = iou(corners[ones], corners[others])
    best = np.argsort(-shares, kind="stable")
    return [(int(ones[at]), int(others[at])) for at in best[: int((shares >= MATCH).sum())]]


def _median(shapes: Sequence[Shape]) -> Shape:
    corners = np.array([shape.corners for shape in shapes])
    middle = np.median(corners, axis=0)
    if shapes[0].points is not None:
        return shapes[int(np.abs(corners - middle).sum(axis=1).argmin())]
    x1, y1, x2, y2 = middle.tolist()
    return Shape(shapes[0].name, (x1, y1, x2, y2))


def _around(points: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)
