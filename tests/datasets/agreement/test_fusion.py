"""What several people's boxes come to: against a naive reference, and case by case."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.datasets.agreement.test_shapes import BOX, DRAWN, naive_iou

from agreement import shapes
from agreement.fusion import fuse
from agreement.shapes import MATCH, Shape, label_of, shapes_of

SQUARE = Shape("car", (0, 0, 10, 10))
TASKS = st.lists(st.lists(DRAWN, min_size=2, max_size=4), max_size=5)


def shifted(shape, by, name=None):
    x1, y1, x2, y2 = shape.corners
    return Shape(name or shape.name, (x1 + by, y1, x2 + by, y2))


def alone(answers):
    """What one task's answers come to."""
    (found,) = fuse([answers])
    return found


def naive_fuse(answers):
    """One pair after the other, in plain Python."""
    drawn = [(person, shape) for person, boxes in enumerate(answers) for shape in boxes]
    pairs = [
        (-naive_iou(drawn[i][1], drawn[j][1]), i, j)
        for i in range(len(drawn))
        for j in range(i + 1, len(drawn))
        if drawn[i][0] != drawn[j][0]
    ]
    groups = [[place] for place in range(len(drawn))]
    for share, i, j in sorted(pairs):
        left, right = (next(group for group in groups if place in group) for place in (i, j))
        people = [drawn[place][0] for place in left + right]
        if -share >= MATCH and left is not right and len(set(people)) == len(people):
            groups = [group for group in groups if group is not left and group is not right] + [sorted(left + right)]
    kept, shares = [], []
    for group in sorted(groups):
        names = [drawn[place][1].name for place in group]
        name = max(dict.fromkeys(names), key=names.count)
        if 2 * len(group) > len(answers):
            corners = zip(*(drawn[place][1].corners for place in group if drawn[place][1].name == name), strict=True)
            kept.append((name, tuple(median(column) for column in corners)))
            shares.append(names.count(name) / len(answers))
        else:
            shares.append(1 - len(group) / len(answers))
    return kept, sum(shares) / len(shares) if shares else 1.0


@given(TASKS, st.sampled_from([1, 40, 1_000_000]))
def test_many_tasks_at_once_are_each_what_a_loop_over_pairs_says(tasks, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "AT_ONCE", at_once)
        found = fuse(tasks)
    assert len(found) == len(tasks)
    for (kept, confidence), answers in zip(found, tasks, strict=True):
        known, sure = naive_fuse(answers)
        assert [(shape.name, shape.corners) for shape in kept] == known
        assert confidence == pytest.approx(sure)


@given(st.lists(BOX, max_size=4, unique_by=lambda shape: shape.corners), st.integers(2, 4))
def test_people_of_one_mind_keep_what_they_drew(drawn, people):
    kept, confidence = alone([drawn] * people)
    assert sorted(shape.corners for shape in kept) == sorted(shape.corners for shape in drawn)
    assert confidence == 1.0


def test_the_median_of_three_and_what_one_alone_saw_is_dropped():
    answers = [[SQUARE], [shifted(SQUARE, 1)], [shifted(SQUARE, 3), Shape("bus", (50, 50, 60, 60))]]
    kept, confidence = alone(answers)
    assert kept == [Shape("car", (1, 0, 11, 10))]
    assert confidence == pytest.approx((1 + 2 / 3) / 2)


def test_the_class_most_people_gave_wins():
    kept, confidence = alone([[SQUARE], [shifted(SQUARE, 1, "bus")], [shifted(SQUARE, 1, "bus")]])
    assert [shape.name for shape in kept] == ["bus"]
    assert confidence == pytest.approx(2 / 3)


def test_nested_boxes_of_one_person_are_two_things():
    inner = Shape("car", (1, 1, 10, 10))
    kept, _ = alone([[SQUARE, inner]] * 3)
    assert len(kept) == 2


def test_of_two_people_both_must_have_drawn_it():
    assert alone([[SQUARE], []]) == ([], 0.5)
    assert alone([[], []]) == ([], 1.0)


def test_a_polygon_is_that_of_the_person_nearest_to_the_median():
    def triangle(by):
        return shapes_of({"boxes": [], "polygons": [{"class": "car", "points": [[by, 0], [by + 10, 0], [by, 10]]}]})

    kept, _ = alone([triangle(0), triangle(1), triangle(3)])
    assert label_of(kept) == {"boxes": [], "polygons": [{"class": "car", "points": [[1, 0], [11, 0], [1, 10]]}]}
