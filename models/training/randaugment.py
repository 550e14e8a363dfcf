"""RandAugment (Cubuk et al. 2020) with kornia's operations.

Kornia's own containers draw from torch's global generator, which is the training loop's and must not be touched from a
thread beside it; so the choices are drawn here, and kornia computes.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from kornia import enhance
from kornia.geometry import transform
from numpy.typing import NDArray
from torch import Tensor

MOST = 30
"""The magnitude at which an operation reaches the end of its range."""
Operation = Callable[[Tensor, Tensor], Tensor]
"""A function of images, float32 (N, C, H, W) in 0..1, and a strength for each, -1..1, to images of the same shape."""


def rand_augment(
    pixels: NDArray[np.uint8], rng: np.random.Generator, *, operations: int, magnitude: int, still: bool = False
) -> NDArray[np.uint8]:
    """Apply `operations` random operations to each image of (N, H, W, C), all equally likely, with a random sign if
    they have one; `still`: only operations that move nothing."""
    count, _, _, channels = pixels.shape
    offered = [*(one for one in ANY if not (still and one in MOVING)), *(COLOUR if channels == 3 else ())]
    with torch.inference_mode():
        images = torch.from_numpy(pixels).permute(0, 3, 1, 2).to(torch.float32).div(255).contiguous()
        for _ in range(operations):
            chosen = rng.integers(len(offered), size=count)
            strength = magnitude / MOST * rng.choice([-1.0, 1.0], count)
            for number in np.unique(chosen):
                rows = torch.from_numpy(np.flatnonzero(chosen == number))
                made = offered[number](images[rows], torch.from_numpy(strength).float()[rows])
                images[rows] = made.clamp(0, 1)
        made = images.mul(255).round_().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
    return made.numpy()


def _rotate(images: Tensor, strength: Tensor) -> Tensor:
    return transform.rotate(images, 30 * strength, padding_mode="border")


def _shear(images: Tensor, strength: Tensor, *, axis: int) -> Tensor:
    """Shear about the middle, in pixel coordinates, by up to 0.3 of the other axis."""
    matrix = torch.eye(2, 3).repeat(len(images), 1, 1)
    matrix[:, axis, 1 - axis] = 0.3 * strength
    middle = (images.shape[3 - (1 - axis)] - 1) / 2
    matrix[:, axis, 2] = -0.3 * strength * middle
    return transform.affine(images, matrix, padding_mode="border")


def _translate(images: Tensor, strength: Tensor, *, axis: int) -> Tensor:
    """Shift by up to 0.3 of the size."""
    by = torch.zeros(len(images), 2)
    by[:, axis] = 0.3 * strength * images.shape[3 - axis]
    return transform.translate(images, by, padding_mode="border")


def _contrast(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.adjust_contrast(images, 1 + 0.9 * strength)


def _brightness(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.adjust_brightness(images, 0.5 * strength)


def _colour(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.adjust_saturation(images, 1 + 0.9 * strength)


def _sharpness(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.sharpness(images, 1 + 0.9 * strength)


def _posterize(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.posterize(images, (8 - 4 * strength.abs()).round().int())


def _solarize(images: Tensor, strength: Tensor) -> Tensor:
    return enhance.solarize(images, 1 - strength.abs())


def _equalize(images: Tensor, _: Tensor) -> Tensor:
    return enhance.equalize(images)


def _autocontrast(images: Tensor, _: Tensor) -> Tensor:
    return enhance.normalize_min_max(images)


def _same(images: Tensor, _: Tensor) -> Tensor:
    return images


MOVING: tuple[Operation, ...] = (
    _rotate,
    partial(_shear, axis=0),
    partial(_shear, axis=1),
    partial(_translate, axis=0),
    partial(_translate, axis=1),
)
ANY: tuple[Operation, ...] = (
    _same,
    _autocontrast,
    _equalize,
    MOVING[0],
    _posterize,
    _solarize,
    _contrast,
    _brightness,
    _sharpness,
    *MOVING[1:],
)
COLOUR: tuple[Operation, ...] = (_colour,)
"""Operations that have no effect on gray images."""
