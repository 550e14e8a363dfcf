"""What is left of an outline in its image: each point is inside as before, and the box is around what is left."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from formats import Notes
from formats.boxes import Objects
from formats.clipping import cut_to_image
from formats.polygons import area, bounds

WIDTH, HEIGHT = SIZE = (100, 60)
Ring = Sequence[Sequence[float]]
# Whole numbers let outlines run along an edge of the image, and corners touch it.
PLACES = st.one_of(
    st.tuples(st.integers(-4, 14).map(lambda n: n * 10.0), st.integers(-4, 10).map(lambda n: n * 10.0)),
    st.tuples(st.floats(-80, 180), st.floats(-80, 140)),
)
ANY = st.lists(PLACES, min_size=3, max_size=9)
"""Outlines of all kinds, most of which cross themselves."""


@st.composite
def simple(draw: st.DrawFn) -> Ring:
    """An outline that doesn't cross itself, concave as a rule: points around a centre, at any distance."""
    x, y = draw(st.tuples(st.floats(-20, 120), st.floats(-20, 80)))
    count = draw(st.integers(3, 12))
    reach = draw(st.lists(st.floats(3, 120), min_size=count, max_size=count))
    angles = [2 * math.pi * step / count for step in range(count)]
    return [(x + far * math.cos(at), y + far * math.sin(at)) for far, at in zip(reach, angles, strict=True)]


def is_in(ring: Ring, x: float, y: float) -> bool:
    """The even-odd rule."""
    within = False
    for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            within = not within
    return within


def box_of_what_is_left(ring: Ring) -> list[float] | None:
    """Around the points inside the image, the crossings with its edges, and its corners that the outline encloses."""
    points = [point for point in ring if 0 < point[0] < WIDTH and 0 < point[1] < HEIGHT]
    points += [(x, y) for x in (0, WIDTH) for y in (0, HEIGHT) if is_in(ring, x, y)]
    for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
        for axis, at, most in ((0, 0, HEIGHT), (0, WIDTH, HEIGHT), (1, 0, WIDTH), (1, HEIGHT, WIDTH)):
            if (a[axis] - at) * (b[axis] - at) < 0:
                share = (at - a[axis]) / (b[axis] - a[axis])
                along = a[1 - axis] + share * (b[1 - axis] - a[1 - axis])
                if 0 <= along <= most:
                    points.append((at, along) if axis == 0 else (along, at))
    return bounds(points) if points else None


@settings(max_examples=examples(400))
@given(ring=ANY, spots=st.lists(st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)), min_size=20, max_size=20))
def test_a_point_of_the_image_is_inside_as_often_as_before(ring: Ring, spots: list[tuple[float, float]]) -> None:
    rings = cut_to_image(ring, SIZE)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for one in rings for x, y in one)
    for across, down in spots:
        x, y = across * WIDTH, down * HEIGHT
        if _near_a_line(ring, x, y) or area(ring) < 1:
            continue
        assert is_in(ring, x, y) == (sum(is_in(one, x, y) for one in rings) % 2 == 1)


@settings(max_examples=examples(400))
@given(ring=simple())
def test_the_box_of_an_outline_is_around_what_is_left_of_it(ring: Ring) -> None:
    # A corner on an edge is left only where the outline goes on inside.
    assume(all(abs(x - edge) > 1e-3 for x, _ in ring for edge in (0, WIDTH)))
    assume(all(abs(y - edge) > 1e-3 for _, y in ring for edge in (0, HEIGHT)))
    rings, expected = cut_to_image(ring, SIZE), box_of_what_is_left(ring)
    if not rings:
        assert expected is None or min(expected[2] - expected[0], expected[3] - expected[1]) < 1e-3
        return
    assert bounds([point for one in rings for point in one]) == pytest.approx(expected, abs=1e-6)


def _near_a_line(ring: Ring, x: float, y: float) -> bool:
    for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
        length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        share = min(max(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0), 1) if length else 0
        if math.dist((x, y), (x1 + share * (x2 - x1), y1 + share * (y2 - y1))) < 1e-3:
            return True
    return False


def _crosses_itself(ring: Ring) -> bool:
    def side(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    sides = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    return any(
        side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0
        for at, (a, b) in enumerate(sides)
        for other, (c, d) in enumerate(sides)
        if 1 < abs(at - other) < len(sides) - 1
    )


@pytest.mark.parametrize(
    ("ring", "expected"),
    [
        ([(10, 50), (200, -300), (20, 50)], [10, 0, 45.714286, 50]),  # far above the image
        ([(-30, 10), (50, 10), (50, -30)], [0, 0, 50, 10]),
        ([(-10, -10), (110, -10), (110, 70), (-10, 70)], [0, 0, 100, 60]),  # around the image
        ([(0, 0), (100, 0), (100, 60)], [0, 0, 100, 60]),  # along its edges
    ],
)
def test_an_outline_is_cut_and_not_moved_to_the_edge(ring: Ring, expected: list[float]) -> None:
    (left,) = cut_to_image(ring, SIZE)
    assert bounds(left) == pytest.approx(expected, abs=1e-4)


def test_what_the_edge_divides_is_one_object_of_several_parts_and_counted() -> None:
    notes = Notes()
    objects = Objects(SIZE, notes=notes, where="a.png")
    arch = [(10, 50), (10, -40), (90, -40), (90, 50), (70, 50), (70, -20), (30, -20), (30, 50)]
    objects.add_polygon("arch", arch, id="7")
    objects.add_polygon("far", [(-50, 10), (-20, 10), (-20, 30)])
    (polygon,) = objects.label()["polygons"]
    assert polygon["id"] == "7"
    assert sorted(map(bounds, polygon["parts"])) == [[10, 0, 30, 50], [70, 0, 90, 50]]
    assert notes.lines() == [
        "polygons reach beyond their image and were cut to it (2; the first: a.png)",
        "polygons that the edge of their image parts are one object of several parts (1; the first: a.png)",
    ]
    assert [(row["code"], row["objects"]) for row in notes.incomplete.reasons()] == [("no_area", 1)]


def test_an_outline_inside_stays_as_it_was_and_rounding_is_not_beyond() -> None:
    ring = [[0.0, 0.0], [100.0, 0.0], [50.0, 60.0]]
    assert cut_to_image(ring, SIZE) == [ring]
    assert cut_to_image([[-1e-9, 0.0], [100 + 1e-9, 0.0], [50.0, 60.0]], SIZE) == [ring]


def test_a_hole_that_a_line_joins_with_the_outline_stays_a_hole() -> None:
    """As tools write a hole into one ring: along a line to it, around it, and back."""
    ring = [(-20, 10), (40, 10), (40, 50), (-20, 50), (-20, 30), (20, 30), (20, 40), (30, 40), (30, 20), (20, 20),
            (20, 30), (-20, 30)]  # fmt: skip
    assert sum(map(area, cut_to_image(ring, SIZE))) == 40 * 40 - 10 * 20
