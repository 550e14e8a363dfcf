"""Predictions as often right as a test says."""

import numpy as np
import pytest

from tasktypes.classification.predictions import ClassPredictions


@pytest.fixture
def predictions_of():
    """Makes the predictions of `count` samples of `classes`, with the probabilities they came from."""

    def make(count: int, classes: int = 3, *, strength: float = 2.0, seed: int = 0, noise: int = 1):
        labels = np.random.default_rng(seed).integers(0, classes, count)
        logits = np.random.default_rng((seed, noise)).normal(size=(count, classes))
        logits[np.arange(count), labels] += strength
        raised = np.exp(logits - logits.max(1, keepdims=True))
        probabilities = (raised / raised.sum(1, keepdims=True)).astype(np.float32)
        md5 = [f"{number:032x}" for number in range(count)]
        keys = [f"{number:06}.png" for number in range(count)]
        return ClassPredictions.of(probabilities, labels).named(keys, md5, slices={"front": keys[: count // 4]})

    return make
