"""Whether two pictures really are the same one: a comparison of their pixels, after `blobs.likeness` found them alike.

Both are brought to 64 x 64 gray and laid over each other: a small shift and stretch (an even crop of up to 2 % a side)
and a change of light are fitted and removed. The rest is measured twice: the correlation of the fine detail, and the
largest difference, relative to the contrast of the picture. Small pictures, smooth ones and drawings on a plain ground
resemble each other by nature, so they must agree more closely. The thresholds come from planted pairs
(`bench/near_duplicates`). No Django here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from blobs import images

SIDE = 64
AT_ONCE = 512

_ALIGN_SIDE = 32
_STEPS = 3
_WINDOW = 0.05  # of the side: what a fitted shift or stretch may be
_MARGIN = 3  # pixels at the border that a shift may have brought from outside
_FINE_SIGMA, _SPREAD_SIGMA = 2.0, 2.5
_PLAIN_LEVELS, _PLAIN_SHARE = 6, 0.45
_SMOOTH_LEVELS = 4.0  # fine detail of fewer gray levels (RMS) than this is hardly any
_NOISE_LEVELS = 2.5  # recompressing alone moves a picture by as much

Grays = NDArray[np.uint8]
Floats = NDArray[np.float32]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rule:
    """How closely two pictures must agree: `detail` is the correlation of structures finer than a few pixels,
    `difference` the largest local difference (RMS of about 5 pixels around) relative to the picture's contrast."""

    detail: float
    difference: float


PHOTOGRAPH = Rule(detail=0.85, difference=1.0)
LITTLE_DETAIL = Rule(detail=0.96, difference=0.32)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's gray pixels, at most 64 a side, and whether it has so little detail that others resemble it by
    nature."""

    gray: Grays
    plain: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of N pairs: see `Rule`. Mere noise counts as no difference; `smooth` pairs have little
    detail."""

    detail: Floats
    difference: Floats
    smooth: Truths


def picture(data: bytes) -> Picture:
    """Return the picture of an image file, upright. Raises ImageRefused."""
    return picture_of(images.decode(data, channels=1)[..., 0])


def picture_of(gray: Grays) -> Picture:
    """Return the picture of (height, width) gray pixels."""
    height, width = gray.shape
    shrunk = _resized(gray, min(width, SIDE), min(height, SIDE))
    ground = np.abs(shrunk.astype(np.int16) - np.int16(np.median(shrunk))) <= _PLAIN_LEVELS
    return Picture(shrunk, min(height, width) < SIDE or float(ground.mean()) >= _PLAIN_SHARE)


def same(left: Sequence[Picture], right: Sequence[Picture]) -> Truths:
    """Return, for N pairs, whether each shows the same picture."""
    found = np.zeros(len(left), bool)
    for at in range(0, len(left), AT_ONCE):
        pairs = list(zip(left[at : at + AT_ONCE], right[at : at + AT_ONCE], strict=True))
        sides = [_brought_together(one.gray, other.gray) for one, other in pairs]
        seen = measured(*(np.stack(side).astype(np.float32) for side in zip(*sides, strict=True)))
        strict = seen.smooth | np.array([one.plain or other.plain for one, other in pairs])
        detail = np.where(strict, LITTLE_DETAIL.detail, PHOTOGRAPH.detail)
        difference = np.where(strict, LITTLE_DETAIL.difference, PHOTOGRAPH.difference)
        found[at : at + AT_ONCE] = (seen.detail >= detail) & (seen.difference <= difference)
    return found


def measured(left: Floats, right: Floats) -> Measured:
    """Measure how closely N pairs of (N, 64, 64) agree."""
    moves = _moves(_blurred_small(left), _blurred_small(right))
    # Half the way each, so that both are smoothed alike.
    halves = moves * np.float32(0.5)
    one, other = _moved(left, halves), _moved(right, -halves)
    fine = _centred(_inner(_fine(one))), _centred(_inner(_fine(other)))
    one, other = _centred(_inner(one)), _centred(_inner(other))
    contrast, against = (np.maximum(_rms(side), np.float32(1)) for side in (one, other))
    light = np.asarray(contrast / against, np.float32)[:, None, None]
    local = np.stack([cv2.GaussianBlur(square, (0, 0), _SPREAD_SIGMA) for square in (one - light * other) ** 2])
    lengths = _rms(fine[0]) * _rms(fine[1])
    detail = (fine[0] * fine[1]).mean(axis=(1, 2)) / np.maximum(lengths, np.float32(1e-6))
    unlike: Floats = fine[0] - light * fine[1]
    noise = _rms(unlike) <= _NOISE_LEVELS
    largest = np.maximum(np.sqrt(local.max(axis=(1, 2))) - _NOISE_LEVELS, 0)
    return Measured(
        np.where(noise, np.float32(1), detail),
        largest / contrast,
        np.minimum(_rms(fine[0]), _rms(fine[1])) < _SMOOTH_LEVELS,
    )


def _brought_together(one: Grays, other: Grays) -> tuple[Grays, Grays]:
    """Return both at 64 x 64, and no sharper than the smaller of them: one may be a shrunk copy."""
    height, width = np.minimum(one.shape, other.shape).tolist()
    first, second = (_resized(_resized(gray, width, height), SIDE, SIDE) for gray in (one, other))
    return first, second


def _resized(gray: Grays, width: int, height: int) -> Grays:
    """Resize: area averaging when shrinking, bilinear when growing, so that copies of any size give the same
    picture."""
    if gray.shape == (height, width):
        return gray
    smaller = gray.shape[0] >= height and gray.shape[1] >= width
    how = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(gray, (width, height), interpolation=how), np.uint8)


def _moves(left: Floats, right: Floats) -> Floats:
    """Return (N, 4): the shift and stretch, along x and along y, that lay `left` over `right`; found by Gauss-Newton
    steps on a fit of light, shift and stretch at once."""
    places = (np.arange(_ALIGN_SIDE, dtype=np.float32) - (_ALIGN_SIDE - 1) / 2) / _ALIGN_SIDE
    moves = np.zeros((len(left), 4), np.float32)
    wanted = right.reshape(len(right), -1, 1)
    for _ in range(_STEPS):
        here = _moved(left, moves)
        across, down = np.gradient(here, axis=2) * _ALIGN_SIDE, np.gradient(here, axis=1) * _ALIGN_SIDE
        terms = [here, np.ones_like(here), across, across * places, down, down * places[:, None]]
        design = np.stack(terms, axis=1).reshape(len(left), len(terms), -1)
        normal = design @ design.transpose(0, 2, 1)
        ridge = np.einsum("nii->ni", normal) * np.float32(1e-4) + np.float32(1e-3)
        normal += ridge[:, :, None] * np.eye(len(terms), dtype=np.float32)
        fitted = np.linalg.solve(normal, design @ wanted)[..., 0]
        light = np.where(np.abs(fitted[:, :1]) < 0.1, np.float32(1), fitted[:, :1])
        moves = np.clip(moves + fitted[:, 2:] / light, -_WINDOW, _WINDOW).astype(np.float32)
    return moves


def _moved(pictures: Floats, moves: Floats) -> Floats:
    """Shift and stretch each picture by its row of `moves`, as fractions of the side."""
    side = pictures.shape[1]
    moved = np.empty_like(pictures)
    for row, (x, wide, y, high) in enumerate(moves.tolist()):
        middle = (side - 1) / 2
        matrix = np.array([[1 + wide, 0, x * side - wide * middle], [0, 1 + high, y * side - high * middle]])
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cv2.warpAffine(pictures[row], matrix, (side, side), moved[row], how, cv2.BORDER_REPLICATE)
    return moved


def _blurred_small(pictures: Floats) -> Floats:
    halves = pictures.reshape(len(pictures), _ALIGN_SIDE, 2, _ALIGN_SIDE, 2).mean(axis=(2, 4))
    return np.stack([cv2.GaussianBlur(one, (0, 0), 0.6) for one in halves])


def _fine(pictures: Floats) -> Floats:
    return np.stack([one - cv2.GaussianBlur(one, (0, 0), _FINE_SIGMA) for one in pictures])


def _inner(pictures: Floats) -> Floats:
    return pictures[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]


def _centred(pictures: Floats) -> Floats:
    centred: Floats = pictures - pictures.mean(axis=(1, 2), keepdims=True)
    return centred


def _rms(pictures: Floats) -> Floats:
    root: Floats = np.sqrt((pictures**2).mean(axis=(1, 2)))
    return root
