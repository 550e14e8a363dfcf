"""The order in which an optimiser sees samples, and what augmentation may do to them."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from training.augmentation import augmented, cropped, moved
from training.config import Recipe
from training.data import Images, order


def changed(images, recipe, step):
    """Of images whose labels have no place."""
    return augmented(images, np.zeros(len(images), np.int64), recipe, step, task="classification")[0]


@given(samples=st.integers(1, 50), size=st.integers(1, 20), epochs=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=examples(80))
def test_every_sample_is_seen_once_an_epoch_and_none_is_dropped(samples, size, epochs, seed):
    recipe = Recipe(batch_size=size, epochs=epochs, min_steps=1, seed=seed)
    labels = np.zeros(samples, np.int64)
    seen = np.concatenate(list(order(labels, recipe)))
    for epoch in range(epochs):
        assert sorted(seen[epoch * samples : (epoch + 1) * samples]) == list(range(samples))
    assert np.array_equal(seen, np.concatenate(list(order(labels, recipe))))


@given(samples=st.integers(1, 50), size=st.integers(1, 20), start=st.integers(0, 30), seed=st.integers(0, 99))
@settings(max_examples=examples(80))
def test_an_order_begun_in_the_middle_goes_on_as_the_whole_one(samples, size, start, seed):
    recipe = Recipe(batch_size=size, steps=31, seed=seed)
    labels = np.zeros(samples, np.int64)
    whole, rest = list(order(labels, recipe)), list(order(labels, recipe, start=start))
    assert [list(chosen) for chosen in rest] == [list(chosen) for chosen in whole[start:]]


def test_an_image_is_moved_by_at_most_the_shift_and_its_edge_repeated():
    image = np.arange(36, dtype=np.uint8).reshape(1, 6, 6, 1)
    seen, _ = moved(image.repeat(200, 0), np.random.default_rng(0), shift=2, flip=False)
    padded = np.pad(image[0, :, :, 0], 2, mode="edge")
    views = {padded[y : y + 6, x : x + 6].tobytes() for y in range(5) for x in range(5)}
    assert {one[..., 0].tobytes() for one in seen} == views


def test_no_shift_and_no_flip_changes_nothing_and_a_flip_mirrors():
    images = np.random.default_rng(1).integers(0, 256, (64, 5, 7, 3), dtype=np.uint8)
    assert np.array_equal(moved(images, np.random.default_rng(0), shift=0, flip=False)[0], images)
    mirrored, _ = moved(images, np.random.default_rng(0), shift=0, flip=True)
    same = [np.array_equal(one, other) for one, other in zip(mirrored, images, strict=True)]
    turned = [np.array_equal(one, other[:, ::-1]) for one, other in zip(mirrored, images, strict=True)]
    assert all(np.logical_xor(same, turned))
    assert 10 < sum(turned) < 54


@pytest.mark.parametrize(("samples", "steps"), [(1, 500), (100, 500), (600, 500), (60_000, 7500)])
def test_few_labels_still_get_a_converging_budget(samples, steps):
    assert Recipe().total_steps(samples) == steps


@given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=4).filter(any), start=st.integers(0, 20))
@settings(max_examples=examples(60))
def test_balanced_by_sampling_every_class_is_alike_likely_and_a_start_in_the_middle_goes_on(counts, start):
    labels = np.repeat(np.arange(len(counts)), counts)
    recipe = Recipe(batch_size=16, steps=60, balance="sampling")
    whole, rest = list(order(labels, recipe)), list(order(labels, recipe, start=start))
    assert [list(chosen) for chosen in rest] == [list(chosen) for chosen in whole[start:]]
    drawn = np.concatenate(whole)
    shares = np.bincount(labels[drawn], minlength=len(counts)) / len(drawn)
    present = np.array(counts) > 0
    spread = 6 * np.sqrt(0.25 / len(drawn))
    assert np.all(shares[~present] == 0)
    assert np.all(np.abs(shares[present] - 1 / present.sum()) < spread)


def test_a_crop_leaves_the_promised_share_and_none_leaves_all():
    ramp = np.broadcast_to(np.arange(0, 256, 8, dtype=np.uint8)[None, None, :, None], (200, 32, 32, 1))
    made = cropped(ramp, np.random.default_rng(0), least=0.5)[0].astype(int)
    widths = (made[:, 0, -1, 0] - made[:, 0, 0, 0] + 8) / 256
    assert 0.55 < widths.min() < 0.7  # the root of half the area, three quarters as wide as high
    assert widths.max() > 0.95
    images = np.random.default_rng(1).integers(0, 256, (3, 8, 8, 3), dtype=np.uint8)
    assert np.array_equal(changed(images, Recipe(shift=0), 1), images)


@pytest.mark.parametrize("channels", [1, 3])
def test_random_operations_depend_on_seed_and_step_alone_and_leave_the_callers_dice_alone(channels):
    images = np.random.default_rng(0).integers(0, 256, (24, 16, 16, channels), dtype=np.uint8)
    recipe = Recipe(augment=2, magnitude=12, crop=0.6, shift=1)
    state = torch.get_rng_state()
    one = changed(images, recipe, 3)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(5)
    assert np.array_equal(changed(images, recipe, 3), one)
    assert one.dtype == np.uint8
    assert one.shape == images.shape
    assert not np.array_equal(changed(images, recipe, 4), one)
    assert not np.array_equal(changed(images, Recipe(augment=2, magnitude=12, crop=0.6, shift=1, seed=1), 3), one)


@pytest.mark.parametrize("channels", [1, 3])
def test_every_operation_gives_an_image_and_most_change_it(channels):
    from training.randaugment import ANY, COLOUR

    image = torch.from_numpy(np.random.default_rng(0).random((2, channels, 12, 20), np.float32))
    unchanged = []
    for operation in [*ANY, *(COLOUR if channels == 3 else ())]:
        made = operation(image.clone(), torch.tensor([0.5, -0.5]))
        assert made.shape == image.shape
        assert made.isfinite().all()
        if torch.equal(made, image):
            unchanged.append(operation)
    assert len(unchanged) == 1


def test_a_shear_and_a_shift_keep_the_middle_and_the_size_in_mind():
    from training.randaugment import _shear, _translate

    line = torch.zeros(1, 1, 21, 21)
    line[..., 10] = 1  # an upright line through the middle
    leant = _shear(line, torch.tensor([1.0]), axis=0)
    assert leant[0, 0, 10, 10] == pytest.approx(1, abs=1e-3)
    assert leant[0, 0, 0].argmax() == pytest.approx(10 - 3, abs=1)
    assert leant[0, 0, 20].argmax() == pytest.approx(10 + 3, abs=1)
    aside = _translate(line, torch.tensor([1.0]), axis=0)
    assert aside[0, 0, 5].argmax() == 10 + 6


def test_kornia_is_imported_only_where_it_is_asked_for():
    code = (
        "import sys, numpy as np; from training.augmentation import augmented; from training.config import Recipe;"
        "augmented(np.zeros((1, 4, 4, 1), np.uint8), np.zeros(1, int), Recipe(), 1, task='classification');"
        "sys.exit('kornia' in sys.modules)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def test_batches_in_memory_are_the_same_from_any_start_and_leave_no_thread():
    images = Images(np.random.default_rng(0).integers(0, 256, (10, 6, 6, 1), dtype=np.uint8), np.arange(10))
    recipe = Recipe(batch_size=4, steps=7)
    before = threading.active_count()
    whole, rest = list(images.batches(recipe)), list(images.batches(recipe, start=3))
    for one, other in zip(whole[3:], rest, strict=True):
        assert one.pixels is not None
        assert other.pixels is not None
        assert np.array_equal(one.pixels, other.pixels)
        assert np.array_equal(one.labels, other.labels)
    assert threading.active_count() == before
