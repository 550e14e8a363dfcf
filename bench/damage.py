"""`python -m bench.damage`: damaged copies of sound images, and whether one is let in that a later decoder refuses.

Bytes are flipped, ends cut off, middles cut out, pieces swapped or doubled, in PNG, JPEG and WebP files of many kinds.
What is let in is decoded by everything that decodes stored images, and all must show the same picture.
"""

import argparse
import io
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blobs import decoding as pixels
from blobs import images
from blobs.errors import ImageRefused

COUNT = 10_000
APART = 12.0
"""Decoders round colours differently; pictures that differ by more than this on average are different pictures."""
KINDS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("PNG", "L", {}),
    ("PNG", "RGB", {}),
    ("PNG", "RGBA", {"compress_level": 0}),
    ("PNG", "P", {}),
    ("PNG", "1", {}),
    ("PNG", "I;16", {}),
    ("JPEG", "L", {"quality": 80}),
    ("JPEG", "RGB", {"quality": 90}),
    ("JPEG", "RGB", {"progressive": True}),
    ("JPEG", "RGB", {"restart_marker_blocks": 3, "subsampling": 0}),
    ("JPEG", "RGB", {"exif": 6}),
    ("JPEG", "CMYK", {}),
    ("WEBP", "RGB", {"quality": 80}),
    ("WEBP", "RGB", {"lossless": True}),
    ("WEBP", "RGBA", {"quality": 70}),
    ("WEBP", "RGB", {"exif": 6}),
)


@dataclass(slots=True)
class Sweep:
    """How many copies were made, and what became of those that differ from their original."""

    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def picture(side: int, dice: np.random.Generator) -> Image.Image:
    """Something like a photograph: slopes, edges and noise."""
    y, x = np.mgrid[0:side, 0 : side + side // 3]
    waves = [128 + 90 * np.sin(x / 9 + turn) * np.cos(y / 13 - turn) for turn in range(3)]
    noisy = np.stack(waves, -1) + dice.normal(0, 6, (*x.shape, 3))
    noisy[side // 4 : side // 2, side // 3 : side // 2] = (200, 40, 60)
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


def originals(dice: np.random.Generator) -> list[tuple[str, bytes]]:
    """(kind, bytes) of one sound image of each kind."""
    found = []
    for kind, mode, options in KINDS:
        image = picture(72, dice)
        if mode == "I;16":
            image = Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)
        else:
            image = image.convert(mode)
        if "exif" in options:
            exif = Image.Exif()
            exif[0x0112] = options["exif"]
            options = {"exif": exif}
        out = io.BytesIO()
        image.save(out, kind, **options)
        found.append((kind, out.getvalue()))
    return found


def damaged(data: bytes, dice: random.Random) -> bytes:
    """A copy with one thing wrong with it."""
    how = dice.randrange(6)
    one, two = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    if how <= 1:
        copy = bytearray(data)
        copy[one] ^= dice.randrange(1, 256)
        return bytes(copy)
    if how == 2:
        return data[:one]
    if how == 3:
        return data[:one] + data[two:]
    if how == 4:
        return data[:one] + bytes(two - one) + data[two:]
    return data[:two] + data[one:]


def decoders(data: bytes) -> Iterator[tuple[str, Callable[[], NDArray[np.uint8]]]]:
    """All that decode stored images, by name; each gives an upright picture in colour."""
    yield "Pillow", lambda: images.decode_rgb(data)
    yield "training", lambda: pixels.decode(data, 3)
    yield "training in gray", lambda: np.repeat(pixels.decode(data, 1), 3, axis=2)
    yield "training at an eighth", lambda: _enlarged(data)
    yield "thumbnail", lambda: np.asarray(Image.open(io.BytesIO(images.thumbnail(data))).convert("RGB"))


def _enlarged(data: bytes) -> NDArray[np.uint8]:
    height, width = pixels.decode(data, 3).shape[:2]
    return pixels.fit(pixels.decode(data, 3, at_least=(9, 9)), (height, width))


def disagreement(data: bytes) -> str | None:
    """Which decoder refuses an image that was let in, or shows another picture than Pillow; None where all agree."""
    facts = images.probe(data)
    first: NDArray[np.uint8] | None = None  # what Pillow sees
    for name, decode in decoders(data):
        try:
            found = decode()
        except Exception as error:  # noqa: BLE001 - whatever a decoder raises is what is looked for
            return f"{name} refuses it: {error}"
        if name == "thumbnail":
            continue
        if found.shape[:2] != (facts.height, facts.width):
            return f"{name} sees {found.shape[1]} x {found.shape[0]}, not {facts.width} x {facts.height}"
        if name in {"Pillow", "training"}:
            first = found if first is None else first
            if np.abs(first.astype(int) - found).mean() > APART:
                return f"{name} shows another picture than Pillow"
    return None


def sweep(count: int, seed: int) -> Sweep:
    """Damage `count` images and look at each."""
    dice, done = random.Random(seed), Sweep()
    sound = originals(np.random.default_rng(seed))
    while done.made < count:
        kind, original = sound[done.made % len(sound)]
        copy = damaged(original, dice)
        if copy == original:
            continue
        done.made += 1
        try:
            images.probe(copy)
        except ImageRefused as error:
            done.refused[f"{kind} {error.code}"] += 1
            continue
        done.taken[kind] += 1
        if reason := disagreement(copy):
            done.wrong.append(f"{kind} number {done.made}: {reason}")
    return done


def main() -> int:
    """Print what became of them; 1 where one was let in that should not have been."""
    parser = argparse.ArgumentParser(prog="python -m bench.damage", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    started = time.perf_counter()
    done = sweep(asked.count, asked.seed)
    print(f"{done.made} damaged images in {time.perf_counter() - started:.0f} s")
    for name, count in sorted(done.refused.items()):
        print(f"  refused  {name:<32} {count:>6}")
    for name, count in sorted(done.taken.items()):
        print(f"  taken    {name:<32} {count:>6}")
    for reason in done.wrong:
        print(f"  WRONG    {reason}")
    print(f"let in and refused later, or shown differently: {len(done.wrong)}")
    return 1 if done.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
