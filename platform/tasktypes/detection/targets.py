"""Objects of labels as numbers, and their transformation with the image. NumPy only.

Targets are float32 (N, G, 8): x1, y1, x2, y2 as fractions of the upright image, class index, kind, width and height of
the image in pixels. A kind is 1 for an object, 2 for a region to ignore (of class -1 for all classes), 0 for padding.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CLASS, KIND, SIZE, COLUMNS = 4, 5, slice(6, 8), 8
NOTHING, OBJECT, REGION = 0, 1, 2
EVERY_CLASS = -1
SEEN = 0.3
"""The share of a cropped object that must remain for it to count; with less it becomes a region to ignore."""


def moved(targets: NDArray[Any], scale: NDArray[np.float64], offset: NDArray[np.float64]) -> NDArray[Any]:
    """Transform targets (B, G, 8) of images whose x and y moved to `scale` (B, 2) x old + `offset`, clipped at the
    edges."""
    ends = [targets[..., at : at + 2] * scale[:, None] + offset[:, None] for at in (0, 2)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    inside_low, inside_high = low.clip(0, 1), high.clip(0, 1)
    whole, seen = (np.prod(b - a, axis=2) for a, b in ((low, high), (inside_low, inside_high)))
    kind = targets[..., KIND].copy()
    kind[(kind == OBJECT) & (seen < SEEN * whole)] = REGION
    kind[seen <= 0] = NOTHING
    made = targets.copy()
    made[..., :2], made[..., 2:4], made[..., KIND] = inside_low, inside_high, kind
    return made
