"""Real images as the platform gets them: encoded files in a folder of blobs, named by manifests."""

import gzip
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from demo.mnist import Digits, load_digits, read_idx
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

CLASSES = [str(number) for number in range(10)]
FASHION_PACKAGE = "dataset-fashion-mnist"
FASHION = Path("usr/share/datasets/fashion-mnist")
PARTS = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A data set in a folder: `blobs`, and a manifest for each of its halves."""

    source: str
    blobs: Path
    train: Path
    test: Path


def write(found: Digits, folder: Path, *, train: int, test: int) -> OnDisk:
    """The first so many images of each half as PNG files."""
    blobs = Folder(folder / "blobs")

    def half(name: str, images: NDArray[np.uint8], labels: NDArray[np.int64]) -> Path:
        samples = [
            Sample.of(f"{name}-{row}.png", blobs.put(_png(image)), label={"class": CLASSES[label]})
            for row, (image, label) in enumerate(zip(images, labels.tolist(), strict=True))
        ]
        return write_manifest(folder / f"{name}.jsonl", samples)

    return OnDisk(
        found.source,
        folder / "blobs",
        half("train", found.train_images[:train], found.train_labels[:train]),
        half("test", found.test_images[:test], found.test_labels[:test]),
    )


def digits(cache: Path | None) -> Digits:
    """MNIST, or scikit-learn's digits where it cannot be had; `source` says which."""
    return load_digits(cache)


def fashion() -> Digits | None:
    """Fashion-MNIST (Xiao et al. 2017) out of the Debian package of its name: installed, or fetched into a scratch
    folder; None where neither goes."""
    if (Path("/") / FASHION).is_dir():
        return _fashion(Path("/") / FASHION)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            subprocess.run(["apt-get", "download", FASHION_PACKAGE], cwd=scratch, check=True, capture_output=True)
            for package in Path(scratch).glob("*.deb"):
                subprocess.run(["dpkg-deb", "--extract", package, scratch], check=True, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            return None
        return _fashion(Path(scratch) / FASHION)


def _fashion(folder: Path) -> Digits:
    arrays = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in PARTS:
            plain = Path(scratch) / name
            plain.write_bytes(gzip.decompress((folder / f"{name}.gz").read_bytes()))
            arrays.append(read_idx(plain))
    train, labels, test, test_labels = arrays
    return Digits("Fashion-MNIST", train, labels.astype(np.int64), test, test_labels.astype(np.int64))


def _png(image: NDArray[np.uint8]) -> bytes:
    return cv2.imencode(".png", image)[1].tobytes()
