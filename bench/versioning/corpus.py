"""Small images, each different and each one real: half of them PNG, half JPEG, of 400 to 900 bytes."""

import io
import os
from pathlib import Path

import numpy as np
from PIL import Image

CLASSES = [f"class-{number}" for number in range(10)]
SMOOTH = np.add.outer(np.arange(32), np.arange(32)) * 2


def write_images(folder: Path, count: int, *, seed: int = 0) -> int:
    """Fill `folder` with `train/<class>/<name>` and `test/<class>/<name>`; returns the bytes of all files."""
    numbers = np.random.default_rng(seed)
    total = 0
    for number in range(count):
        split = "train" if number % 10 else "test"
        data, kind = small_image(numbers, number)
        path = folder / split / CLASSES[number // 10 % len(CLASSES)] / f"{number:07d}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        total += len(data)
    return total


def small_image(numbers: np.random.Generator, number: int) -> tuple[bytes, str]:
    """The bytes of one image and the ending of its name."""
    side = 28 if number % 2 else 32
    gray = SMOOTH[:side, :side] + numbers.integers(0, 128)
    block = 2 if number % 2 else 4
    gray = gray + np.kron(numbers.integers(0, 64, (side // block, side // block)), np.ones((block, block), int))
    out = io.BytesIO()
    if number % 2:
        Image.fromarray((gray & 0xFC).astype(np.uint8)).save(out, "PNG")
        return out.getvalue(), "png"
    Image.fromarray(np.stack([gray, gray[::-1], gray.T], axis=-1).astype(np.uint8)).save(out, "JPEG", quality=40)
    return out.getvalue(), "jpg"


def noise(side: int) -> bytes:
    """A PNG of noise, about 3 x side x side bytes: nothing packs it smaller, and no two are the same."""
    out = io.BytesIO()
    pixels = np.frombuffer(os.urandom(3 * side * side), np.uint8).reshape(side, side, 3)
    Image.fromarray(pixels).save(out, "PNG", compress_level=0)
    return out.getvalue()
