"""Real digits for a dataset: a test split, a few labelled images, the rest an unlabelled pool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from demo.examples import Examples, Part
from demo.mnist import Digits, DigitsError, load_mnist, sklearn_digits
from demo.plan import CLASSES, Plan

if TYPE_CHECKING:
    from motherlode.documents import LabelValue


Images = NDArray[np.uint8]
Labels = NDArray[np.int64]


def fetch_digits(plan: Plan, console: Console, cache: Path, *, small: bool) -> Examples:
    """Load MNIST, or scikit-learn's digits if `small` is set or MNIST can't be fetched, and print which."""
    digits = sklearn_digits() if small else _mnist_or_shipped(console, cache)
    learn, test = len(digits.train_labels), len(digits.test_labels)
    console.print(f"   {digits.source}: {learn:,} to learn from, {test:,} to test on")
    return digit_examples(digits, plan)


def digit_examples(digits: Digits, plan: Plan) -> Examples:
    """Build the three uploads of a dataset. The seed decides which training images start with a label."""
    chosen = first_labelled(digits.train_labels, count=plan.labelled, seed=plan.seed)
    pool = np.setdiff1d(np.arange(len(digits.train_labels)), chosen)
    test_keys = [f"test-{index:05}.png" for index in range(len(digits.test_labels))]
    truth = {f"train-{index:05}.png": label_of(digit) for index, digit in enumerate(digits.train_labels.tolist())}
    parts = [
        Part("test", f"Test split: {len(test_keys):,} digits", test_keys, _pngs(digits.test_images),
             [label_of(digit) for digit in digits.test_labels.tolist()]),
        Part("train", f"First labels: {len(chosen):,} digits", _train_keys(chosen), _pngs(digits.train_images[chosen]),
             [label_of(digit) for digit in digits.train_labels[chosen].tolist()]),
        Part("pool", f"Unlabelled pool: {len(pool):,} digits", _train_keys(pool), _pngs(digits.train_images[pool]),
             None),
    ]  # fmt: skip
    return Examples(digits.source, parts, truth)


def label_of(digit: int) -> LabelValue:
    """Return the label of a digit."""
    return {"class": CLASSES[digit]}


def first_labelled(labels: Labels, *, count: int, seed: int) -> NDArray[np.int64]:
    """Draw `count` images at random, the same number of each class, and return their sorted indices."""
    generator = np.random.default_rng(seed)
    each = count // len(CLASSES)
    drawn = [generator.choice(np.flatnonzero(labels == digit), each, replace=False) for digit in range(len(CLASSES))]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def _mnist_or_shipped(console: Console, cache: Path) -> Digits:
    try:
        return load_mnist(cache)
    except DigitsError as error:
        console.print(f"   MNIST can't be had here ({error}): scikit-learn's digits take its place", markup=False)
        return sklearn_digits()


def _train_keys(indices: NDArray[np.int64]) -> list[str]:
    return [f"train-{index:05}.png" for index in indices.tolist()]


def _pngs(images: Images) -> Iterator[bytes]:
    for image in images:
        _, data = cv2.imencode(".png", image)
        yield data.tobytes()
