"""Random changes to training images: a function of the recipe and the step, uint8 in and uint8 out.

Targets that have a place move with the image: every move maps old fractions of width and height linearly to new ones.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import fit
from tasktypes import task_type
from training.config import Recipe

Pixels = NDArray[np.uint8]
Lines = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Scale (B, 2) and offset (B, 2): x and y of each image go to scale x old + offset, in fractions."""
MOVES, CROPS, OPERATIONS = 1, 3, 4
"""Streams of random numbers, each from (seed, stream, step): adding an augmentation doesn't change the others."""


def augmented(
    pixels: Pixels, targets: NDArray[Any], recipe: Recipe, step: int, *, task: str
) -> tuple[Pixels, NDArray[Any]]:
    """Augment the batch (B, H, W, C) of `step` by the recipe: crop, apply `augment`, then shift and mirror. Returns it
    and its targets. Targets that have a place follow crops, shifts and mirrors alone: for them `augment` uses only
    operations that don't move anything."""
    metrics = task_type(task).metrics
    if recipe.crop < 1:
        pixels, lines = cropped(pixels, _dice(recipe, CROPS, step), least=recipe.crop)
        targets = metrics.moved(targets, *lines)
    if recipe.augment and recipe.magnitude:
        from training.randaugment import rand_augment  # kornia takes seconds to import

        dice, still = _dice(recipe, OPERATIONS, step), metrics.targets_have_places
        pixels = rand_augment(pixels, dice, operations=recipe.augment, magnitude=recipe.magnitude, still=still)
    pixels, lines = moved(pixels, _dice(recipe, MOVES, step), shift=recipe.shift, flip=recipe.flip)
    return pixels, metrics.moved(targets, *lines)


def cropped(pixels: Pixels, rng: np.random.Generator, *, least: float) -> tuple[Pixels, Lines]:
    """Crop from each image a part of `least` to all of its area, shaped 3:4 to 4:3, and stretch it to the full size."""
    count, height, width, _ = pixels.shape
    areas = rng.uniform(least, 1, count)
    shapes = np.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3), count) / 2)
    rows = np.clip(np.rint(height * np.sqrt(areas) / shapes), 1, height).astype(int)
    columns = np.clip(np.rint(width * np.sqrt(areas) * shapes), 1, width).astype(int)
    top = np.rint(rng.random(count) * (height - rows)).astype(int)
    left = np.rint(rng.random(count) * (width - columns)).astype(int)
    made = np.empty_like(pixels)
    for at, (y, x, h, w) in enumerate(zip(top, left, rows, columns, strict=True)):
        made[at] = fit(np.ascontiguousarray(pixels[at, y : y + h, x : x + w]), (height, width))
    scale = np.stack([width / columns, height / rows], axis=1)
    return made, (scale, -scale * np.stack([left / width, top / height], axis=1))


def moved(pixels: Pixels, rng: np.random.Generator, *, shift: int, flip: bool) -> tuple[Pixels, Lines]:
    """Shift each image by up to `shift` pixels along both axes, edges repeated, and with `flip` mirror about half."""
    count, height, width, _ = pixels.shape
    down, right = rng.integers(-shift, shift + 1, (count, 1)), rng.integers(-shift, shift + 1, (count, 1))
    mirrored = rng.random((count, 1)) < 0.5 if flip else np.zeros((count, 1), bool)
    rows, columns = np.arange(height) + down, np.arange(width) + right
    columns = np.where(mirrored, columns[:, ::-1], columns)
    rows, columns = rows.clip(0, height - 1), columns.clip(0, width - 1)
    made: Pixels = pixels[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    scale = np.concatenate([np.where(mirrored, -1.0, 1.0), np.ones((count, 1))], axis=1)
    offset = np.concatenate([np.where(mirrored, 1 + right / width, -right / width), -down / height], axis=1)
    return made, (scale, offset)


def _dice(recipe: Recipe, stream: int, step: int) -> np.random.Generator:
    return np.random.default_rng((recipe.seed, stream, step))
