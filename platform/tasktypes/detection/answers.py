"""What a detector says of images, as columns: `answers` float32 (N, M, 6). NumPy only.

x1, y1, x2, y2 as fractions of the upright image, score, class index; the surest first, a score of 0 stands for nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.predictions import EVEN

SCORE, CLASS = 4, 5


def thresholds_of(classes: Sequence[str], thresholds: Mapping[str, float]) -> NDArray[np.float32]:
    """(K,), even odds for a class without one."""
    return np.array([thresholds.get(name, EVEN) for name in classes], np.float32)


def overlaps(boxes: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """(A, B) intersection over union of (A, 4) and (B, 4)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:4], others[None, :, 2:4])
    shared = np.prod(np.maximum(high - low, 0), axis=2)
    areas = [np.prod(np.maximum(one[:, 2:4] - one[:, :2], 0), axis=1) for one in (boxes, others)]
    union = areas[0][:, None] + areas[1][None] - shared
    return np.where(union > 0, shared / np.maximum(union, 1e-12), 0).astype(np.float32)
