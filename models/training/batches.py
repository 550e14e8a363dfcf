"""The batches of optimiser steps, and the order of the samples in them."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasktypes import DEFAULT, task_type
from training.augmentation import augmented
from training.config import Recipe
from training.prefetch import prefetched

BALANCED = 2
"""Stream of random numbers for a balanced order; see `training.augmentation` for the other streams."""


class DataError(Exception):
    """The samples cannot be trained on; the message names the sample and the fault."""

    code = "invalid_training_data"


class Batch(NamedTuple):
    """The input of one optimiser step, B samples: `labels`, targets in the task type's form (B, ..), with either
    augmented `pixels`, uint8 (B, H, W, C), or the `features` of a frozen trunk, float32 (B, D)."""

    labels: NDArray[Any]
    pixels: NDArray[np.uint8] | None = None
    features: NDArray[np.float32] | None = None


class Source(Protocol):
    """Labelled samples as a stream of batches that depends on recipe and step alone."""

    @property
    def labels(self) -> NDArray[Any]:
        """The targets of all samples, one row each."""
        ...

    @property
    def task(self) -> str:
        """The task type of the targets."""
        ...

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """The batches of steps `start` + 1 up to the recipe's last."""
        ...


@dataclass(frozen=True, slots=True)
class Images:
    """Decoded samples in memory: `pixels` uint8 (N, H, W, C), `labels` (N, ..) the targets of a task type."""

    pixels: NDArray[np.uint8]
    labels: NDArray[Any]
    task: str = DEFAULT

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Augmented pixels, made in a thread ahead of the steps; see Source."""
        return prefetched(self._batches(recipe, start))

    def _batches(self, recipe: Recipe, start: int) -> Generator[Batch, None, None]:
        for step, chosen in enumerate(order(self.labels, recipe, start=start, task=self.task), start + 1):
            pixels, labels = augmented(self.pixels[chosen], self.labels[chosen], recipe, step, task=self.task)
            yield Batch(labels, pixels=pixels)


@dataclass(frozen=True, slots=True)
class Features:
    """A frozen trunk's outputs for samples: `features` float32 (N, D), `labels` (N, ..) the targets of a task type."""

    features: NDArray[np.float32]
    labels: NDArray[Any]
    task: str = DEFAULT

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Features are not augmented; see Source."""
        for chosen in order(self.labels, recipe, start=start, task=self.task):
            yield Batch(self.labels[chosen], features=self.features[chosen])


def order(labels: NDArray[Any], recipe: Recipe, *, start: int = 0, task: str = DEFAULT) -> Iterator[NDArray[np.int64]]:
    """Which samples each step from `start` + 1 on sees: index arrays of the batch size (fewer if there are fewer).

    An epoch's order depends on (seed, epoch) alone. A remainder too small for a batch is carried into the next epoch's
    order, so that no sample is dropped. Balanced by sampling, each step draws independently: first classes, all that
    occur with equal probability, then a sample of each.
    """
    samples = len(labels)
    if recipe.balance == "sampling":
        yield from _balanced(task_type(task).metrics.strata(labels), len(labels), recipe, start)
        return
    size = min(recipe.batch_size, samples)
    epoch, skipped = divmod(start * size, samples)
    rest = np.random.default_rng((recipe.seed, epoch)).permutation(samples)[skipped:]
    for _ in range(start, recipe.total_steps(samples)):
        while len(rest) < size:
            epoch += 1
            rest = np.concatenate([rest, np.random.default_rng((recipe.seed, epoch)).permutation(samples)])
        yield rest[:size]
        rest = rest[size:]


def _balanced(
    strata: Sequence[NDArray[np.intp]], samples: int, recipe: Recipe, start: int
) -> Iterator[NDArray[np.int64]]:
    size = min(recipe.batch_size, samples)
    by_class, counts = np.concatenate(strata), np.array([len(rows) for rows in strata])
    first = np.cumsum(counts) - counts
    for step in range(start + 1, recipe.total_steps(samples) + 1):
        dice = np.random.default_rng((recipe.seed, BALANCED, step))
        drawn = dice.integers(len(first), size=size)
        yield by_class[first[drawn] + dice.integers(counts[drawn])]


def as_input(pixels: NDArray[np.uint8]) -> Tensor:
    """uint8 (N, H, W, C) -> float32 (N, C, H, W) in 0..255, laid out channels last."""
    return torch.from_numpy(pixels.astype(np.float32)).permute(0, 3, 1, 2)
