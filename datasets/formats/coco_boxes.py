"""Helpers that COCO's reader and writer share."""

from collections.abc import Sequence
from itertools import product
from math import dist

from formats.boxes import Corners

TRACK = "track_id"
SAME = 0.01  # pixels


def is_box(ring: Sequence[Sequence[float]], bbox: Corners) -> bool:
    """Whether a ring is just the four corners of a box x, y, width, height."""
    x, y, width, height = bbox
    corners = product((x, x + width), (y, y + height))
    return len(ring) == len(bbox) and all(any(dist(corner, point) < SAME for point in ring) for corner in corners)
