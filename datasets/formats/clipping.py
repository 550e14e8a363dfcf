"""Cutting outlines to their image.

A ring is cut at one edge of the image after another. Along an edge, what the ring encloses is between its first and
second crossing, its third and fourth, and so on (the even-odd rule). Each such pair is joined, so a concave ring may
leave several rings, and no line along the edge joins those, as the algorithm of Sutherland and Hodgman (CACM 17, 1974)
would. Where a ring crosses itself, what it goes around an even number of times is outside.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from formats.polygons import SAME, is_flat, opened
from formats.samples import Size

Point = Sequence[float]
Ring = list[list[float]]
START, END = 0, 1


class _Edge(NamedTuple):
    """What is beyond `at` along `axis` (0: x, 1: y) is cut off: above it if `sign` is 1, below it if -1."""

    axis: int
    at: float
    sign: int

    def depth(self, point: Point) -> float:
        """Return how far a point is beyond the edge in pixels; negative inside."""
        return self.sign * (point[self.axis] - self.at)

    def crossing(self, a: Point, b: Point) -> list[float]:
        """Return where the line through a and b crosses the edge: the same for b and a."""
        (low, high), along = sorted((tuple(a), tuple(b))), 1 - self.axis
        share = (self.at - low[self.axis]) / (high[self.axis] - low[self.axis])
        place = [self.at, self.at]
        place[along] = low[along] + share * (high[along] - low[along])
        return place


class _Crossing(NamedTuple):
    """One end of a chain, the points of a ring between two crossings, at `place` along the edge."""

    place: float
    chain: int
    end: int


def cut_to_image(ring: Sequence[Point], size: Size | None) -> list[Ring]:
    """Return the rings of what is left of a ring in an image of this size; none if nothing is.

    A ring inside stays as it is. A point less than a millionth of a pixel beyond an edge is put on it.
    """
    width, height = size or (inf, inf)
    rings = [[[_near(x, width), _near(y, height)] for x, y in ring]]
    for edge in (_Edge(0, 0.0, -1), _Edge(0, float(width), 1), _Edge(1, 0.0, -1), _Edge(1, float(height), 1)):
        rings = [rest for one in rings for rest in _cut(one, edge)]
    return [one for one in rings if not is_flat(one)]


def _near(value: float, side: float) -> float:
    inside = min(max(value, 0.0), float(side))
    return inside if abs(value - inside) < SAME else value


def _cut(ring: Ring, edge: _Edge) -> Iterator[Ring]:
    if all(edge.depth(point) <= 0 for point in ring):
        yield ring
        return
    chains = _chains(ring, edge)
    partners = _partners(chains, 1 - edge.axis)
    left = dict.fromkeys(range(len(chains)))
    while left:
        rest, at = Ring(), (next(iter(left)), START)
        while at[0] in left:
            chain, end = at
            del left[chain]
            rest += chains[chain] if end == START else reversed(chains[chain])
            at = partners[chain, END - end]
        distinct = [point for before, point in pairwise([rest[-1], *rest]) if point != before]
        if not is_flat(distinct):
            yield opened(distinct)


def _chains(ring: Ring, edge: _Edge) -> list[Ring]:
    """Return the pieces of a ring inside the edge, from crossing to crossing. A point on the edge is not inside, so a
    ring that only touches the edge from inside is one piece more."""
    inside = [edge.depth(point) < 0 for point in ring]
    first = next((place for place in range(len(ring)) if inside[place] and not inside[place - 1]), 0)
    turned = [(*one,) for one in zip(ring[first:] + ring[:first], inside[first:] + inside[:first], strict=True)]
    chains, before = list[Ring](), ring[first - 1]
    for is_inside, group in groupby(turned, key=lambda one: one[1]):
        points = [point for point, _ in group]
        if is_inside:
            chains.append([edge.crossing(before, points[0]), *points])
        elif chains:
            chains[-1].append(edge.crossing(chains[-1][-1], points[0]))
        before = points[-1]
    return chains


def _partners(chains: Sequence[Ring], along: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each end of a chain the one that it is joined with along the edge."""
    ends = sorted(
        _Crossing(chain[-end][along], number, end) for number, chain in enumerate(chains) for end in (START, END)
    )
    for at in range(1, len(ends)):  # where several cross in one place, going out and coming in alternate
        if ends[at].end == ends[at - 1].end:
            for other in range(at + 1, len(ends)):
                if ends[other].place != ends[at].place:
                    break
                if ends[other].end != ends[at].end:
                    ends[at], ends[other] = ends[other], ends[at]
                    break
    partners: dict[tuple[int, int], tuple[int, int]] = {}
    for first, second in zip(ends[::2], ends[1::2], strict=True):
        partners[first.chain, first.end] = second.chain, second.end
        partners[second.chain, second.end] = first.chain, first.end
    return partners
