"""Pools made of numbers alone: the same in every process that asks."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


def embeddings(rows: int, dimensions: int) -> Array:
    """(N, D): 50 blobs, as a network's features are, not one ball.

    Rounded to sixteenths below 8: up to 512 dimensions float32 then computes every distance without error, so that all
    methods compare the same numbers and "the same picks" means something.
    """
    rng = np.random.default_rng(1)
    centres = 2 * rng.standard_normal((50, dimensions), dtype=np.float32)
    values = rng.standard_normal((rows, dimensions), dtype=np.float32)
    for at in range(0, rows, 65_536):
        part = values[at : at + 65_536]
        part += centres[rng.integers(0, 50, len(part))]
        np.clip(np.rint(part * 16), -127, 127, out=part)
        part /= 16
    return values


def probabilities(rows: int, classes: int) -> Array:
    """(N, K): a softmax of normal logits, mostly sure of one class."""
    rng = np.random.default_rng(2)
    values = rng.standard_normal((rows, classes), dtype=np.float32)
    for at in range(0, rows, 65_536):
        part = values[at : at + 65_536]
        part *= 3
        np.exp(part, out=part)
        part /= part.sum(axis=1, keepdims=True)
    return values
