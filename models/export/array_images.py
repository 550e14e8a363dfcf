"""Arrays as pictures: weights and activations as PNG for people to look at, numbers as colours."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating[Any]]
Colours = NDArray[np.uint8]

MAX_TILES = 256
MAX_TILE = 64
"""Pixels a side; larger kernels are shrunk."""
MAX_MAPS, MAX_MAP = 64, 28
"""How many channels of an activation are shown, and their pixels a side: a network may have a hundred layers."""
MIN_TILE = 12
MAX_SIDE = 1024
GAP = 1
BACKGROUND = 255


def of_weights(values: Values) -> bytes:
    """A grid of kernels (in their own colours where they read RGB), a matrix, or a vector as one."""
    if values.ndim < 3:
        return of_matrix(values)
    kernels = values.reshape(-1, *values.shape[-2:])
    if kernels.shape[1] * kernels.shape[2] == 1:  # a 1x1 convolution is a matrix
        return of_matrix(values.reshape(values.shape[0], -1))
    if values.ndim == 4 and values.shape[1] == 3:
        return _png(_tiled(_levels(values[:MAX_TILES]).transpose(0, 2, 3, 1)[..., ::-1]))
    return _png(_tiled(_coloured(kernels[:MAX_TILES])))


def of_activation(values: Values) -> bytes:
    """The activation of a layer for one image: (C, H, W) as a grid of channels, (T, D) as a matrix, (D,) as a near
    square."""
    if values.ndim == 3 and values.shape[1] * values.shape[2] > 1:
        return _png(_tiled(_coloured(values[:MAX_MAPS]), most=MAX_MAP))
    return of_matrix(values if values.ndim == 2 else values.reshape(-1))


def of_matrix(values: Values) -> bytes:
    """Rows and columns as pixels; a vector is laid out row by row."""
    if values.ndim < 2:
        side = int(np.ceil(np.sqrt(max(1, values.size))))
        whole = np.full(side * side, values.min() if values.size else 0.0)
        whole[: values.size] = values.reshape(-1)
        values = whole.reshape(side, side)[: max(1, -(-values.size // side))]
    return _png(_sized(_coloured(values[None])[0], least=MIN_TILE * 8, most=MAX_SIDE))


def _levels(values: Values) -> Colours:
    """Scale lowest to highest to 0..255; NaN and infinities count as 0."""
    known = np.nan_to_num(np.asarray(values, np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(known.min()), float(known.max())
    return np.asarray((known - low) / ((high - low) or 1.0) * 255, np.uint8)


def _coloured(values: Values) -> Colours:
    """(N, H, W) -> (N, H, W, 3), BGR."""
    levels = _levels(values)
    flat = levels.reshape(-1, levels.shape[-1])
    return np.asarray(cv2.applyColorMap(flat, cv2.COLORMAP_VIRIDIS), np.uint8).reshape(*levels.shape, 3)


def _tiled(tiles: Colours, *, most: int = MAX_TILE) -> Colours:
    """(N, H, W, 3) side by side, near a square."""
    sized = [_sized(tile, least=MIN_TILE, most=most) for tile in tiles]
    height, width = sized[0].shape[:2]
    columns = int(np.ceil(np.sqrt(len(sized) * height / width)))
    rows = -(-len(sized) // columns)
    sheet = np.full((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 3), BACKGROUND, np.uint8)
    for place, tile in enumerate(sized):
        top, left = place // columns * (height + GAP), place % columns * (width + GAP)
        sheet[top : top + height, left : left + width] = tile
    return sheet


def _sized(picture: Colours, *, least: int, most: int) -> Colours:
    """Grown by a whole factor until a side is `least`, shrunk until none is above `most`."""
    height, width = picture.shape[:2]
    if (factor := min(-(-least // max(height, width)), most // max(height, width))) > 1:
        picture = picture.repeat(factor, 0).repeat(factor, 1)
    if max(height, width) > most:
        scale = most / max(height, width)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    return picture


def _png(picture: Colours) -> bytes:
    data: bytes = cv2.imencode(".png", picture)[1].tobytes()
    return data
