"""The consensus of several people's boxes and polygons."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.opinions import Codes
from agreement.shapes import MATCH, Corners, Shape, iou, portions

Answers = Sequence[Sequence[Shape]]
"""The shapes that each person drew in one task."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """All shapes of all tasks, one after the other. `starts` and `counts` give the shapes of each task."""

    shapes: list[Shape]
    people: Codes
    polygons: NDArray[np.bool_]
    corners: Corners
    starts: Codes
    counts: Codes

    @classmethod
    def of(cls, tasks: Sequence[Answers]) -> "_Drawn":
        listed = [(person, one) for answers in tasks for person, drawn in enumerate(answers) for one in drawn]
        shapes = [one for _, one in listed]
        counts = np.array([sum(map(len, answers)) for answers in tasks], np.int64)
        return cls(
            shapes,
            np.array([person for person, _ in listed], np.int64),
            np.array([one.rings is not None for one in shapes], np.bool_),
            np.array([one.corners for one in shapes], np.float64).reshape(-1, 4),
            np.cumsum(counts) - counts,
            counts,
        )


def fuse(tasks: Sequence[Answers]) -> list[tuple[list[Shape], float]]:
    """Return for each task the shapes that most people drew, and the mean share of people who agree.

    Shapes of different people that overlap (IoU >= MATCH, whatever their class) are taken as one thing, the best
    overlap first, with at most one shape of each person. A thing that more than half of the people drew is kept, with
    the class most of them gave it and the median of each coordinate; a polygon is that of the person nearest to the
    median. What it carries comes from the shapes of that class: each attribute gets its most frequent value, where a
    missing one counts as a value and the first wins a tie; an id or a track must be given by more than half of all the
    people.
    """
    drawn = _Drawn.of(tasks)
    owner = np.repeat(np.arange(len(tasks)), drawn.counts).tolist()
    wanted: list[list[int]] = []
    kept: list[list[int]] = [[] for _ in tasks]
    shares: list[list[float]] = [[] for _ in tasks]
    for places in _things(drawn):
        task = owner[places[0]]
        people = len(tasks[task])
        names = [drawn.shapes[place].name for place in places]
        name = max(dict.fromkeys(names), key=names.count)
        if 2 * len(places) > people:
            kept[task].append(len(wanted))
            wanted.append([place for place, named in zip(places, names, strict=True) if named == name])
            shares[task].append(names.count(name) / people)
        else:
            shares[task].append(1 - len(places) / people)
    middles = [
        replace(one, carried=_carried([drawn.shapes[place].carried for place in places], len(tasks[owner[places[0]]])))
        for one, places in zip(_middles(drawn, wanted), wanted, strict=True)
    ]
    return [
        ([middles[at] for at in of_task], sum(said) / len(said) if said else 1.0)
        for of_task, said in zip(kept, shares, strict=True)
    ]


def _carried(told: Sequence[Mapping[str, Any]], people: int) -> dict[str, Any]:
    """Combine the attributes, ids and tracks of the shapes of one thing."""
    attributes: dict[str, Any] = {}
    for name in dict.fromkeys(name for one in told for name in one.get("attributes", {})):
        values = [one.get("attributes", {}).get(name) for one in told]
        value = max(values, key=values.count)
        attributes |= {name: value} if value is not None else {}
    found: dict[str, Any] = {"attributes": attributes} if attributes else {}
    for name in ("id", "track"):
        given = [one[name] for one in told if name in one]
        agreed = [value for value in given if 2 * given.count(value) > people]
        found |= {name: agreed[0]} if agreed else {}
    return found


def _things(drawn: _Drawn) -> list[list[int]]:
    """Group the places of all shapes by the thing they show: groups and their members in the order of drawing."""
    group_of = list(range(len(drawn.shapes)))
    members = {place: [place] for place in group_of}
    people = [{person} for person in drawn.people.tolist()]
    for one, other in _overlapping(drawn):
        left, right = sorted((group_of[one], group_of[other]))
        if left != right and people[left].isdisjoint(people[right]):
            people[left] |= people[right]
            members[left] += members.pop(right)
            for place in members[left]:
                group_of[place] = left
    return [sorted(places) for places in members.values()]


def _overlapping(drawn: _Drawn) -> list[tuple[int, int]]:
    """Return the places of every two shapes of one kind by different people in a task that overlap enough, the best
    first."""
    found: list[tuple[int, int]] = []
    for chosen in portions(drawn.counts**2):
        counts = drawn.counts[chosen]
        sizes = counts**2
        width = np.repeat(counts, sizes)
        place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        start = np.repeat(drawn.starts[chosen], sizes)
        ones, others = start + place // width, start + place % width
        could = (ones < others) & (drawn.people[ones] != drawn.people[others])
        could &= drawn.polygons[ones] == drawn.polygons[others]
        ones, others = ones[could], others[could]
        shares = iou(drawn.corners[ones], drawn.corners[others])
        near = np.flatnonzero(shares >= MATCH)
        best = near[np.argsort(-shares[near], kind="stable")]
        found += zip(ones[best].tolist(), others[best].tolist(), strict=True)
    return found


def _middles(drawn: _Drawn, groups: Sequence[Sequence[int]]) -> list[Shape]:
    """Return the median of each group's shapes; computes all groups of one size at once."""
    made: dict[int, Shape] = {}
    by_size: dict[int, list[int]] = defaultdict(list)
    for at, places in enumerate(groups):
        by_size[len(places)].append(at)
    for sized in by_size.values():
        members = np.array([groups[at] for at in sized])
        corners = drawn.corners[members]
        middle = np.median(corners, axis=1)
        nearest = members[np.arange(len(sized)), np.abs(corners - middle[:, None]).sum(axis=2).argmin(axis=1)]
        for at, box, place in zip(sized, middle.tolist(), nearest.tolist(), strict=True):
            shape = drawn.shapes[place]
            made[at] = shape if shape.rings is not None else Shape(shape.name, tuple(box))
    return [made[at] for at in range(len(groups))]
