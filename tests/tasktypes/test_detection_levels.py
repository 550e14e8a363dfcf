"""Maps of several levels: which level learns what, what is read back, and crowds that one level cannot hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from tasktypes import task_type
from tasktypes.detection.answers import overlaps
from tasktypes.detection.decoding import centres, decoded
from tasktypes.detection.learning import CentreLoss, aims, owners
from tasktypes.detection.levels import SIDES, levels_of
from tasktypes.detection.targets import CLASS, KIND, OBJECT, REGION
from training import Images, Recipe, build, fit
from training.loop import predict

CLASSES, COARSEST = 2, 10
ONE, THREE = (1, CLASSES + SIDES, 4 * COARSEST, 4 * COARSEST), (1, CLASSES + SIDES, 21 * COARSEST**2)
"""The shapes of both kinds of maps of an image of 320 x 320 pixels."""
PIXELS = 32 * COARSEST
LENGTHS = [12, 20, 40, 70, 94, 98, 140, 180, 188, 196, 250]
"""Of objects of all three levels, which end at 96 and at 192 pixels. Sides are not negative, so the middle of a place
must lie in its object: none is narrower than 8 pixels."""


def targets(*boxes: tuple[float, float, float, float, int]) -> torch.Tensor:
    """One image; x and y of the middle, width and height in pixels, class."""
    made = torch.zeros(1, max(1, len(boxes)), 8)
    made[..., 6:] = PIXELS
    for row, (x, y, width, height, label) in zip(made[0], boxes, strict=False):
        row[:4] = torch.tensor([x - width / 2, y - height / 2, x + width / 2, y + height / 2]).clamp(0, PIXELS) / PIXELS
        row[CLASS], row[KIND] = label, OBJECT
    return made


def told(rows: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """Raw maps that say what `aims` asks for: its heat, and in each place the sides of the nearest object there."""
    empty = torch.zeros(shape)
    heat, near = aims(empty, rows)
    x, y = centres(empty)
    owner = near.argmax(1)
    corners = [rows[..., at].gather(1, owner) for at in range(SIDES)]
    sides = torch.stack([x - corners[0], y - corners[1], corners[2] - x, corners[3] - y], 1)
    return torch.logit(torch.cat([heat, sides], 1).double().clamp(1e-9, 1 - 1e-9)).float().reshape(shape)


def found_of(rows: torch.Tensor, shape: tuple[int, ...]) -> list[bool]:
    """Which objects are read back from maps that say what is asked for."""
    answers, objects = decoded(told(rows, shape))[0].numpy(), rows[0].numpy()
    sure = answers[answers[:, 4] > 0.99]
    alike = (overlaps(objects, sure) > 0.97) & (objects[:, None, CLASS] == sure[None, :, 5])
    assert len(sure) == alike.any(axis=1).sum()
    return list(alike.any(axis=1))


def test_levels_are_told_by_the_shape_of_the_maps():
    assert [(level.height, level.width, level.places) for level in levels_of((2, 7, 3, 5))] == [(3, 5, slice(0, 15))]
    three = levels_of((2, 7, 21 * 9))
    assert [(level.height, level.width) for level in three] == [(12, 12), (6, 6), (3, 3)]
    assert [level.places for level in three] == [slice(0, 144), slice(144, 180), slice(180, 189)]
    for wrong in ((2, 7), (2, 7, 20), (2, 7, 22), (2, 7, 42), (2, 7, 0), (2, 7, 3, 5, 1)):
        with pytest.raises(ValueError, match="21 k x k"):
            levels_of(wrong)


def test_an_object_is_learnt_by_the_finest_level_of_which_it_is_twelve_places_long():
    shapes = [*[(length, length) for length in LENGTHS], (300, 30), (300, 32)]
    rows = targets(*[(160, 160, width, height, 0) for width, height in shapes])
    assert owners(levels_of(THREE), rows)[0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 1]
    assert owners(levels_of(ONE), rows)[0].tolist() == [0] * len(shapes)


def with_room(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Objects of all sizes that overlap; of two in one level the middles lie at least two places apart, and no two of
    one class have nearly the same box."""
    rng, levels = np.random.default_rng(seed), levels_of(shape)
    kept: list[tuple[float, float, float, float, int]] = []
    places: list[tuple[int, int, int]] = []
    for _ in range(25):
        width, height = rng.choice(LENGTHS, 2) * rng.uniform(0.8, 1.0)
        one = (*rng.uniform(0.1 * PIXELS, 0.9 * PIXELS, 2), width, height, int(rng.integers(0, CLASSES)))
        row = targets(one)
        at = int(owners(levels, row))
        x, y = (float(row[0, 0, axis] + row[0, 0, axis + 2]) / 2 for axis in (0, 1))
        place = at, int(x * levels[at].width), int(y * levels[at].height)
        near = any(at == other[0] and max(abs(place[1] - other[1]), abs(place[2] - other[2])) < 2 for other in places)
        if near or (kept and overlaps(row[0].numpy(), targets(*kept)[0].numpy()).max() > 0.55):
            continue
        kept.append(one)
        places.append(place)
    return targets(*kept)


@given(seed=st.integers(0, 9999), shape=st.sampled_from([ONE, THREE]))
@settings(max_examples=examples(60))
def test_overlapping_objects_of_mixed_sizes_are_read_back_where_their_level_has_room(seed, shape):
    rows = with_room(shape, seed)
    assert found_of(rows, shape) == [True] * rows.shape[1]


@pytest.mark.parametrize(
    ("boxes", "lost"),
    [
        ([(160, 160, 230, 230, 0), (160, 160, 60, 60, 0)], 1),
        ([(160, 160, 230, 230, 0), (160, 160, 140, 140, 0), (160, 160, 60, 60, 0)], 2),
        ([(160, 160, 200, 180, 0), (167, 160, 80, 84, 0), (164, 220, 60, 60, 0)], 1),
        ([(80, 80, 40, 40, 0), (240, 220, 140, 140, 1)], 0),
    ],
)
def test_what_one_level_loses_three_find(boxes, lost):
    """Objects of different sizes whose middles share a place, or lie in neighbouring ones."""
    rows = targets(*boxes)
    assert found_of(rows, THREE) == [True] * len(boxes)
    answers = decoded(told(rows, ONE))[0].numpy()
    alike = overlaps(rows[0].numpy(), answers[answers[:, 4] > 0.99]) > 0.97
    assert len(boxes) - int(alike.any(axis=1).sum()) == lost


def test_what_is_asked_for_costs_little_and_in_another_level_much():
    rows = targets((160, 160, 230, 230, 0), (160, 160, 60, 60, 0), (80, 220, 140, 120, 1))
    loss, said = CentreLoss(), told(rows, THREE)
    assert float(loss.loss(said, rows, None)) < 0.6
    assert float(loss.right(said, rows, None)) == 1
    coarse, fine = (level.places for level in (levels_of(THREE)[1], levels_of(THREE)[0]))
    said[:, :, fine], said[:, :, coarse] = -9, -9
    assert float(loss.loss(said, rows, None)) > 2
    assert float(loss.right(said, rows, None)) == pytest.approx(1 / 3)


def test_no_place_of_any_level_is_held_to_be_empty_in_a_region_to_ignore():
    rows = targets((80, 160, 160, 320, -1))
    rows[..., KIND] = REGION
    said = torch.full(THREE, -9.0)
    x, _ = centres(said)
    said[:, :CLASSES, x < 0.5] = 4
    assert float(CentreLoss().loss(said, rows, None)) < 0.01
    said[:, :CLASSES, x > 0.5] = 4
    assert float(CentreLoss().loss(said, rows, None)) > 3


def saying(*boxes: tuple[int, float, float, int]) -> torch.Tensor:
    """Raw maps that say boxes around the middle of the image: level, length in pixels, score, class."""
    said = torch.full(THREE, -9.0)
    for at, length, score, label in boxes:
        level = levels_of(THREE)[at]
        place = level.start + (level.height // 2) * level.width + level.width // 2
        x, y = (float(line[place]) for line in centres(said))
        half = length / PIXELS / 2
        sides = torch.tensor([x - 0.5 + half, y - 0.5 + half, 0.5 + half - x, 0.5 + half - y])
        said[0, CLASSES:, place] = torch.logit(sides)
        said[0, label, place] = torch.logit(torch.tensor(score))
    return said


def test_of_boxes_that_two_levels_say_of_one_object_the_surer_counts():
    twice = decoded(saying((0, 90, 0.6, 0), (1, 99, 0.8, 0), (2, 200, 0.7, 0)))[0]
    assert twice.shape == (100, 6)
    torch.testing.assert_close(twice[:3, 4], torch.tensor([0.8, 0.7, float(torch.tensor(-9.0).sigmoid())]))
    assert (twice[:-1, 4] >= twice[1:, 4]).all()
    apart = decoded(saying((0, 90, 0.6, 1), (1, 99, 0.8, 0), (2, 200, 0.7, 0)))[0]
    torch.testing.assert_close(apart[:3, 4], torch.tensor([0.8, 0.7, 0.6]))
    assert apart[:3, 5].tolist() == [0, 0, 1]


def test_three_levels_learn_a_crowd_of_unlike_sizes():
    """Small squares before large ones, in one place: of each pair one level alone finds one."""
    rng, size = np.random.default_rng(0), 160
    pixels, rows = np.full((16, size, size, 3), 60, np.uint8), np.zeros((16, 2, 8), np.float32)
    for image, row in zip(pixels, rows, strict=True):
        middle = rng.integers(60, 100, 2)
        for number, (half, shade) in enumerate(((56, 150), (14, 250))):
            low, high = (middle - half).clip(0), (middle + half).clip(max=size)
            image[low[1] : high[1], low[0] : high[0]] = shade
            row[number] = (*low / size, *high / size, 0, OBJECT, size, size)
    metrics, recall = task_type("detection").metrics, {}
    for name in ("centre_lite0", "fcos_lite0"):
        network = build(name, {"size": size, "width": 32, "depth": 1}, classes=1, seed=0)
        fit(network, Images(pixels, rows, "detection"), Recipe(steps=80, batch_size=8, learning_rate=5e-3, shift=0))
        answers = decoded(torch.from_numpy(predict(network, pixels)[0])).numpy()
        recall[name] = metrics.figure("recall_at_p90", metrics.judged(answers, rows)) or 0.0
    assert recall["fcos_lite0"] > 0.85
    assert recall["centre_lite0"] < 0.65
