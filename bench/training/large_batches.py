"""The same epochs in batches of 64 and of thousands: what plain SGD, LARS and LAMB reach on the test set."""

from typing import Any

import numpy as np

from bench.versioning.table import Line
from demo.mnist import Digits
from training import DataError, Images, Recipe, build, fit, predict

SMALL, LARGE = 64, 8192
RATE = 0.05
"""Of SGD in batches of 64; larger ones scale it (Goyal et al. 2017)."""
SMALL_ONES = {"optimiser": "sgd", "learning_rate": RATE, "batch_size": SMALL}
LARGE_ONES: dict[str, dict[str, Any]] = {
    "SGD, linear scaling and warm-up": {"optimiser": "sgd", "learning_rate": RATE, "reference_batch": SMALL},
    "LARS, warm-up": {"optimiser": "lars", "learning_rate": 20.0, "weight_decay": 1e-4},
    "LAMB, warm-up": {"optimiser": "lamb", "learning_rate": 0.02},
}
WARMUP = 0.25
ALLOWED = 0.005
"""By which the accuracy of LARS may lie below that of small batches."""


def compare(data: Digits, *, images: int, epochs: float, threads: int, device: str = "cpu") -> list[Line]:
    """Train a narrow network each way, with one seed; before is the accuracy that LARS is to reach."""
    budget = {"epochs": epochs, "min_steps": 1, "device": device, "compile": "never"}
    small = reached(data, budget | SMALL_ONES, images=images, threads=threads) or 0.0
    lines = [Line(f"SGD, batches of {SMALL}", "", f"{small:.2%}")]
    for name, recipe in LARGE_ONES.items():
        asked = budget | recipe | {"batch_size": LARGE, "warmup": WARMUP}
        found = reached(data, asked, images=images, threads=threads)
        said, wanted = "diverged" if found is None else f"{found:.2%}", small - ALLOWED
        binds = name.startswith("LARS")
        lines.append(
            Line(f"{name}, batches of {LARGE:,}", f"{wanted:.2%}", said, (found or 0.0) / wanted, 1.0)
            if binds
            else Line(f"{name}, batches of {LARGE:,}", "", said)
        )
    return lines


def reached(data: Digits, recipe: dict[str, Any], *, images: int, threads: int) -> float | None:
    """The accuracy on the test images; None where the loss became no number."""
    pixels, labels = data.train_images[:images, ..., None], data.train_labels[:images]
    network = build("small_cnn", {"size": pixels.shape[1], "width": 8}, classes=10, seed=0)
    try:
        fit(network, Images(pixels, labels), Recipe(shift=0, **recipe), threads=threads)
    except DataError:
        return None
    logits, _ = predict(network, data.test_images[..., None])
    return float(np.mean(logits.argmax(axis=1) == data.test_labels))
