"""One image of the dataset: a part of a photograph with signs and distractors in it."""

from dataclasses import dataclass

import cv2
import numpy as np

from demo.signs.light import Image, photographed
from demo.signs.placing import Corners, Placed, cover, overlaps, paste, place
from demo.signs.sources import Photograph, SplitSources
from demo.signs.sprites import Pixels, Sprite, plain_shape

SMALLEST_SIDE = 8  # pixels: a sign smaller than this on either side is a region to ignore
MOST_HIDDEN = 0.6  # so is a sign of which more than this share is covered or outside the image
WITHOUT_SIGNS = 0.1
COVERED = 0.25
COUNTS = (0.36, 0.26, 0.18, 0.12, 0.08)  # probabilities of 1 to 5 signs, in an image that has any
RATIOS = (4 / 3, 3 / 4, 16 / 9, 9 / 16, 3 / 2, 2 / 3, 1.0)
TRIES = 12  # attempts to find a free place


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign in an image: x1, y1, x2, y2 in pixels, and the share of it that can't be seen."""

    kind: str
    name: str
    box: Corners
    hidden: float

    @property
    def ignored(self) -> bool:
        """Whether the sign is too small or too hidden to be labelled, and is a region to ignore."""
        x1, y1, x2, y2 = self.box
        return min(x2 - x1, y2 - y1) < SMALLEST_SIDE or self.hidden > MOST_HIDDEN


@dataclass(frozen=True, slots=True)
class Annotations:
    """The signs in an image of `size` (width, height), and the name of its background photograph."""

    size: tuple[int, int]
    signs: list[Sign]
    photograph: str


@dataclass(frozen=True, slots=True)
class Scene:
    """An image, BGR uint8, with its annotations."""

    pixels: Pixels
    annotations: Annotations


def render(sources: SplitSources, classes: tuple[str, ...], rng: np.random.Generator) -> Scene:
    """Render a new image; all randomness comes from `rng`."""
    photograph = sources.photographs[rng.integers(len(sources.photographs))]
    image = background(photograph, rng)
    placed = _put(image, _chosen(sources, classes, rng), rng)
    covered = _covered(image, photograph, [one for one in placed if one.sprite.kind], rng)
    signs = [
        Sign(one.sprite.kind, one.sprite.name, one.box, _hidden(one, covered)) for one in placed if one.sprite.kind
    ]
    size = (image.shape[1], image.shape[0])
    return Scene(photographed(image, rng), Annotations(size, signs, photograph.name))


def background(photograph: Photograph, rng: np.random.Generator) -> Image:
    """Cut a random part of a photograph, mirrored or not, with a longer side of 320 to 640 pixels."""
    ratio = RATIOS[rng.integers(len(RATIOS))]
    longest = int(rng.integers(320, 641))
    width, height = (longest, round(longest / ratio)) if ratio >= 1 else (round(longest * ratio), longest)
    rows, columns = photograph.pixels.shape[:2]
    zoom = min(columns / width, rows / height) * rng.uniform(0.6, 1.0)
    wide, high = min(columns, round(width * zoom)), min(rows, round(height * zoom))
    left, top = int(rng.integers(columns - wide + 1)), int(rng.integers(rows - high + 1))
    part = photograph.pixels[top : top + high, left : left + wide]
    part = part[:, ::-1] if rng.random() < 0.5 else part
    method = cv2.INTER_AREA if zoom > 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (width, height), interpolation=method), np.float32)


def _chosen(sources: SplitSources, classes: tuple[str, ...], rng: np.random.Generator) -> list[Sprite]:
    """Choose signs, each class equally likely, then distractors."""
    count = 0 if rng.random() < WITHOUT_SIGNS else 1 + int(rng.choice(len(COUNTS), p=COUNTS))
    chosen = []
    for _ in range(count):
        kind = classes[rng.integers(len(classes))]
        fitting = [sign for sign in sources.signs if sign.kind == kind]
        chosen.append(fitting[rng.integers(len(fitting))])
    for _ in range(min(3, int(rng.poisson(1.0)))):
        others = sources.distractors
        plain = not others or rng.random() < 0.6
        chosen.append(plain_shape(rng) if plain else others[rng.integers(len(others))])
    return chosen


def _put(image: Image, sprites: list[Sprite], rng: np.random.Generator) -> list[Placed]:
    """Draw sprites without overlap; one that finds no free place is left out."""
    height, width = image.shape[:2]
    longest = max(width, height)
    placed: list[Placed] = []
    for sprite in sprites:
        side = np.exp(rng.triangular(*np.log((6, 0.1 * longest, 0.45 * min(width, height)))))
        gain, fade = rng.uniform(0.55, 1.05), rng.uniform(0.0, 0.3)
        for _ in range(TRIES):
            centre = (rng.uniform(0.02, 0.98) * width, rng.uniform(0.02, 0.98) * height)
            one = place(sprite, side=side, centre=centre, size=(width, height), rng=rng)
            if one and not overlaps(one.box, [other.box for other in placed]):
                paste(image, one, gain=gain, fade=fade)
                placed.append(one)
                break
    return placed


def _covered(image: Image, photograph: Photograph, placed: list[Placed], rng: np.random.Generator) -> Pixels:
    """Cover some of the signs with parts of the same photograph; return the mask of the covered pixels."""
    size = (image.shape[1], image.shape[0])
    covered = np.zeros(image.shape[:2], np.uint8)
    for one in placed:
        if rng.random() < COVERED:
            mask = cover(one.box, size=size, rng=rng)
            other = background(photograph, rng)
            image[mask > 0] = cv2.resize(other, size)[mask > 0]
            covered |= mask
    return covered


def _hidden(placed: Placed, covered: Pixels) -> float:
    """Return the share of a sign that is covered or cut away by the image's edge."""
    seen = placed.mask
    behind = np.count_nonzero(seen & (covered[placed.region] > 0)) / np.count_nonzero(seen)
    return round(1 - (1 - placed.cut) * (1 - behind), 3)
