"""What a detector says of images, as columns: `answers` float32 (N, M, 6). NumPy only.

x1, y1, x2, y2 as fractions of the upright image, score, class index; the surest first, a score of 0 stands for nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agreement.shapes import iou
from tasktypes.detection.predictions import EVEN

SCORE, CLASS = 4, 5


def thresholds_of(classes: Sequence[str], thresholds: Mapping[str, float]) -> NDArray[np.float32]:
    """(K,), even odds for a class without one."""
    return np.array([thresholds.get(name, EVEN) for name in classes], np.float32)


def overlaps(boxes: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float64]:
    """(A, B) intersection over union of the corners of (A, ..) and (B, ..)."""
    pairs = np.repeat(boxes[:, :SCORE], len(others), axis=0), np.tile(others[:, :SCORE], (len(boxes), 1))
    return iou(*(corners.astype(np.float64) for corners in pairs)).reshape(len(boxes), len(others))
