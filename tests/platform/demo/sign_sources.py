"""Two kinds of discs on noise, instead of the signs and photographs that are downloaded."""

import cv2
import numpy as np
import pytest

from demo.signs.sources import SPLITS, Photograph, Sources, SplitSources
from demo.signs.sprites import Sprite, sprite

CLASSES = ("stop", "warning")


def disc(name: str, kind: str | None, value: int) -> Sprite:
    picture = np.zeros((96, 96, 4), np.uint8)
    cv2.circle(picture, (48, 48), 40, (value, 60, 200, 255), -1, cv2.LINE_AA)
    return sprite(name, kind, picture)


@pytest.fixture(scope="module")
def sources() -> Sources:
    rng = np.random.default_rng(7)
    parts = {}
    for number, split in enumerate(SPLITS):
        small = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        photograph = Photograph(f"{split}-photograph", np.asarray(cv2.resize(small, (800, 600)), np.uint8))
        signs = tuple(disc(f"{split}-{kind}", kind, 40 * number) for kind in CLASSES)
        parts[split] = SplitSources(signs, (disc(f"{split}-other", None, 250),), (photograph,))
    return Sources(CLASSES, parts)
