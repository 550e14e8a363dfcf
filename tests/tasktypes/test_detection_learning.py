"""What a detector learns: where heat and sides are wanted, what is ignored, and how boxes are read from raw maps."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from tasktypes.detection.answers import overlaps
from tasktypes.detection.decoding import decoded
from tasktypes.detection.learning import CentreLoss, aims, ignored
from tasktypes.detection.targets import CLASS, KIND, NOTHING, OBJECT, REGION, moved
from training.augmentation import augmented
from training.config import Recipe
from training.network import build

CLASSES, SIDE = 3, 12


def targets(*rows: tuple[float, float, float, float, int, int]) -> torch.Tensor:
    """One image of 120 x 120 pixels: corners as fractions, class and kind of each."""
    made = torch.zeros(1, max(1, len(rows)), 8)
    made[..., 6:] = 120
    for at, row in enumerate(rows):
        made[0, at, :6] = torch.tensor(row)
    return made


def maps(rows: torch.Tensor) -> torch.Tensor:
    """Raw maps that say just what these targets ask for."""
    made = torch.full((1, CLASSES + 4, SIDE, SIDE), -9.0)
    middles = (torch.arange(SIDE) + 0.5) / SIDE
    for row in rows[0]:
        if row[KIND] != OBJECT:
            continue
        x, y = (int((row[at] + row[at + 2]) / 2 * SIDE) for at in (0, 1))
        made[0, int(row[CLASS]), y, x] = 9
        sides = torch.stack([middles[x] - row[0], middles[y] - row[1], row[2] - middles[x], row[3] - middles[y]])
        near = slice(max(0, y - 2), y + 3), slice(max(0, x - 2), x + 3)
        for side in range(4):
            across = middles[near[1]] - middles[x] if side % 2 == 0 else (middles[near[0]] - middles[y])[:, None]
            shifted = (sides[side] + (across if side < 2 else -across)).expand(made[0, 0][near].shape)
            made[0, CLASSES + side][near] = torch.logit(shifted.clamp(1e-4, 1 - 1e-4))
    return made


def test_what_is_asked_for_is_read_back_and_costs_next_to_nothing():
    rows = targets((0.1, 0.2, 0.3, 0.5, 0, OBJECT), (0.6, 0.55, 0.95, 0.9, 2, OBJECT))
    said = maps(rows)
    boxes = decoded(said)[0]
    assert boxes.shape == (100, 6)
    assert boxes[:2, 5].sort().values.tolist() == [0, 2]
    found = boxes[:2][boxes[:2, 5].argsort()]
    torch.testing.assert_close(found[:, :4], rows[0, :, :4], atol=1e-3, rtol=0)
    assert found[:, 4].min() > 0.99
    assert boxes[2:, 4].max() < 0.01
    right = CentreLoss().right(said, rows, None)
    assert float(right) == 1
    assert float(CentreLoss().loss(said, rows, None)) < 0.5
    wrong = said.clone()
    wrong[0, CLASSES:] = 0
    assert float(CentreLoss().loss(wrong, rows, None)) > 3


@given(seed=st.integers(0, 999))
@settings(max_examples=examples(40))
def test_boxes_are_those_of_a_plain_reading(seed):
    rng = np.random.default_rng(seed)
    raw = rng.normal(0, 2, (1, CLASSES + 4, 5, 7)).astype(np.float32)
    share = 1 / (1 + np.exp(-raw[0].astype(np.float64)))
    wanted = []
    for y in range(5):
        for x in range(7):
            around = share[:CLASSES, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].max(axis=(1, 2))
            best = np.where(share[:CLASSES, y, x] == around, share[:CLASSES, y, x], 0)
            left, top, right, bottom = share[CLASSES:, y, x]
            middle = (x + 0.5) / 7, (y + 0.5) / 5
            if best.max() > 0:
                corners = (middle[0] - left, middle[1] - top, middle[0] + right, middle[1] + bottom)
                wanted.append((*np.clip(corners, 0, 1), best.max(), best.argmax()))
    wanted.sort(key=lambda row: -row[4])
    found = decoded(torch.from_numpy(raw))[0].numpy()
    assert found.shape == (35, 6)
    assert (found[len(wanted) :, 4] == 0).all()
    np.testing.assert_allclose(found[: len(wanted)], np.array(wanted), atol=1e-5)


def test_heat_is_one_in_the_place_of_a_centre_and_nowhere_else():
    rows = targets((0.1, 0.2, 0.3, 0.5, 1, OBJECT), (0.1, 0.2, 0.3, 0.5, 0, REGION), (0.0, 0.0, 1.0, 1.0, 2, NOTHING))
    heat, near = aims(torch.zeros(1, CLASSES + 4, SIDE, SIDE), rows)
    peaks = (heat == 1).nonzero().tolist()
    assert peaks == [[0, 1, int(0.35 * SIDE) * SIDE + int(0.2 * SIDE)]]
    assert near[0, 1:].max() == 0
    assert 0 < heat[0, 1].reshape(SIDE, SIDE)[int(0.35 * SIDE) + 1, int(0.2 * SIDE)] < 1


@pytest.mark.parametrize(("name", "silent"), [(1, [1]), (-1, [0, 1, 2])])
def test_in_a_region_to_ignore_no_place_is_held_to_be_empty(name, silent):
    rows = targets((0.5, 0.5, 1.0, 1.0, name, REGION))
    left_out = ignored(torch.zeros(1, CLASSES + 4, SIDE, SIDE), rows).reshape(CLASSES, SIDE, SIDE)
    assert [index for index in range(CLASSES) if left_out[index].any()] == silent
    assert left_out[1, 6:, 6:].all()
    assert not left_out[1, :6].any()
    said = torch.full((1, CLASSES + 4, SIDE, SIDE), -9.0)
    said[0, 1, 8, 8] = 4
    inside = float(CentreLoss().loss(said, rows, None))
    said[0, 1, 8, 8], said[0, 1, 2, 2] = -9, 4
    assert inside < 0.01 < 1 < float(CentreLoss().loss(said, rows, None))


def test_an_image_of_nothing_is_learnt_from():
    said = torch.zeros(2, CLASSES + 4, SIDE, SIDE, requires_grad=True)
    loss = CentreLoss().loss(said, targets().expand(2, -1, -1), None)
    loss.backward()
    assert torch.isfinite(loss)
    assert said.grad is not None
    assert (said.grad[:, :CLASSES] > 0).all()
    assert (said.grad[:, CLASSES:] == 0).all()


@given(seed=st.integers(0, 999), crop=st.floats(0.3, 1), shift=st.integers(0, 12), flip=st.booleans())
@settings(max_examples=examples(60))
def test_boxes_move_with_their_image(seed, crop, shift, flip):
    rng = np.random.default_rng(seed)
    pixels, rows = np.zeros((4, 96, 64, 3), np.uint8), np.zeros((4, 1, 8), np.float32)
    for image, row in zip(pixels, rows, strict=True):
        left, top = rng.integers(8, 40), rng.integers(8, 60)
        right, bottom = left + rng.integers(10, 20), top + rng.integers(10, 30)
        image[top:bottom, left:right] = 255
        row[0] = (left / 64, top / 96, right / 64, bottom / 96, 1, OBJECT, 64, 96)
    recipe = Recipe(crop=crop, shift=shift, flip=flip, seed=seed)
    shown, told = augmented(pixels, rows, recipe, 3, task="detection")
    for image, row in zip(shown, told[:, 0], strict=True):
        light = image[..., 0] > 127
        if row[KIND] == NOTHING or not light.any():
            assert light.mean() < 0.02 or row[KIND] != NOTHING
            continue
        down, across = np.nonzero(light)
        seen = across.min() / 64, down.min() / 96, (across.max() + 1) / 64, (down.max() + 1) / 96
        if shift and (min(seen[:2]) <= shift / 64 or max(seen[2:]) >= 1 - shift / 64):
            continue  # edges are repeated: what touches one grows
        np.testing.assert_allclose(row[:4], seen, atol=2.5 / 64)


def test_of_a_cut_object_the_larger_part_counts_and_the_smaller_is_ignored():
    rows = targets((0.1, 0.4, 0.3, 0.6, 1, OBJECT)).numpy()
    kinds = []
    for offset in (0.0, -0.2, -0.27, -0.4):
        (made,) = moved(rows, np.ones((1, 2)), np.array([[offset, 0.0]]))
        kinds.append(int(made[0, KIND]))
        assert 0 <= made[0, 0] <= made[0, 2] <= 1
    assert kinds == [OBJECT, OBJECT, REGION, NOTHING]
    assert rows[0, 0, 0] == np.float32(0.1)


def test_operations_that_move_things_are_left_to_images_whose_targets_have_no_place():
    pixels = np.zeros((16, 64, 64, 3), np.uint8)
    pixels[:, 20:40, 20:40] = 200
    rows = targets((20 / 64, 20 / 64, 40 / 64, 40 / 64, 1, OBJECT)).expand(16, -1, -1).numpy()
    for step in range(4):
        shown, told = augmented(pixels, rows, Recipe(augment=3, magnitude=25, shift=0), step, task="detection")
        np.testing.assert_array_equal(told, rows)
        still = np.abs(shown.astype(int)[:, 24, 24] - shown[:, 34, 34]).max(axis=1)  # both inside of it
        outside = np.abs(shown.astype(int)[:, 5, 5] - shown[:, 14, 14]).max(axis=1)  # both beside it
        assert max(still.max(), outside.max()) < 60


@pytest.mark.parametrize(("name", "places"), [("centre_lite0", (16, 16)), ("fcos_lite0", (21 * 16,))])
def test_kept_features_answer_as_the_whole_network_does(name, places):
    network = build(name, {"size": 128, "width": 16}, classes=2, seed=3).eval()
    pixels = torch.rand(2, 3, 128, 128) * 255
    with torch.inference_mode():
        whole, halves = network(pixels), network.answered(network.features(pixels))
        assert network.features(pixels).shape == (2, network.family.features_dim)
    for one, other in zip(whole, halves, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    assert whole[0].shape == (2, 2 + 4, *places)
    assert whole[1].shape == (2, network.family.embedding_dim)


def test_overlaps_are_intersections_over_unions():
    boxes = np.array([[0, 0, 1, 1], [0, 0, 0.5, 1]], np.float32)
    found = overlaps(boxes, np.array([[0, 0, 1, 1], [0.5, 0, 1, 1], [0.25, 0, 0.75, 1]], np.float32))
    np.testing.assert_allclose(found, [[1, 0.5, 0.5], [0.5, 0, 1 / 3]], atol=1e-6)
