"""Masks, given as run lengths, converted to what a label holds: an outline for each piece if none has holes, else a
box.

Outlines run along the edges of pixels, so they enclose exactly the mask's pixels. Memory does not depend on the image
size that a document claims: only the columns that the mask covers are decoded, up to a limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from formats.errors import FormatError
from formats.notes import Notes
from formats.polygons import MAX_POINTS
from formats.samples import Size

MAX_RUNS = 2_000_000
MAX_PIXELS = 16 << 20
PARENT = 3  # column of OpenCV's tree of contours

Runs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a mask: the box around its pixels, and the outline of each of its pieces; no outlines if a piece has
    holes or there are too many points."""

    box: tuple[float, float, float, float]
    outlines: list[list[list[float]]]

    def note(self, notes: Notes, where: str) -> None:
        """Note what is read of the mask."""
        if self.outlines:
            several = ", of several parts" if len(self.outlines) > 1 else ""
            notes.add(f"masks were kept as their outlines{several}", where)
        else:
            why = "they have holes, or are too large or too jagged"
            notes.leave_out("shape_left_out", f"masks were kept as the boxes around them: {why}", where)


def coco_runs(counts: object, where: str) -> Runs:
    """Read COCO's `counts`: a list of run lengths, or the string into which its tools pack one. Raises FormatError."""
    if isinstance(counts, str):
        return _unpacked(counts, where)
    if not isinstance(counts, list) or len(counts) > MAX_RUNS or not all(type(run) is int for run in counts):
        raise FormatError(f"{where}: must be a list of run lengths, or the string of them")
    try:
        return np.array(counts, np.int64)
    except OverflowError:
        raise FormatError(f"{where}: a run is longer than any image") from None


def _unpacked(text: str, where: str) -> Runs:
    """Unpack a string of run lengths: five bits a character, the sixth bit says that more follow; after the third run,
    the difference from the run before the last."""
    runs: list[int] = []
    value = shift = 0
    for char in text[: 8 * MAX_RUNS]:
        code = ord(char) - 48
        if not 0 <= code < 64 or shift > 60:
            raise FormatError(f"{where}: not a string of run lengths")
        value |= (code & 0x1F) << shift
        shift += 5
        if code & 0x20:
            continue
        if code & 0x10:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
        if len(runs) > MAX_RUNS or abs(runs[-1]) > 1 << 40:
            raise FormatError(f"{where}: a mask of more than {MAX_RUNS} runs, or of one longer than any image")
    return np.array(runs, np.int64)


def shape_of(runs: Runs, size: Size, *, by_columns: bool = True, limit: int = MAX_PIXELS) -> Shape | None:
    """Return the shape of a mask, given by its runs, outside first and then alternating, down the columns of an image
    or along its rows.

    None for an empty mask; no outlines if more than `limit` pixels would have to be decoded. Raises FormatError if the
    runs don't fit the image's size.
    """
    width, height = size if by_columns else (size[1], size[0])  # as if by columns
    if (runs < 0).any() or int(runs.sum()) != width * height:
        raise FormatError(f"the mask has not the {size[0]}×{size[1]} pixels of its image")
    ends = np.cumsum(runs)
    starts, ends = (ends - runs)[1::2], ends[1::2]
    starts, ends = starts[ends > starts], ends[ends > starts]
    if not len(starts):
        return None
    first, last = starts // height, (ends - 1) // height
    x1, x2 = int(first.min()), int(last.max()) + 1
    spans = last > first  # a run across the end of a column touches the upper and lower edge
    y1 = 0 if spans.any() else int((starts % height).min())
    y2 = height if spans.any() else int(((ends - 1) % height).max()) + 1
    outlines = list[list[list[float]]]()
    if (x2 - x1) * height <= limit:
        columns = np.zeros((x2 - x1) * height, np.uint8)
        for start, end in zip(starts - x1 * height, ends - x1 * height, strict=True):
            columns[start:end] = 1
        outlines = outlines_of(columns.reshape(x2 - x1, height)[:, y1:y2].T)
    rings = [[[x + x1, y + y1] for x, y in ring] for ring in outlines]
    if by_columns:
        return Shape((x1, y1, x2, y2), rings)
    return Shape((y1, x1, y2, x2), [[[y, x] for x, y in ring] for ring in rings])


def outlines_of(mask: NDArray[np.uint8]) -> list[list[list[float]]]:
    """Return a ring along the edges of the pixels of each piece of a mask, from left to right; empty if the mask has
    holes or too many corners. Pixels that touch at a corner are of one piece."""
    doubled = np.ascontiguousarray(mask).repeat(2, axis=0).repeat(2, axis=1)
    contours, tree = cv2.findContours(doubled, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    if tree is None or (tree[0, :, PARENT] >= 0).any():
        return []
    # Of a pixel's doubled rows 2n and 2n + 1, the contour touches the outer one: halved, these are edges n and n + 1.
    rings = [_corners(((contour[:, 0, :] + 1) // 2).tolist()) for contour in contours]
    if sum(map(len, rings)) > MAX_POINTS:
        return []
    return sorted([[float(x), float(y)] for x, y in ring] for ring in rings)


def _corners(points: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return the points at which a ring turns."""
    ring = [point for before, point in pairwise([points[-1], *points]) if point != before]
    kept: list[Sequence[int]] = []
    for index, (x, y) in enumerate(ring):
        (x0, y0), (x1, y1) = ring[index - 1], ring[(index + 1) % len(ring)]
        if (x - x0) * (y1 - y) != (x1 - x) * (y - y0):
            kept.append([x, y])
    return kept
