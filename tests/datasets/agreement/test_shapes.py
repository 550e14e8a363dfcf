"""Boxes of several people: matching against a naive reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.shapes import MATCH, Columns, Shape, iou, label_of, match, shapes_of

CORNER = st.integers(0, 12)
BOX = st.builds(
    lambda name, x, y, w, h: Shape(name, (x, y, x + w, y + h)),
    st.sampled_from(["car", "bus"]), CORNER, CORNER, st.integers(1, 12), st.integers(1, 12),
)  # fmt: skip
DRAWN = st.lists(BOX, max_size=5)


def naive_iou(one, other):
    width = min(one.corners[2], other.corners[2]) - max(one.corners[0], other.corners[0])
    height = min(one.corners[3], other.corners[3]) - max(one.corners[1], other.corners[1])
    common = max(0, width) * max(0, height)
    area = [(x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in (one.corners, other.corners)]
    return common / (sum(area) - common)


def naive_match(ones, others):
    pairs = sorted(
        ((naive_iou(a, b), -i, -j) for i, a in enumerate(ones) for j, b in enumerate(others) if a.name == b.name),
        reverse=True,
    )
    left, right, shares = set(), set(), []
    for share, i, j in pairs:
        if share >= MATCH and i not in left and j not in right:
            left.add(i)
            right.add(j)
            shares.append(share)
    return shares


def compare(ones, others):
    return match(Columns.of([ones, others]), np.array([0]), np.array([1]))


@given(DRAWN, DRAWN)
def test_matching_is_what_two_loops_say(ones, others):
    found, shares = compare(ones, others), naive_match(ones, others)
    assert found.matched[0] == len(shares)
    assert found.overlap[0] == pytest.approx(sum(shares))
    assert found.agree[0] == (len(ones) == len(others) == len(shares))


@given(st.lists(DRAWN, min_size=2, max_size=4))
def test_many_pairs_at_once_are_each_what_they_are_alone(answers):
    first, second = np.triu_indices(len(answers), 1)
    found = match(Columns.of(answers), first, second)
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        assert found.matched[at] == compare(answers[one], answers[other]).matched[0]


@given(BOX, BOX)
def test_iou_is_a_share_and_knows_no_order(one, other):
    ones, others = (np.array([shape.corners], float) for shape in (one, other))
    assert 0 <= iou(ones, others)[0] <= 1
    assert iou(ones, others)[0] == pytest.approx(iou(others, ones)[0]) == pytest.approx(naive_iou(one, other))
    assert iou(ones, ones)[0] == pytest.approx(1.0)


def test_a_label_comes_back_as_it_was():
    label = {"boxes": [{"class": "car", "box": [0, 0, 1, 1]}]}
    assert label_of(shapes_of(label)) == label
