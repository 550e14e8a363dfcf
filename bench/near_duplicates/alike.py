"""False and missed exclusions of the near-duplicate guard on sets that are alike by nature, before and after it judges
likeness by how rare it is in the set: `python -m bench.near_duplicates.alike`.

For each kind of set (`bench.alike_sets`): test images, fresh ones that are no copies, and copies of test images that
were re-compressed, shrunk, or shrunk and cropped.
"""

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.alike_sets import KINDS, made
from blobs.images import probe
from blobs.likeness import MAX_DISTANCE, Gray, Hashes, closeness, hashes, likenesses, sketches
from blobs.rarity import BACKGROUND, Background, copy_bounds, levels
from blobs.second_look import picture, same

LOOKS = 4
TESTS, FRESH, COPIES = 100, 540, 60


def likened(files: list[bytes]) -> tuple[Hashes, Gray]:
    """Return the hashes and sketches of image files."""
    found = [one for one in likenesses([probe(file).gray for file in files]) if one is not None]
    return hashes([one.phash for one in found]), sketches([one.sketch for one in found])


def held_out(tests: list[bytes], others: list[bytes], *, rare: bool) -> NDArray[np.bool_]:
    """Return which of `others` the guard keeps out of train; `rare`: judged by how rare the likeness is."""
    (their, shapes), (own, shown) = likened(tests), likened(others)
    everything = np.concatenate([their, own]), np.concatenate([shapes, shown])
    drawn = np.random.default_rng(1).permutation(len(everything[0]))[:BACKGROUND]
    background = Background(everything[0][drawn], everything[1][drawn])
    bounds = copy_bounds(their, shapes, background, compared=len(their))
    bounds = bounds if rare else np.full(len(their), np.inf, np.float32)
    pictures = [picture(file) for file in tests]
    found = np.zeros(len(others), bool)
    for row, file in enumerate(others):
        close = closeness(np.repeat(shown[row][None], len(their), 0), shapes)
        near = (np.bitwise_count(own[row] ^ their) <= MAX_DISTANCE) & (close > 0)
        near &= levels(np.repeat(shown[row][None], len(their), 0), shapes) <= bounds
        best = np.flatnonzero(near)[np.argsort(-close[near])][:LOOKS]
        if len(best):
            found[row] = same([picture(file)] * len(best), [pictures[at] for at in best]).any()
    return found


def recompressed(files: list[bytes], rng: np.random.Generator) -> list[bytes]:
    """Return the pictures saved again as JPEGs of another quality, of the same size."""
    again = []
    for file in files:
        image = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        quality = int(rng.integers(60, 96))
        again.append(bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]))
    return again


def main() -> None:
    """Print one row for each kind of set and rule."""
    print(f"{'set':16} {'rule':8} {'false':>8} {'missed: re-compressed':>24} {'shrunk':>8} {'cropped':>8}")
    for kind in KINDS:
        one = made(kind, tests=TESTS, others=FRESH + COPIES, copies=COPIES, seed=1)
        again = recompressed(one.tests, np.random.default_rng(2))
        for rule, rare in (("before", False), ("after", True)):
            out = held_out(one.tests, [*one.others, *again], rare=rare)
            ends = [0, FRESH, FRESH + COPIES, FRESH + COPIES + TESTS]
            fresh, copies, resaved = (out[start:end] for start, end in pairwise(ends))
            cropped = one.cropped[FRESH:]
            missed = (1 - part.mean() for part in (resaved, copies[~cropped], copies[cropped]))
            again_, shrunk, crop = missed
            print(f"{kind:16} {rule:8} {fresh.mean():8.1%} {again_:24.1%} {shrunk:8.1%} {crop:8.1%}")


if __name__ == "__main__":
    main()
