"""`python -m bench.similarity`: the search for similar samples beside NumPy's bare product, and what it finds.

A matrix of `--samples` unit vectors of `--width` numbers lies in a file that is mapped into memory, as on the platform.
Beside the whole search (product, cut, second look, keys) stands `matrix @ query` in one call with as many threads: it
reads the same bytes and does nothing else. Then scikit-learn's 1,797 digits are embedded by the ImageNet backbone: how
many of the ten nearest of each are the same digit?
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from blobs.decoding import fit
from export.backbone import BackboneConfig, make_backbone
from export.runtime import Session
from similarity.ranking import Floats, best, unit

BACKBONE = "efficientnet_lite0"
REPEATS = 9
LIMIT = 200
"""Tiles of one window of the grid."""
AT_ONCE, BATCH = 10_000, 32
NEAREST = 10


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
    session = Session(make_backbone(BackboneConfig(architecture=BACKBONE, out=folder / "backbone.onnx")), threads=2)
    side = session.facts.input_size[1:]
    images = np.repeat((digits.images * 15.9).astype(np.uint8)[..., None], 3, axis=3)
    began = time.perf_counter()
    found = [
        session.run(np.stack([fit(image, side) for image in images[at : at + BATCH]])).embedding
        for at in range(0, len(images), BATCH)
    ]
    taken = time.perf_counter() - began
    matrix: Floats = unit(np.concatenate(found).astype(np.float16))
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


def main() -> None:
    """Both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--parts", default="speed,meaning", help="speed, meaning or both with a comma")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        if "speed" in given.parts:
            show_speed(given.samples, given.width, Path(name))
        if "meaning" in given.parts:
            show_meaning(Path(name))


if __name__ == "__main__":
    main()
