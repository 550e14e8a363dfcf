"""The order in which an optimiser sees samples, and what augmentation may do to them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from training.config import Recipe
from training.data import augmented, order


@given(samples=st.integers(1, 50), size=st.integers(1, 20), epochs=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_every_sample_is_seen_once_an_epoch_and_none_is_dropped(samples, size, epochs, seed):
    recipe = Recipe(batch_size=size, epochs=epochs, min_steps=1, seed=seed)
    seen = np.concatenate(list(order(samples, recipe)))
    for epoch in range(epochs):
        assert sorted(seen[epoch * samples : (epoch + 1) * samples]) == list(range(samples))
    assert np.array_equal(seen, np.concatenate(list(order(samples, recipe))))


@given(samples=st.integers(1, 50), size=st.integers(1, 20), start=st.integers(0, 30), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_an_order_begun_in_the_middle_goes_on_as_the_whole_one(samples, size, start, seed):
    recipe = Recipe(batch_size=size, steps=31, seed=seed)
    whole, rest = list(order(samples, recipe)), list(order(samples, recipe, start=start))
    assert [list(chosen) for chosen in rest] == [list(chosen) for chosen in whole[start:]]


def test_an_image_is_moved_by_at_most_the_shift_and_its_edge_repeated():
    image = np.arange(36, dtype=np.uint8).reshape(1, 6, 6, 1)
    moved = augmented(image.repeat(200, 0), np.random.default_rng(0), shift=2, flip=False)
    padded = np.pad(image[0, :, :, 0], 2, mode="edge")
    views = {padded[y : y + 6, x : x + 6].tobytes() for y in range(5) for x in range(5)}
    assert {one[..., 0].tobytes() for one in moved} == views


def test_no_shift_and_no_flip_changes_nothing_and_a_flip_mirrors():
    images = np.random.default_rng(1).integers(0, 256, (64, 5, 7, 3), dtype=np.uint8)
    assert np.array_equal(augmented(images, np.random.default_rng(0), shift=0, flip=False), images)
    mirrored = augmented(images, np.random.default_rng(0), shift=0, flip=True)
    same = [np.array_equal(one, other) for one, other in zip(mirrored, images, strict=True)]
    turned = [np.array_equal(one, other[:, ::-1]) for one, other in zip(mirrored, images, strict=True)]
    assert all(np.logical_xor(same, turned))
    assert 10 < sum(turned) < 54


@pytest.mark.parametrize(("samples", "steps"), [(1, 500), (100, 500), (600, 500), (60_000, 7500)])
def test_few_labels_still_get_a_converging_budget(samples, steps):
    assert Recipe().total_steps(samples) == steps
