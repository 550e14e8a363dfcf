"""Weights and activations as pictures: every shape gives a PNG of bounded size."""

import cv2
import numpy as np
import pytest

from export import array_images
from export.layers import facts


def drawn(png):
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)


@pytest.mark.parametrize(
    "shape", [(64, 3, 7, 7), (8, 1, 3, 3), (512, 512, 3, 3), (32, 16, 1, 1), (10, 1280), (7,), (1,), (4, 2, 3, 3, 3)]
)
def test_weights_of_every_shape_are_drawn(shape):
    found = drawn(array_images.of_weights(np.random.default_rng(0).normal(size=shape).astype(np.float32)))
    assert max(found.shape[:2]) <= 2 * array_images.MAX_SIDE


@pytest.mark.parametrize("shape", [(64, 112, 112), (2, 1, 1), (197, 192), (10,), (1, 3, 200)])
def test_activations_of_every_shape_are_drawn(shape):
    found = drawn(array_images.of_activation(np.random.default_rng(0).normal(size=shape).astype(np.float32)))
    assert max(found.shape[:2]) <= 2 * array_images.MAX_SIDE


def test_what_is_no_number_is_drawn_and_told_apart():
    values = np.array([[np.nan, np.inf], [1, 2]], np.float32)
    assert drawn(array_images.of_weights(values)) is not None
    assert (facts(values)["mean"], facts(values)["count"]) == (1.5, 4)
    assert "mean" not in facts(np.full(3, np.nan, np.float32))


def test_first_kernels_keep_their_colours():
    red = np.zeros((1, 3, 5, 5), np.float32)
    red[:, 0] = 1
    assert drawn(array_images.of_weights(red))[0, 0].tolist() == [0, 0, 255]


def test_a_distribution_of_the_largest_weights_is_finite():
    found = facts(np.array([3e38, -3e38, 3e38], np.float32))
    assert np.isfinite([found["mean"], found["std"], *found["histogram"]["edges"]]).all()
