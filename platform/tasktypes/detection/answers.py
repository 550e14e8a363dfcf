"""A detector's predictions for images, as columns: `answers` float32 (N, M, 6). NumPy only.

x1, y1, x2, y2 as fractions of the upright image, score, class index; highest score first; rows of score 0 are padding.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.shapes import iou
from tasktypes.detection.predictions import EVEN

SCORE, CLASS = 4, 5
FLOOR = 0.05
"""Boxes that score less are hardly ever objects: no question is asked about them."""


def thresholds_of(classes: Sequence[str], thresholds: Mapping[str, float]) -> NDArray[np.float32]:
    """Return the thresholds (K,) of the classes, 0.5 for a class without one."""
    return np.array([thresholds.get(name, EVEN) for name in classes], np.float32)


def overlaps(boxes: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return (A, B), the intersection over union of the corners of (A, ..) and (B, ..)."""
    pairs = np.repeat(boxes[:, :SCORE], len(others), axis=0), np.tile(others[:, :SCORE], (len(boxes), 1))
    return iou(*(corners.astype(np.float64) for corners in pairs)).reshape(len(boxes), len(others))


def asked_scores(scores: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Mark (N, M) the scores at FLOOR or above; if an image has none, its highest."""
    return np.asarray(scores >= np.minimum(FLOOR, scores.max(axis=1, initial=0.0))[:, None], bool)


def mirrored(answers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert boxes (.., 6) of a mirrored image to the image itself: left is 1 - right and right 1 - left. Padding
    stays as it is."""
    swapped = np.concatenate(
        [1 - answers[..., 2:3], answers[..., 1:2], 1 - answers[..., :1], answers[..., 3:]], axis=-1
    )
    return np.where(answers[..., SCORE, None] > 0, swapped, answers).astype(np.float32)
