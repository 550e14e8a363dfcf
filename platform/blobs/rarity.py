"""How rare a likeness is within a set: of parts on a line or frames of a fixed camera nearly all resemble each other,
and then likeness alone does not show that one picture is a copy of another.

A picture is *common* where RESEMBLING or more of a random sample of the set (the background) resembles it by the usual
rule (`blobs.likeness`). What resembles a common picture is a copy of it only within a bound that is fitted to the set:
the distance that a picture which is no copy undercuts with a chance of FALSE_ALARMS over all that it is compared with.
The bound is extrapolated from the smallest distances of the background, which fall off as a power of the distance
(Hill's estimator of the exponent: Hill 1975; Levina and Bickel 2004). Below LEAST_LEVELS, the distance of a
re-compressed copy, everything counts as a copy. No Django here.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blobs.likeness import MAX_DISTANCE, SKETCH_SIDE, Gray, Hashes, centred, closeness_to_all

BACKGROUND = 512
"""Largest number of pictures drawn from a set as its background."""
FEWEST = 40
"""With fewer pictures in the background nothing is estimated: the usual rule holds."""
RESEMBLING, FEWEST_RESEMBLING = 0.05, 20
"""A picture is common from this share of the background on, and from this number: a dozen copies of one picture in a
small set do not make it common."""
FALSE_ALARMS = 0.01
LEAST_LEVELS = 0.75
_TAIL = 0.1  # the share of the smallest distances that the exponent is fitted to
_FEWEST_IN_TAIL = 8
_BLOCK = 256

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Background:
    """M random pictures of a set: their `hashes` (M,) and `sketches` (M, 256)."""

    hashes: Hashes
    sketches: Gray

    def __len__(self) -> int:
        return len(self.hashes)


def levels(left: Gray, right: Gray) -> Floats:
    """Return the distances (N,) of N pairs of sketches in gray levels (RMS), apart from their mean brightness."""
    apart = centred(left) - centred(right)
    found: Floats = np.sqrt((apart**2).mean(axis=1))
    return found


def copy_bounds(shown: Hashes, sketches: Gray, background: Background, *, compared: int) -> Floats:
    """Return for each of N pictures the largest distance (`levels`) at which another one is a copy: infinity for a
    picture that is not common. `compared` is the number of pictures that each is compared with."""
    bounds = np.full(len(shown), np.inf, np.float32)
    if len(background) < FEWEST:
        return bounds
    for at in range(0, len(shown), _BLOCK):
        block = slice(at, at + _BLOCK)
        distances, alike = _against(shown[block], sketches[block], background)
        own = distances < LEAST_LEVELS  # itself and its copies say nothing of the others
        common = (alike & ~own).sum(axis=1) >= max(RESEMBLING * len(background), FEWEST_RESEMBLING)
        for row in np.flatnonzero(common).tolist():
            bounds[at + row] = _bound(distances[row][~own[row]], compared)
    return bounds


def _bound(distances: Floats, compared: int) -> float:
    """Return the distance that a random picture undercuts with the chance FALSE_ALARMS / `compared`."""
    size = len(distances)
    count = min(size, max(_FEWEST_IN_TAIL, round(size * _TAIL)))
    tail = np.sort(distances)[:count].astype(np.float64)
    logs = np.log(tail[-1] / np.maximum(tail[:-1], 1e-3))
    exponent = max(1.0, (count - 2) / max(float(logs.sum()), 1e-9))
    share = FALSE_ALARMS / max(compared, 1) * size / count
    return max(LEAST_LEVELS, float(float(tail[-1]) * min(1.0, share) ** (1 / exponent)))


def _against(shown: Hashes, sketches: Gray, background: Background) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the distances (n, M) of pictures to the background, and which pairs resemble each other."""
    left, right = centred(sketches), centred(background.sketches)
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2 * (left @ right.T)
    distances: Floats = np.sqrt(np.maximum(squares, 0)) / np.float32(SKETCH_SIDE)
    alike = np.bitwise_count(shown[:, None] ^ background.hashes) <= MAX_DISTANCE
    if alike.any():
        alike &= closeness_to_all(sketches, background.sketches) > 0
    return distances, alike
