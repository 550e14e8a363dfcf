"""Pictures with a few bright rectangles on dark ground, and the boxes around them."""

import io

import numpy as np
from PIL import Image

CLASSES = ["red", "blue"]
COLOURS = {"red": (230, 40, 30), "blue": (40, 60, 230)}
SIDE = 128


def picture(seed: int) -> tuple[bytes, dict[str, list[dict[str, object]]]]:
    """A PNG and its label: none to three rectangles of 24 to 48 pixels, each in a quarter of its own."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 60, (SIDE, SIDE, 3), np.uint8)
    boxes: list[dict[str, object]] = []
    for quarter in rng.permutation(4)[: rng.integers(0, 4)].tolist():
        width, height = rng.integers(24, 49, 2).tolist()
        left = quarter % 2 * 64 + int(rng.integers(0, 65 - width))
        top = quarter // 2 * 64 + int(rng.integers(0, 65 - height))
        name = CLASSES[int(rng.integers(len(CLASSES)))]
        pixels[top : top + height, left : left + width] = COLOURS[name]
        boxes.append({"class": name, "box": [left, top, left + width, top + height]})
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue(), {"boxes": boxes}
