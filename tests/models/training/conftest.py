"""Small images in memory, and a network for them."""

import numpy as np
import pytest

from training import Images, Network, build


@pytest.fixture
def small_images():
    """Makes `count` images of 12 x 12 whose brightness tells their class out of three, hard enough to err on."""

    def make(count: int, *, seed: int = 0, counts: tuple[int, int, int] | None = None) -> Images:
        rng = np.random.default_rng(seed)
        labels = np.arange(count) % 3 if counts is None else np.repeat(np.arange(3), counts)
        noise = rng.integers(0, 160, (len(labels), 12, 12, 1))
        return Images((noise + 15 * labels[:, None, None, None]).astype(np.uint8), labels)

    return make


@pytest.fixture
def small_network():
    """Makes a network for them, with dropout; the same one for the same seed."""

    def make(seed: int = 0) -> Network:
        return build("small_cnn", {"size": 12, "width": 4, "embedding": 16}, classes=3, seed=seed)

    return make
