"""Boxes of several members as questions that all of them answer, mirrored boxes, and cells of heat maps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, compose, names, strategy
from acquisition.registry import RowStrategy
from agreement.shapes import iou
from tasktypes import task_type
from tasktypes.detection.heat import cells_inside

KIND = task_type("detection")
CLASSES = ["stop", "yield", "warning"]
COMMITTEES = [name for name in names() if "members" in strategy(name).needs and not strategy(name).asks_likeliest]


def members_of(rng, images=4, members=3, boxes=6, *, coarse=False):
    """(N, C, M, 6) of few places, so that boxes meet, each member's in an order of its own."""
    low = rng.choice([0.0, 0.1, 0.15, 0.5], (images, members, boxes, 2)) + rng.uniform(
        0, 0.05, (images, members, boxes, 2)
    )
    score = rng.random((images, members, boxes)) ** 2
    score[rng.random(images) < 0.3] *= 0.04
    score[rng.random(score.shape) < 0.2] = 0
    if coarse:
        low, score = np.round(low, 1), np.round(score, 1)
    label = rng.integers(0, 3, (images, members, boxes))
    return np.concatenate([low, low + 0.3, score[..., None], label[..., None]], axis=-1).astype(np.float32)


def plain(members):
    """One image (C, M, 6), by the rule as it is told: (class, score of each member) of each question."""
    left = {(who, at): box for who, boxes in enumerate(members) for at, box in enumerate(boxes) if box[4] > 0}

    def rank(item):
        return (-item[1][4], item[1][5], *item[1][:4])

    bar = min(0.05, max((box[4] for box in left.values()), default=0))
    found = []
    while begins := sorted((item for item in left.items() if item[1][4] >= bar), key=rank):
        key, seed = begins[0]
        del left[key]
        said = np.zeros(len(members))
        said[key[0]] = seed[4]
        for who in set(range(len(members))) - {key[0]}:
            near = [
                (-float(iou(seed[None, :4].astype(float), box[None, :4].astype(float))[0]), *rank((other, box)), other)
                for other, box in left.items()
                if other[0] == who and box[5] == seed[5]
            ]
            if near and -min(near)[0] >= 0.5:
                said[who] = left.pop(min(near)[-1])[4]
        found.append((int(seed[5]), tuple(said.tolist())))
    return found[: members.shape[1]]


@given(seed=st.integers(0, 2**31), coarse=st.booleans())
@settings(max_examples=examples(150))
def test_questions_are_those_of_the_rule_as_it_is_told(seed, coarse):
    members = members_of(np.random.default_rng(seed), coarse=coarse)
    made = KIND.mining.aligned(members)
    assert made.shape == members.shape
    for image, questions in zip(members, made, strict=True):
        kept = questions[:, :, 4].max(axis=0) > 0
        classes = questions[0, kept, 5].astype(int).tolist()
        assert list(zip(classes, map(tuple, questions[:, kept, 4].T.tolist()), strict=True)) == plain(image)
        assert (questions[:, kept, 5] == questions[0, kept, 5]).all()


@pytest.mark.parametrize("name", COMMITTEES)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(20))
def test_the_order_of_boxes_and_of_members_changes_no_score(name, seed):
    rng = np.random.default_rng(seed)
    members = members_of(rng)
    kind = strategy(name, {"reduce": "sum"})
    assert isinstance(kind, RowStrategy)

    def scores(rows):
        pool = Pool(ids=np.arange(len(rows)), members=KIND.mining.aligned(rows), classes=CLASSES, task="detection")
        return kind.scored(pool)

    once = scores(members)
    np.testing.assert_allclose(scores(members[:, :, rng.permutation(members.shape[2])]), once, atol=1e-6)
    np.testing.assert_allclose(scores(members[:, rng.permutation(members.shape[1])]), once, atol=1e-6)


HERE, THERE = (0.1, 0.1, 0.4, 0.5), (0.6, 0.6, 0.9, 0.9)


@pytest.mark.parametrize("name", COMMITTEES)
def test_members_that_differ_over_class_or_presence_come_before_those_that_agree(name):
    pairs = [
        ([(*HERE, 0.9, 0)], [(*HERE, 0.9, 0)]),
        ([(*HERE, 0.9, 0)], [(*HERE, 0.9, 1)]),
        ([(*HERE, 0.9, 0)], [(*HERE, 0.0, 0)]),
        ([(*HERE, 0.9, 0)], [(*THERE, 0.9, 0)]),
    ]
    members = np.array(pairs, np.float32)
    pool = Pool(ids=np.arange(4), members=KIND.mining.aligned(members), classes=CLASSES, task="detection")
    batch = compose(pool, name, count=4, seed=0)
    assert batch[-1].id == 0
    assert batch[-1].score == pytest.approx(0, abs=1e-6)
    assert all((pick.score or 0) > 0.1 for pick in batch[:3])
    assert batch[0].reason.startswith("members differ: stop from 0.00 to 0.90")


@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(50))
def test_a_mirror_image_mirrored_again_is_the_image(seed):
    boxes = members_of(np.random.default_rng(seed))[:, 0]
    turned = KIND.outputs.mirrored(boxes)
    np.testing.assert_allclose(KIND.outputs.mirrored(turned), boxes, atol=1e-6)
    there = boxes[..., 4] > 0
    np.testing.assert_allclose(turned[there][:, 0], 1 - boxes[there][:, 2], atol=1e-6)
    assert (turned[there][:, [1, 3, 4, 5]] == boxes[there][:, [1, 3, 4, 5]]).all()
    assert (turned[~there] == boxes[~there]).all()


def counted(maps, box):
    """The places of one level (C + 4, H, W) inside a box (6,) that show its class, one by one."""
    (height, width), (x1, y1, x2, y2, _, label) = maps.shape[1:], box
    inside = [
        float(1 / (1 + np.exp(-np.float64(maps[int(label), row, column]))))
        for row in range(height) for column in range(width)
        if x1 <= np.float32(column + 0.5) / np.float32(width) <= x2
        and y1 <= np.float32(row + 0.5) / np.float32(height) <= y2
    ]  # fmt: skip
    return sum(p >= 0.05 for p in inside)


@given(seed=st.integers(0, 2**31), sizes=st.sampled_from([[(5, 7)], [(1, 1)], [(9, 4)], [(4, 4), (2, 2), (1, 1)]]))
@settings(max_examples=examples(100))
def test_cells_are_counted_as_one_by_one_in_every_level(seed, sizes):
    rng = np.random.default_rng(seed)
    levels = [rng.normal(-2.5, 1.5, (3, 6, *size)).astype(np.float32) for size in sizes]
    answers = rng.random((3, 5, 6)).astype(np.float32)
    answers[..., 5] = rng.integers(0, 2, (3, 5))
    height, width = sizes[0]
    answers[0, 0, :4] = (0.5 / width, 0.5 / height, 1.5 / width, 1.5 / height)  # sides through middles count
    raw = levels[0] if len(levels) == 1 else np.concatenate([level.reshape(3, 6, -1) for level in levels], axis=2)
    found = cells_inside(raw, answers)
    for image in range(3):
        for at, box in enumerate(answers[image]):
            assert found[image, at] == sum(counted(level[image], box) for level in levels)


def test_evidence_is_what_the_evaluation_matches():
    answers = np.array([[(*HERE, 0.9, 0), (*HERE, 0.4, 1), (*THERE, 0.04, 0)], [(*THERE, 0.8, 2)] * 3], np.float32)
    answers[1, 1:, 4] = 0
    targets = np.zeros((2, 2, 8), np.float32)
    targets[0, 0], targets[1, 0] = (*HERE, 0, 1, 200, 100), (*THERE, 2, 2, 200, 100)
    targets[..., 6:] = (200, 100)
    cells = np.array([[7, 3, 1], [5, 0, 0]], np.int32)
    found = KIND.mining.evidence(answers, cells, targets)
    np.testing.assert_allclose(found, [[0, 0.9, 7, 1], [1, 0.4, 3, 0]], atol=1e-6)
