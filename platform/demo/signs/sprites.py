"""Signs as pictures with an alpha channel, at several sizes."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
SIDE = 192  # pixels of the largest level's longer side
SMALLEST = 12


@dataclass(frozen=True, slots=True)
class Sprite:
    """A sign, or without a `kind` a distractor.

    `levels` are BGRA with colours multiplied by alpha, each half as long as the last, with a clear border of one pixel.
    """

    name: str
    kind: str | None
    levels: tuple[Pixels, ...]

    def level_for(self, side: float) -> Pixels:
        """Return the smallest level that is at least `side` pixels long: drawing from it avoids aliasing and blur."""
        return next((level for level in reversed(self.levels) if max(level.shape[:2]) >= side), self.levels[0])


def rasterised(name: str, kind: str | None, svg: str) -> Sprite:
    """Rasterise an SVG into a sprite, cropped to its visible part."""
    import resvg_py  # the set is made once; the demo's other parts do without it

    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=2 * SIDE, skip_system_fonts=True))
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    return sprite(name, kind, np.asarray(picture, np.uint8))


def sprite(name: str, kind: str | None, picture: Pixels) -> Sprite:
    """Make a sprite from a BGRA picture whose colours are not multiplied by alpha."""
    rows, columns = np.nonzero(picture[..., 3] > 127)
    cut = picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].astype(np.float32)
    cut[..., :3] *= cut[..., 3:] / 255
    levels, side = [], SIDE
    while side >= SMALLEST:
        scale = side / max(cut.shape[:2])
        size = max(1, round(cut.shape[1] * scale)), max(1, round(cut.shape[0] * scale))
        level = cv2.resize(cut, size, interpolation=cv2.INTER_AREA)
        levels.append(np.pad(np.rint(level).astype(np.uint8), ((1, 1), (1, 1), (0, 0))))
        side //= 2
    return Sprite(name, kind, tuple(levels))


# Outlines in a square of side 1.
_OUTLINES = {
    "triangle": [(0.5, 0.0), (1.0, 0.87), (0.0, 0.87)],
    "pointing-down": [(0.0, 0.0), (1.0, 0.0), (0.5, 0.87)],
    "square": [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
    "diamond": [(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)],
    "octagon": [(0.3, 0.0), (0.7, 0.0), (1.0, 0.3), (1.0, 0.7), (0.7, 1.0), (0.3, 1.0), (0.0, 0.7), (0.0, 0.3)],
}
_SHAPES = (*_OUTLINES, "circle", "circle", "circle")
# BGR. A red ring around white and a white sign on blue would be signs: rims and faces below never make those.
_FACES = ((170, 80, 20), (40, 30, 190), (60, 120, 40), (30, 190, 230), (40, 110, 230), (110, 60, 110), (90, 90, 90))
_RIMS = ((170, 80, 20), (60, 120, 40), (40, 40, 40), (110, 60, 110), (30, 190, 230))


def plain_shape(rng: np.random.Generator) -> Sprite:
    """Make a distractor: a plain coloured shape like a sign's, which a detector must learn to ignore."""
    shape = _SHAPES[rng.integers(len(_SHAPES))]
    face = np.array([*_FACES[rng.integers(len(_FACES))], 255], np.float64)
    rim = np.array([*_RIMS[rng.integers(len(_RIMS))], 255], np.float64)
    picture = np.zeros((SIDE, SIDE, 4), np.uint8)
    ringed = rng.random() < 0.4
    _draw(picture, shape, 1.0, rim if ringed else face)
    if ringed:
        white = np.array([240, 240, 240, 255], np.float64)
        _draw(picture, shape, 0.72, white if rng.random() < 0.5 else face)
    return sprite(f"plain-{shape}", None, picture)


def _draw(picture: Pixels, shape: str, scale: float, colour: NDArray[np.float64]) -> None:
    middle = SIDE / 2
    if shape == "circle":
        cv2.circle(picture, (SIDE // 2, SIDE // 2), round((middle - 1) * scale), colour.tolist(), -1, cv2.LINE_AA)
        return
    points = np.array(_OUTLINES[shape], np.float64) * SIDE
    centre = points.mean(axis=0)
    corners = np.rint(centre + (points - centre) * scale).astype(np.int32)
    cv2.fillPoly(picture, [corners], colour.tolist(), cv2.LINE_AA)
