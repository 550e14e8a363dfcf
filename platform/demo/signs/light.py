"""Effects of camera and weather on a whole image. Each function takes and returns BGR float32 of 0 to 255."""

import cv2
import numpy as np
from numpy.typing import NDArray

from demo.signs.sprites import Pixels

Image = NDArray[np.float32]


def photographed(image: Image, rng: np.random.Generator) -> Pixels:
    """Apply random lighting, lens and sensor effects to an image."""
    if rng.random() < 0.4:
        image = shadowed(image, rng)
    image = exposed(image, rng)
    if rng.random() < 0.45:
        image = blurred(image, rng)
    return noisy(image, rng)


def shadowed(image: Image, rng: np.random.Generator) -> Image:
    """Darken an image towards one side, along a straight edge that is soft or hard."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    rows = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * np.float32(np.sin(angle))
    columns = np.linspace(-1, 1, width, dtype=np.float32) * np.float32(np.cos(angle))
    across = (rows + columns - np.float32(rng.uniform(-0.6, 0.6))) / np.float32(rng.uniform(0.05, 1.5))
    dark = np.float32(rng.uniform(0.35, 0.8))
    shade = dark + (1 - dark) * np.clip(across + 0.5, 0, 1)
    return np.asarray(image * shade[..., None], np.float32)


def exposed(image: Image, rng: np.random.Generator) -> Image:
    """Apply gain, gamma and a tint, as one table of 256 values for each channel."""
    gain, gamma = rng.uniform(0.65, 1.25), np.exp(rng.uniform(-0.4, 0.4))
    tint = rng.normal(1.0, 0.04, 3)
    steps = np.linspace(0, 1, 256)[:, None]
    table = (255 * np.clip(gain * tint * steps**gamma, 0, 1)).astype(np.float32)
    levels = np.clip(np.rint(image), 0, 255).astype(np.uint8)
    return np.stack([table[levels[..., channel], channel] for channel in range(3)], axis=-1)


def blurred(image: Image, rng: np.random.Generator) -> Image:
    """Blur an image by defocus or motion, by up to about 1 % of the longer side."""
    longest = max(image.shape[:2])
    if rng.random() < 0.5:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 0.003 * longest)), np.float32)
    length = int(rng.integers(3, max(4, round(0.012 * longest))))
    kernel = np.zeros((length, length), np.float32)
    angle = rng.uniform(0, np.pi)
    way = (length - 1) / 2 * np.array([np.cos(angle), np.sin(angle)])
    start, end = np.rint((length - 1) / 2 - way).astype(int), np.rint((length - 1) / 2 + way).astype(int)
    cv2.line(kernel, start.tolist(), end.tolist(), 1.0)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)


def noisy(image: Image, rng: np.random.Generator) -> Pixels:
    """Add the sensor's noise, then round to whole numbers."""
    sigma = np.float32(rng.exponential(4.0))
    noise = rng.standard_normal(image.shape, dtype=np.float32)
    return np.clip(np.rint(image + min(sigma, np.float32(14)) * noise), 0, 255).astype(np.uint8)
