"""Pools with every field a strategy may read."""

import numpy as np

from acquisition import Pool
from acquisition.pool import Floats


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def pool_of(rng: np.random.Generator, rows: int, classes: int = 4, *, members: int = 3, coarse: bool = False) -> Pool:
    """Of random numbers; `coarse` ones have many ties. Ids are in no order."""
    logits = rng.normal(size=(rows, classes)) * 2
    opinions = logits[:, None, :] + rng.normal(size=(rows, members, classes))
    if coarse:
        logits, opinions = np.round(logits), np.round(opinions)
    return Pool(
        ids=rng.permutation(rows * 3)[:rows],
        probabilities=softmax(logits),
        embeddings=np.round(rng.normal(size=(rows, 6)), 1),
        members=softmax(opinions),
        labels=rng.integers(0, classes, rows),
        groups=np.array([f"drive {at % 3}" for at in range(rows)], dtype=np.str_),
        times=np.arange(rows, dtype=np.float64),
        sources=np.array([f"camera {at % 2}" for at in range(rows)], dtype=np.str_),
        costs=rng.uniform(0.5, 2, rows),
        slices={"night": rng.random(rows) < 0.3},
        labelled=np.round(rng.normal(size=(5, 6)), 1),
        labelled_classes=np.arange(5) % classes,
        wanted=np.round(rng.normal(size=(2, 6)), 1),
        unwanted=np.round(rng.normal(size=(2, 6)), 1),
        classes=[f"class {index}" for index in range(classes)],
    )
