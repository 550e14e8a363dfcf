"""Count the places of a raw heat map that support a box. NumPy only.

Detectors that suppress overlapping boxes have many of them before (the "pre-NMS count"); this one reads each object
from the peak of a heat map, and what overlapping boxes are to those, the warm places around a peak are to it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.answers import CLASS, FLOOR
from tasktypes.detection.levels import SIDES, levels_of

WARM = float(np.log(FLOOR / (1 - FLOOR)))
"""The logit of `FLOOR`, because raw maps are logits."""


def cells_inside(maps: NDArray[Any], answers: NDArray[np.float32]) -> NDArray[np.int32]:
    """Count (N, M) for raw maps (N, C + 4, ..) and boxes (N, M, 6) the places of all levels whose middle is in the box
    (its sides included) and whose probability of the box's class is at least 0.05."""
    warm = maps.reshape(*maps.shape[:2], -1)[:, :-SIDES] >= WARM
    found = np.zeros(answers.shape[:2], np.int32)
    for level in levels_of(maps.shape):
        found += _inside(warm[..., level.places].reshape(*warm.shape[:2], level.height, level.width), answers)
    return found


def _inside(warm: NDArray[np.bool_], answers: NDArray[np.float32]) -> NDArray[np.int32]:
    """Count as `cells_inside` in one level, whose warm places are (N, C, H, W). Uses summed-area tables (Crow 1984), so
    that the cost doesn't depend on the box's size."""
    height, width = warm.shape[2:]
    summed = np.zeros((*warm.shape[:2], height + 1, width + 1), np.int32)
    np.cumsum(np.cumsum(warm, axis=2, dtype=np.int32), axis=3, out=summed[:, :, 1:, 1:])
    across, down = _middles(width), _middles(height)
    left, right = np.searchsorted(across, answers[..., 0], "left"), np.searchsorted(across, answers[..., 2], "right")
    top, bottom = np.searchsorted(down, answers[..., 1], "left"), np.searchsorted(down, answers[..., 3], "right")
    right, bottom = np.maximum(right, left), np.maximum(bottom, top)
    image, label = np.arange(len(warm))[:, None], np.asarray(answers[..., CLASS], np.intp)
    found: NDArray[np.int32] = (
        summed[image, label, bottom, right]
        - summed[image, label, top, right]
        - summed[image, label, bottom, left]
        + summed[image, label, top, left]
    )
    return found


def _middles(size: int) -> NDArray[np.float32]:
    """Return the middles of that many places along a side, as fractions, like `decoding.centres`."""
    return (np.arange(size, dtype=np.float32) + np.float32(0.5)) / np.float32(size)
