"""The images of the large dataset: few, small and real, shared by many samples."""

import functools
import hashlib

import cv2
import numpy as np

COUNT, SIDE = 1000, 28


@functools.cache
def images() -> list[bytes]:
    """PNG files of random grey pixels, the same in each process."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 255, (COUNT, SIDE, SIDE), dtype=np.uint8)
    return [cv2.imencode(".png", one)[1].tobytes() for one in drawn]


@functools.cache
def digests() -> list[str]:
    """The md5 of each of them."""
    return [hashlib.md5(data, usedforsecurity=False).hexdigest() for data in images()]
