"""Place one sprite in an image: its perspective, its exact box, and the part that is cut away."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from demo.signs.sprites import Pixels, Sprite

Corners = tuple[int, int, int, int]
SEEN = 128  # a pixel belongs to a sign from this alpha on


@dataclass(frozen=True, slots=True)
class Placed:
    """A sprite at its place in an image. `patch` (BGRA, colours multiplied by alpha) begins at `left`, `top`, inside
    the image.

    `box` is x1, y1, x2, y2 around the pixels of its alpha mask that are in the image; `cut` the share of the mask that
    the image's edge cuts away.
    """

    sprite: Sprite
    patch: Pixels
    left: int
    top: int
    box: Corners
    cut: float

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The mask of the patch's pixels that belong to the sign."""
        return self.patch[..., 3] >= SEEN

    @property
    def region(self) -> tuple[slice, slice]:
        """Rows and columns of the patch in the image."""
        height, width = self.patch.shape[:2]
        return slice(self.top, self.top + height), slice(self.left, self.left + width)


def place(
    sprite: Sprite, *, side: float, centre: tuple[float, float], size: tuple[int, int], rng: np.random.Generator
) -> Placed | None:
    """Place a sprite, about `side` pixels long, around `centre` in an image of `size` (width, height).

    Returns None if no pixel of it is in the image.
    """
    level = sprite.level_for(side)
    quad = _quad(level, side, rng)
    quad += np.array(centre, np.float32) - quad.mean(axis=0)
    low, high = np.floor(quad.min(axis=0)).astype(int) - 1, np.ceil(quad.max(axis=0)).astype(int) + 1
    height, width = level.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    bend = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
    extent = (int(high[0] - low[0]), int(high[1] - low[1]))
    patch = np.asarray(cv2.warpPerspective(level, bend, extent, flags=cv2.INTER_LINEAR), np.uint8)
    return _within(sprite, patch, (int(low[0]), int(low[1])), size)


def _quad(level: Pixels, side: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the projected corners of a level: turned about three axes, seen from a distance of a few of its
    lengths."""
    height, width = level.shape[:2]
    flat = np.array([[-width, -height, 0], [width, -height, 0], [width, height, 0], [-width, height, 0]], np.float64)
    flat *= side / 2 / max(width, height)
    yaw, pitch, roll = np.radians(rng.normal(0.0, (22.0, 10.0, 5.0))).clip(-1.0, 1.0)
    turned = flat @ _turn(1, yaw).T @ _turn(0, pitch).T @ _turn(2, roll).T
    distance = side * rng.uniform(2.0, 6.0)
    return (turned[:, :2] * (distance / (distance + turned[:, 2:]))).astype(np.float32)


def _turn(axis: int, angle: float) -> NDArray[np.float64]:
    turn = np.eye(3)
    first, second = [other for other in range(3) if other != axis]
    turn[first, first] = turn[second, second] = np.cos(angle)
    turn[first, second], turn[second, first] = -np.sin(angle), np.sin(angle)
    return turn


def _within(sprite: Sprite, patch: Pixels, corner: tuple[int, int], size: tuple[int, int]) -> Placed | None:
    """Crop a patch at `corner` to the image; None if no pixel of the sign is left."""
    (left, top), (width, height) = corner, size
    whole = int(np.count_nonzero(patch[..., 3] >= SEEN))
    x1, y1 = max(0, -left), max(0, -top)
    patch = patch[y1 : max(y1, height - top), x1 : max(x1, width - left)]
    left, top = left + x1, top + y1
    rows, columns = np.nonzero(patch[..., 3] >= SEEN)
    if not len(rows):
        return None
    box = (
        left + int(columns.min()), top + int(rows.min()), left + int(columns.max()) + 1, top + int(rows.max()) + 1
    )  # fmt: skip
    return Placed(sprite, patch, left, top, box, 1.0 - len(rows) / whole)


def paste(image: NDArray[np.float32], placed: Placed, *, gain: float, fade: float) -> None:
    """Draw a placed sprite into a BGR image of 0 to 255: `gain` scales its brightness, `fade` is the share of its
    surroundings' mean colour."""
    view = image[placed.region]
    alpha = placed.patch[..., 3:].astype(np.float32) / 255
    scene = view.mean(axis=(0, 1))
    colours = placed.patch[..., :3].astype(np.float32) * gain
    view *= 1 - alpha
    view += colours * (1 - fade) + alpha * scene * fade


def overlaps(box: Corners, others: Sequence[Corners], gap: int = 2) -> bool:
    """Whether a box comes within `gap` pixels of one of the others."""
    x1, y1, x2, y2 = box
    return any(
        x1 - gap < right and left < x2 + gap and y1 - gap < bottom and top < y2 + gap
        for left, top, right, bottom in others
    )


def cover(box: Corners, *, size: tuple[int, int], rng: np.random.Generator) -> Pixels:
    """Return a mask (0 or 1, of the image's size) of a ragged shape that covers part of a box."""
    x1, y1, x2, y2 = box
    side = float(max(x2 - x1, y2 - y1))
    middle = np.array([(x1 + x2) / 2, (y1 + y2) / 2])
    direction = rng.uniform(0, 2 * np.pi)
    radius = side * rng.uniform(0.4, 0.9)
    # From the far edge of the box inward: a small reach hides a rim, a large one most of the sign.
    away = side / 2 + radius - side * rng.uniform(0.1, 0.95)
    centre = middle + away * np.array([np.cos(direction), np.sin(direction)])
    angles = np.sort(rng.uniform(0, 2 * np.pi, 14))
    spokes = radius * rng.uniform(0.75, 1.1, 14)
    ring = centre + spokes[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.rint(ring).astype(np.int32)], 1)
    return mask
