"""`python -m bench.near_duplicates FOLDER..`: near-duplicates before (candidates by hash) and after (a second look).

A folder with `train-images*` and `t10k-images*` idx files (Fashion-MNIST, MNIST; gzipped or not) is compared half with
half: how many of its first half would be held out of train. A folder of photographs, and a sample of those files, get
planted copies: how many of each kind are found, and how many different pictures are taken for each other.
"""

import gzip
import io
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance

from blobs import pixels
from blobs.likeness import Likeness, closeness, hashes, likenesses, near, sketches
from blobs.second_look import picture_of, same

SAMPLED, SEED = 300, 0
LOOKS = 4
Pictures = Sequence[Image.Image]
Pairs = dict[int, list[tuple[float, int]]]


def encoded(kind: str, quality: int) -> Callable[[Image.Image], Image.Image]:
    """The picture as it comes back from a lossy file."""

    def change(image: Image.Image) -> Image.Image:
        out = io.BytesIO()
        image.save(out, kind, quality=quality)
        return Image.open(io.BytesIO(out.getvalue()))

    return change


def scaled(factor: float) -> Callable[[Image.Image], Image.Image]:
    """The picture in another size."""
    return lambda image: image.resize((round(image.width * factor), round(image.height * factor)))


def cropped(share: float) -> Callable[[Image.Image], Image.Image]:
    """The picture without a share of each side, a pixel at least."""

    def change(image: Image.Image) -> Image.Image:
        x, y = max(1, round(image.width * share)), max(1, round(image.height * share))
        return image.crop((x, y, image.width - x, image.height - y))

    return change


COPIES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "jpeg 90": encoded("JPEG", 90), "jpeg 75": encoded("JPEG", 75), "jpeg 50": encoded("JPEG", 50),
    "jpeg 30": encoded("JPEG", 30), "webp 80": encoded("WEBP", 80),
    "half size": scaled(0.5), "3/4 size": scaled(0.75), "double size": scaled(2),
    "brightness 0.7": lambda image: ImageEnhance.Brightness(image).enhance(0.7),
    "brightness 1.3": lambda image: ImageEnhance.Brightness(image).enhance(1.3),
    "crop 1 %": cropped(0.01), "crop 2 %": cropped(0.02),
}  # fmt: skip
OTHERS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "crop 5 % (not counted)": cropped(0.05),
    "mirrored (not counted)": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
}


def candidates(left: Sequence[Likeness | None], right: Sequence[Likeness | None]) -> Pairs:
    """By place in `left`, the candidates as (closeness, place in `right`), the closest first."""
    ours, theirs = ([place for place, one in enumerate(side) if one] for side in (left, right))
    kept = [[one for one in side if one] for side in (left, right)]
    shapes = [sketches([one.sketch for one in side]) for side in kept]
    found: Pairs = {}
    for rows, others, _ in near(*(hashes([one.phash for one in side]) for side in kept)):
        for at in range(0, len(rows), 1 << 14):
            part = slice(at, at + (1 << 14))
            close = closeness(shapes[0][rows[part]], shapes[1][others[part]])
            for place in np.flatnonzero(close).tolist():
                pair = (float(close[place]), theirs[int(others[part][place])])
                found.setdefault(ours[int(rows[part][place])], []).append(pair)
    return {place: sorted(pairs, reverse=True) for place, pairs in found.items()}


def confirmed(left: Pictures, right: Pictures, found: Pairs) -> set[int]:
    """The places of `left` of which a second look confirms one of the closest candidates."""
    pairs = [(place, other) for place, held in found.items() for _, other in held[:LOOKS]]
    seen = {place: picture_of(gray(left[place])) for place in found}
    there = {other: picture_of(gray(right[other])) for _, other in pairs}
    shown = same([seen[place] for place, _ in pairs], [there[other] for _, other in pairs])
    return {place for (place, _), yes in zip(pairs, shown, strict=True) if yes}


def gray(image: Image.Image) -> NDArray[np.uint8]:
    """Its pixels."""
    return np.asarray(image.convert("L"))


def alike(images: Pictures) -> list[Likeness | None]:
    """What the platform keeps of each."""
    return likenesses([pixels.gray(image, 32) for image in images])


def read_idx(path: Path) -> list[Image.Image]:
    """The images of an idx file."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    shape = np.frombuffer(data, ">u4", 3, 4)
    return [Image.fromarray(one) for one in np.frombuffer(data, np.uint8, offset=16).reshape(shape)]


def halves(folder: Path) -> tuple[list[Image.Image], list[Image.Image]]:
    """The images to train on and those to test on."""
    train, test = (read_idx(next(folder.glob(f"{name}-images*"))) for name in ("train", "t10k"))
    return train, test


def show_held_out(train: Pictures, test: Pictures) -> None:
    """How many images of a stock set the rule before and the rule now take out of train."""
    began = time.perf_counter()
    found = candidates(alike(train), alike(test))
    pairs, middle = sum(map(len, found.values())), time.perf_counter()
    kept = confirmed(train, test, found)
    seconds = time.perf_counter() - middle
    print(f"  {len(train)} to train, {len(test)} to test: {pairs} candidate pairs in {middle - began:.1f} s")
    print(f"  held out before {len(found)}, after {len(kept)} (second looks: {seconds:.1f} s)")


def show_planted(images: Pictures) -> None:
    """Recall by kind of copy, and what is found between different pictures."""
    before, places = alike(images), range(len(images))
    totals = {"before": [0, 0], "after": [0, 0]}  # right, wrong
    for name, change in (COPIES | OTHERS).items():
        copies = [change(image) for image in images]
        found = candidates(before, alike(copies))
        own = {place: [pair for pair in held if pair[1] == place] for place, held in found.items()}
        wrong = {place: [pair for pair in held if pair[1] != place] for place, held in found.items()}
        first = {place for place in places if own.get(place)}
        after = confirmed(images, copies, {place: own[place] for place in first})
        print(f"  {name:24} found before {len(first) / len(images):6.1%}, after {len(after) / len(images):6.1%}")
        if name in COPIES:
            false = {place: held for place, held in wrong.items() if held}
            totals["before"] = [totals["before"][0] + len(first), totals["before"][1] + len(false)]
            mistaken = len(confirmed(images, copies, false))
            totals["after"] = [totals["after"][0] + len(after), totals["after"][1] + mistaken]
    for name, (right, mistaken) in totals.items():
        recall = right / (len(images) * len(COPIES))
        print(f"  {name:6} recall {recall:.3f}, precision {right / max(right + mistaken, 1):.3f} ({mistaken} wrong)")


def main(folders: Sequence[str]) -> None:
    """Print the figures of each folder."""
    rng = np.random.default_rng(SEED)
    for name in folders:
        folder = Path(name)
        print(folder)
        if any(folder.glob("t10k-images*")):
            train, test = halves(folder)
            show_held_out(train, test)
            images = [train[place] for place in rng.choice(len(train), SAMPLED, replace=False)]
        else:
            paths = sorted(path for path in folder.iterdir() if path.suffix in {".jpeg", ".jpg", ".png"})
            images = [Image.open(path).convert("RGB") for path in paths[:SAMPLED]]
        show_planted(images)


if __name__ == "__main__":
    main(sys.argv[1:])
