"""Mixup and cutmix."""

import numpy as np
import torch
from torch import Tensor

from tasktypes.mixed import Mix
from training.config import Recipe

STREAM = 101
"""Separates the random numbers of mixing from those of order and augmentation."""


def mix(inputs: Tensor, recipe: Recipe, *, step: int, part: int = 0) -> Mix | None:
    """Mix a batch or a part of one, pixels (B, C, H, W) or features (B, D), as the recipe says; depends on (seed, step,
    part) alone.

    Mixup blends (Zhang et al. 2017), cutmix pastes a box (Yun et al. 2019). Returns None if the recipe has neither.
    """
    if not recipe.mixup and not recipe.cutmix:
        return None
    rng = np.random.default_rng((recipe.seed, STREAM, step, part) if part else (recipe.seed, STREAM, step))
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
    """A box of about 1 - `share` of the area, around a random place, cut off at the edges."""
    side = float(np.sqrt(1 - share))

    def along(length: int) -> slice:
        middle, half = int(rng.integers(length)), round(length * side / 2)
        return slice(max(0, middle - half), min(length, middle + half))

    return along(height), along(width)
