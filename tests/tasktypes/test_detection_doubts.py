"""Labels of boxes that a detector doubts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from tasktypes import task_type
from tasktypes.detection.doubts import MISSED, MOVED, WRONG_CLASS, bars_of, doubts_of

CLASSES = ["car", "bus", "van"]
TASK = task_type("detection")
NONE = np.zeros((0, 6), np.float32)


def answers(*rows):
    """(x1, y1, x2, y2, score, class) of an image of 100 x 100 pixels."""
    return np.array([[*(part / 100 for part in box), score, name] for *box, score, name in rows], np.float32)


def targets(*rows, width=4):
    """(x1, y1, x2, y2, class, kind)."""
    made = np.zeros((width, 8), np.float32)
    made[:, 6:] = 100
    for at, (*box, name, kind) in enumerate(rows):
        made[at, :6] = [*(part / 100 for part in box), name, kind]
    return made


BARS = np.full(3, 0.6)
CAR = (10, 10, 30, 30)


def told(said, label, bars=BARS):
    return [(doubt.kind, round(doubt.score, 3), doubt.sure) for doubt in doubts_of(said, label, bars, CLASSES)]


@pytest.mark.parametrize(
    ("said", "label", "expected"),
    [
        ([(*CAR, 0.9, 0)], [(*CAR, 0, 1)], []),
        ([(*CAR, 0.9, 0)], [], [(MISSED, 0.9, True)]),
        ([(*CAR, 0.5, 0)], [], [(MISSED, 0.5, False)]),
        ([(*CAR, 0.9, 0)], [(12, 12, 30, 30, 0, 2)], []),
        ([(*CAR, 0.9, 0)], [(12, 12, 30, 30, -1, 2)], []),
        ([(*CAR, 0.9, 0)], [(12, 12, 30, 30, 1, 2)], [(MISSED, 0.9, True)]),
        ([(*CAR, 0.9, 0)], [(20, 10, 40, 30, 0, 1)], [(MOVED, 0.9, True)]),
        ([(*CAR, 0.9, 0), (20, 10, 40, 30, 0.3, 0)], [(20, 10, 40, 30, 0, 1)], []),
        ([(*CAR, 0.9, 0)], [(20, 10, 40, 30, 0, 1), (*CAR, 0, 1)], []),
        ([(*CAR, 0.9, 0)], [(*CAR, 1, 1)], [(WRONG_CLASS, 0.9, True)]),
        ([(*CAR, 0.9, 0), (*CAR, 0.7, 1)], [(*CAR, 1, 1)], [(WRONG_CLASS, 0.2, True)]),
        ([(*CAR, 0.7, 0), (*CAR, 0.9, 1)], [(*CAR, 1, 1)], []),
        (
            [(*CAR, 0.3, 0), (60, 60, 90, 90, 0.8, 2), (*CAR, 0.1, 1)],
            [(*CAR, 1, 1)],
            [(MISSED, 0.8, True), (WRONG_CLASS, 0.2, False)],
        ),
    ],
)
def test_what_a_box_says_of_a_label(said, label, expected):
    assert told(answers(*said) if said else NONE, targets(*label)) == expected


def test_words_name_the_classes_and_the_place_in_pixels():
    said = answers((*CAR, 0.9, 0), (60, 60, 90, 80, 0.8, 2))
    words = [doubt.words for doubt in doubts_of(said, targets((*CAR, 1, 1)), BARS, CLASSES)]
    assert words == [
        "labelled bus, the model says car at 0.90 (10, 10 to 30, 30)",
        "no box where the model sees van at 0.80 (60, 60 to 90, 80)",
    ]


def drawn(seed, images):
    """Images whose boxes a model knows, some a little off, with scores from .5 on."""
    rng = np.random.default_rng(seed)
    labels, said = [], []
    for _ in range(images):
        places = rng.permutation(16)[: rng.integers(1, 5)]
        rows, boxes = [], []
        for place in places:
            x, y, name = 25 * (place % 4) + 2, 25 * (place // 4) + 2, int(rng.integers(3))
            rows.append((x, y, x + 18, y + 18, name, 1))
            off = rng.uniform(-2, 2, 4)
            boxes.append((x + off[0], y + off[1], x + 18 + off[2], y + 18 + off[3], rng.uniform(0.5, 1), name))
        labels.append(targets(*rows))
        said.append(np.concatenate([answers(*boxes), np.zeros((4 - len(boxes), 6), np.float32)]))
    return np.stack(said), np.stack(labels)


@given(seed=st.integers(0, 10**6), images=st.integers(1, 8))
@settings(max_examples=examples(50))
def test_a_model_that_is_right_doubts_nothing_and_the_order_of_boxes_is_no_matter(seed, images):
    said, labels = drawn(seed, images)
    assert list(TASK.mining.doubts(said, labels, CLASSES)) == [[]] * images
    rng = np.random.default_rng(seed)
    labels[0, 0, 4] = (labels[0, 0, 4] + 1) % 3
    found = list(TASK.mining.doubts(said, labels, CLASSES))
    mixed = list(TASK.mining.doubts(said[:, rng.permutation(4)], labels[:, rng.permutation(4)], CLASSES))
    assert [[one.kind for one in of] for of in found] == [[WRONG_CLASS]] + [[]] * (images - 1)
    assert mixed == found


def test_a_bar_is_the_mean_score_of_right_boxes_and_infinite_without_one():
    said = np.stack([answers((*CAR, 0.9, 0), (60, 60, 90, 90, 0.2, 0)), answers((*CAR, 0.5, 0), (*CAR, 0.4, 1))])
    labels = np.stack([targets((*CAR, 0, 1)), targets((*CAR, 0, 1))])
    np.testing.assert_allclose(bars_of(said, labels, 3), [0.7, np.inf, np.inf], rtol=1e-6)
    assert not bars_of(said[:0], labels[:0], 2).min() < np.inf
