"""Mixup and cutmix, and the loss over labels that are mixed, smoothed and weighted by class."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.config import Recipe

STREAM = 101
"""Sets the random numbers of mixing apart from those of order and augmentation."""


@dataclass(frozen=True, slots=True)
class Mix:
    """A mixed batch: sample i is `share` of itself and for the rest sample `partner[i]`."""

    inputs: Tensor
    partner: Tensor
    share: float


def mix(inputs: Tensor, recipe: Recipe, *, step: int) -> Mix | None:
    """Mix a batch, pixels (B, C, H, W) or features (B, D), as the recipe says; depends on (seed, step) alone.

    Mixup blends (Zhang et al. 2017), cutmix pastes a box (Yun et al. 2019). None where neither is asked for.
    """
    if not recipe.mixup and not recipe.cutmix:
        return None
    rng = np.random.default_rng((recipe.seed, STREAM, step))
    cut = bool(recipe.cutmix) and (not recipe.mixup or rng.random() < 0.5)
    alpha = recipe.cutmix if cut else recipe.mixup
    share = float(rng.beta(alpha, alpha))
    partner = torch.from_numpy(rng.permutation(len(inputs))).to(inputs.device)
    if not cut:
        return Mix(torch.lerp(inputs[partner], inputs, share), partner, share)
    rows, columns = _box(inputs.shape[2], inputs.shape[3], share, rng)
    pasted = inputs.clone()
    pasted[:, :, rows, columns] = inputs[partner][:, :, rows, columns]
    area = (rows.stop - rows.start) * (columns.stop - columns.start)
    return Mix(pasted, partner, 1 - area / (inputs.shape[2] * inputs.shape[3]))


def _box(height: int, width: int, share: float, rng: np.random.Generator) -> tuple[slice, slice]:
    """About 1 - `share` of the area, around a random place, cut off at the edges."""
    side = float(np.sqrt(1 - share))

    def along(length: int) -> slice:
        middle, half = int(rng.integers(length)), round(length * side / 2)
        return slice(max(0, middle - half), min(length, middle + half))

    return along(height), along(width)


def class_weights(labels: NDArray[np.int64], classes: int) -> NDArray[np.float32]:
    """The weight of each class by which all that occur count the same; their mean over the samples is 1."""
    counts = np.bincount(labels, minlength=classes)
    weights = len(labels) / (max(1, np.count_nonzero(counts)) * np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Objective:
    """The loss that a recipe asks for; `weights` (K,) are those of its classes, None where each sample counts 1."""

    smoothing: float
    weights: Tensor | None

    @classmethod
    def of(cls, recipe: Recipe, labels: NDArray[np.int64], *, classes: int, device: torch.device) -> "Objective":
        """The objective over a training set with `labels`."""
        if recipe.balance != "loss":
            return cls(recipe.label_smoothing, None)
        return cls(recipe.label_smoothing, torch.from_numpy(class_weights(labels, classes)).to(device))

    def loss(self, logits: Tensor, labels: Tensor, mixed: Mix | None) -> Tensor:
        """The mean loss of a batch."""
        if mixed is None and self.weights is None:
            return nn.functional.cross_entropy(logits, labels, label_smoothing=self.smoothing)
        return nn.functional.cross_entropy(logits, self.targets(labels, mixed, classes=logits.shape[1]))

    def targets(self, labels: Tensor, mixed: Mix | None, *, classes: int) -> Tensor:
        """The mass (B, K) that each sample puts on each class: its labels by their shares and weights, each smoothed.

        A weight scales a label with its smoothing. A batch's mean is divided by its length alone: over the training set
        it is the mean of the classes' mean losses, however small the batches are.
        """
        mass = nn.functional.one_hot(labels, classes).float()
        if mixed is not None:
            mass = torch.lerp(mass[mixed.partner], mass, mixed.share)
        if self.weights is not None:
            mass = mass * self.weights
        return mass * (1 - self.smoothing) + mass.sum(1, keepdim=True) * (self.smoothing / classes)


def leading(labels: Tensor, mixed: Mix | None) -> Tensor:
    """The label (B,) of which each sample has most: what a training accuracy is counted against."""
    return labels if mixed is None or mixed.share >= 0.5 else labels[mixed.partner]
