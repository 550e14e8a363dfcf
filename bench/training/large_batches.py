"""The same epochs in batches of 64 and of thousands: what plain SGD, LARS and LAMB reach on the test set."""

from typing import Any

import numpy as np

from bench.versioning.table import Line
from demo.mnist import Digits
from training import Images, Recipe, build, fit, predict

SMALL, LARGE = 64, 8192
RATE = 0.05
"""Of SGD in batches of 64; the larger ones scale it (Goyal et al. 2017)."""
RECIPES: dict[str, dict[str, Any]] = {
    f"SGD, batches of {SMALL}": {"optimiser": "sgd", "learning_rate": RATE, "batch_size": SMALL},
    f"SGD, batches of {LARGE:,}, linear scaling and warm-up": {
        "optimiser": "sgd", "learning_rate": RATE, "reference_batch": SMALL, "batch_size": LARGE, "warmup": 0.25,
    },
    f"LARS, batches of {LARGE:,}, warm-up": {
        "optimiser": "lars", "learning_rate": 20.0, "batch_size": LARGE, "warmup": 0.25, "weight_decay": 1e-4,
    },
    f"LAMB, batches of {LARGE:,}, warm-up": {
        "optimiser": "lamb", "learning_rate": 0.02, "batch_size": LARGE, "warmup": 0.25,
    },
}  # fmt: skip
ALLOWED = 0.002
"""By which the accuracy of LARS may lie below that of small batches and still count as the same."""


def compare(data: Digits, *, images: int, epochs: float, threads: int) -> list[Line]:
    """Train the smallest network of the house each way, with one seed; ours is the accuracy, before that of SGD in small
    batches."""
    reached = {
        name: _accuracy(data, images, Recipe(epochs=epochs, min_steps=1, shift=0, **recipe), threads)
        for name, recipe in RECIPES.items()
    }
    small = next(iter(reached.values()))
    return [
        Line(
            name,
            f"{small - ALLOWED:.2%}" if "LARS" in name else "",
            f"{accuracy:.2%}",
            *_verdict(name, accuracy, small),
        )
        for name, accuracy in reached.items()
    ]


def _verdict(name: str, accuracy: float, small: float) -> tuple[float | None, float | None]:
    return (accuracy / (small - ALLOWED), 1.0) if "LARS" in name else (None, None)


def _accuracy(data: Digits, images: int, recipe: Recipe, threads: int) -> float:
    pixels, labels = data.train_images[:images, ..., None], data.train_labels[:images]
    network = build("small_cnn", {"size": pixels.shape[1], "width": 8}, classes=10, seed=0)
    fit(network, Images(pixels, labels), recipe, threads=threads)
    logits, _ = predict(network, data.test_images[..., None])
    return float(np.mean(logits.argmax(axis=1) == data.test_labels))
