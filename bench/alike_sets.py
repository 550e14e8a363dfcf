"""Pictures alike by nature, made from a seed: a fixed camera, cells of a panel, and scenes that have nothing in common.

Each set has `tests` and `others`, and with each other picture the place of the test picture that it was re-saved from,
or -1. Re-saved copies are JPEGs of qualities 60 to 95, resized to 60 to 100 %, of which a third is cropped by up to
2 % a side.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 128
Image = NDArray[np.uint8]


@dataclass(frozen=True)
class AlikeSet:
    """Encoded pictures; `copied` (N,) is the place in `tests` of what each of `others` was re-saved from, or -1, and
    `cropped` (N,) whether it was also cropped."""

    tests: list[bytes]
    others: list[bytes]
    copied: NDArray[np.intp]
    cropped: NDArray[np.bool_]


def scene(rng: np.random.Generator, *, slope: float = 1.6) -> Image:
    """Return a picture with the spectrum of natural scenes (power falls with frequency) and some objects."""
    fy, fx = np.meshgrid(np.fft.fftfreq(SIDE), np.fft.fftfreq(SIDE), indexing="ij")
    radius = np.hypot(fy, fx)
    radius[0, 0] = 1
    planes = []
    for _ in range(3):
        noise = np.fft.fft2(rng.standard_normal((SIDE, SIDE))) / radius ** (slope / 2 + 0.4)
        plane = np.real(np.fft.ifft2(noise))
        planes.append((plane - plane.min()) / np.ptp(plane))
    image = np.clip(np.stack(planes, axis=-1) * 255, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(2, 6))):
        centre, size = rng.integers(0, SIDE, 2), int(rng.integers(6, 30))
        cv2.circle(image, tuple(int(v) for v in centre), size, tuple(int(v) for v in rng.integers(0, 256, 3)), -1)
    return np.asarray(image, np.uint8)


def camera(rng: np.random.Generator) -> Callable[[], Image]:
    """Return frames of a fixed camera over a belt: one ground, a part that lies a little differently each time."""
    ground = scene(rng)

    def frame() -> Image:
        image = ground.copy()
        at, angle = rng.normal(SIDE / 2, 2.5, 2), float(rng.normal(0, 4))
        corners = cv2.boxPoints(((float(at[0]), float(at[1])), (46, 24), angle)).astype(np.int32)
        cv2.fillPoly(image, [corners], (70, 75, 80))
        if rng.random() < 0.4:  # a scratch: what there is to learn
            start = at + rng.normal(0, 10, 2)
            end = start + rng.normal(0, 8, 2)
            ends = [tuple(int(v) for v in point) for point in (start, end)]
            cv2.line(image, ends[0], ends[1], (170, 170, 175), 1)
        return shot(image, rng, gain=0.02)

    return frame


def panel(rng: np.random.Generator) -> Callable[[], Image]:
    """Return cells of a solar panel: the same bars and rim in each, a grain of its own, and here and there a crack."""
    base = np.full((SIDE, SIDE, 3), 96, np.uint8)
    for x in (32, 64, 96):
        cv2.line(base, (x, 0), (x, SIDE), (190, 190, 190), 3)
    cv2.rectangle(base, (0, 0), (SIDE - 1, SIDE - 1), (25, 25, 25), 6)

    def cell() -> Image:
        grain = cv2.resize(rng.normal(0, 1.5, (12, 12)).astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        image = np.clip(base + grain[..., None], 0, 255).astype(np.uint8)
        if rng.random() < 0.3:
            points = np.cumsum(rng.normal(0, 9, (5, 2)), axis=0) + rng.uniform(20, SIDE - 20, 2)
            cv2.polylines(image, [points.astype(np.int32)], isClosed=False, color=(40, 40, 40))
        return shot(image, rng, gain=0.03)

    return cell


def natural(rng: np.random.Generator) -> Callable[[], Image]:
    """Return scenes that have nothing in common."""
    return lambda: shot(scene(rng), rng, gain=0.0)


def shot(image: Image, rng: np.random.Generator, *, gain: float) -> Image:
    """Return the picture with a camera's noise and a little different light."""
    lit = image * (1 + rng.normal(0, gain)) + rng.normal(0, 1.5, image.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


KINDS = {"fixed camera": camera, "panel cells": panel, "natural scenes": natural}


def made(kind: str, *, tests: int, others: int, copies: int, seed: int) -> AlikeSet:
    """Return a set of a kind: `others` pictures of which the last `copies` are re-saved test pictures."""
    rng = np.random.default_rng(seed)
    draw = KINDS[kind](rng)
    shown = [draw() for _ in range(tests)]
    fresh = [draw() for _ in range(others - copies)]
    of = rng.integers(0, tests, copies)
    crops = rng.random(copies) < 1 / 3
    again = [resaved(shown[at], rng, crop=bool(crop)) for at, crop in zip(of, crops, strict=True)]
    return AlikeSet(
        [encoded(image, 92) for image in shown],
        [*(encoded(image, 92) for image in fresh), *again],
        np.concatenate([np.full(len(fresh), -1), of]),
        np.concatenate([np.zeros(len(fresh), bool), crops]),
    )


def resaved(image: Image, rng: np.random.Generator, *, crop: bool) -> bytes:
    """Return the picture re-saved as a smaller JPEG, with `crop` without up to 2 % of each side."""
    if crop:
        left, top, right, bottom = rng.integers(1, 3, 4)
        image = image[top : SIDE - bottom, left : SIDE - right]
    side = int(rng.integers(round(SIDE * 0.6), SIDE + 1))
    small = cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA)
    return encoded(np.asarray(small, np.uint8), int(rng.integers(60, 96)))


def encoded(image: Image, quality: int) -> bytes:
    """Return the picture as a JPEG file."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])
