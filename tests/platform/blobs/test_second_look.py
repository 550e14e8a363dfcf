"""A second look at pixels: copies are the same picture, and what only looks alike is not."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageFilter
from sklearn.datasets import load_sample_images

from blobs import second_look
from blobs.second_look import Picture, picture, same
from demo.mnist import sklearn_digits

PHOTOS = [Image.fromarray(photo) for photo in load_sample_images().images]
TILES = [photo.crop((x, y, x + 213, y + 213)) for photo in PHOTOS for x in (0, 213, 426) for y in (0, 213)]
DIGITS = [Image.fromarray(image) for image in sklearn_digits().train_images[:120]]
ALIKE = [(32, 548), (79, 434), (101, 126), (203, 220), (276, 305), (425, 1027), (455, 478)]
"""Different digits whose hash and sketch take them for one."""


def stored(image: Image.Image, kind: str = "PNG", **options: object) -> Picture:
    out = io.BytesIO()
    image.save(out, kind, **({"compress_level": 1} if kind == "PNG" else {}) | options)
    return picture(out.getvalue())


def cut(image: Image.Image, share: float) -> Image.Image:
    x, y = round(image.width * share), round(image.height * share)
    return image.crop((x, y, image.width - x, image.height - y))


COPIES: dict[str, Callable[[Image.Image], Picture]] = {
    "jpeg 75": lambda image: stored(image, "JPEG", quality=75),
    "webp 80": lambda image: stored(image, "WEBP", quality=80),
    "half": lambda image: stored(image.resize((image.width // 2, image.height // 2))),
    "double": lambda image: stored(image.resize((image.width * 2, image.height * 2))),
    "darker": lambda image: stored(ImageEnhance.Brightness(image).enhance(0.7)),
    "contrast": lambda image: stored(ImageEnhance.Contrast(image).enhance(1.2)),
    "gray": lambda image: stored(image.convert("L")),
}


@pytest.mark.parametrize("change", COPIES.values(), ids=COPIES)
def test_a_copy_of_a_photograph_is_the_same(change: Callable[[Image.Image], Picture]) -> None:
    shown = same([stored(tile) for tile in TILES], [change(tile) for tile in TILES])
    assert shown.mean() >= 0.9


def test_a_slightly_cropped_photograph_is_mostly_the_same() -> None:
    assert same([stored(tile) for tile in TILES], [stored(cut(tile, 0.01)) for tile in TILES]).mean() >= 0.8


@pytest.mark.parametrize("change", [COPIES[name] for name in COPIES if name not in {"half", "contrast"}])
def test_a_copy_of_a_small_drawing_is_the_same(change: Callable[[Image.Image], Picture]) -> None:
    assert same([stored(image) for image in DIGITS], [change(image) for image in DIGITS]).mean() >= 0.95


def test_different_pictures_that_a_hash_takes_for_one_are_not_the_same() -> None:
    images = sklearn_digits().train_images
    pictures = [[second_look.picture_of(images[row]) for row in pair] for pair in ALIKE]
    assert not same([one for one, _ in pictures], [other for _, other in pictures]).any()


def test_a_product_with_another_print_is_another_product() -> None:
    shirt = np.zeros((28, 28), np.uint8)
    shirt[3:26, 7:21] = 200
    shirt[3:9, 2:26] = 200
    printed = shirt.copy()
    printed[12:17, 11:17] = 90
    noisy = np.clip(shirt + np.random.default_rng(0).normal(0, 3, shirt.shape), 0, 255).astype(np.uint8)
    plain, other, copy = (second_look.picture_of(gray) for gray in (shirt, printed, noisy))
    assert same([plain, plain], [other, copy]).tolist() == [False, True]


def test_mirrored_turned_and_other_photographs_are_different() -> None:
    pictures = [stored(tile) for tile in TILES]
    for change in (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180):
        assert not same(pictures, [stored(tile.transpose(change)) for tile in TILES]).any()
    others = pictures[1:] + pictures[:1]
    assert not same(pictures, others).any()


def test_the_order_of_a_pair_makes_no_difference() -> None:
    left = [stored(tile) for tile in TILES] * 2
    right = [stored(tile.filter(ImageFilter.GaussianBlur(2))) for tile in TILES] + left[1:13]
    assert same(left, right).tolist() == same(right, left).tolist()


def test_nothing_is_compared_with_nothing() -> None:
    assert same([], []).tolist() == []
