"""What training does to images at random: a function of the recipe and the step, uint8 in and uint8 out."""

import math

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import fit
from training.config import Recipe

Pixels = NDArray[np.uint8]
MOVES, CROPS, OPERATIONS = 1, 3, 4
"""Streams of random numbers, each from (seed, stream, step): one augmentation more leaves the others as they are."""


def augmented(pixels: Pixels, recipe: Recipe, step: int) -> Pixels:
    """The batch (B, H, W, C) of `step` as the recipe wants it: cropped, operated on, then moved and mirrored."""
    if recipe.crop < 1:
        pixels = cropped(pixels, _dice(recipe, CROPS, step), least=recipe.crop)
    if recipe.augment and recipe.magnitude:
        from training.randaugment import rand_augment  # kornia takes seconds to import

        dice = _dice(recipe, OPERATIONS, step)
        pixels = rand_augment(pixels, dice, operations=recipe.augment, magnitude=recipe.magnitude)
    return moved(pixels, _dice(recipe, MOVES, step), shift=recipe.shift, flip=recipe.flip)


def cropped(pixels: Pixels, rng: np.random.Generator, *, least: float) -> Pixels:
    """Of each image a part of `least` to all of its area and a shape of 3:4 to 4:3, stretched to the whole size."""
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
    return made


def moved(pixels: Pixels, rng: np.random.Generator, *, shift: int, flip: bool) -> Pixels:
    """Each image moved by up to `shift` pixels along both axes, edges repeated, and mirrored by a coin where asked."""
    count, height, width, _ = pixels.shape
    rows = np.arange(height) + rng.integers(-shift, shift + 1, (count, 1))
    columns = np.arange(width) + rng.integers(-shift, shift + 1, (count, 1))
    if flip:
        columns = np.where(rng.random((count, 1)) < 0.5, columns[:, ::-1], columns)
    rows, columns = rows.clip(0, height - 1), columns.clip(0, width - 1)
    made: Pixels = pixels[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    return made


def _dice(recipe: Recipe, stream: int, step: int) -> np.random.Generator:
    return np.random.default_rng((recipe.seed, stream, step))
