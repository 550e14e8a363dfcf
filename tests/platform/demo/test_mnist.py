"""The digits: from npm, from the cache, or scikit-learn's, never something else."""

import struct

import numpy as np
import pytest

from demo import mnist
from demo.mnist import FALLBACK, DigitsError, load_digits, load_mnist, read_idx, sklearn_digits


def idx(array: np.ndarray, *, kind: int = 8) -> bytes:
    return struct.pack(">HBB", 0, kind, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def test_an_idx_file_reads_back_and_another_is_refused(tmp_path):
    array, path = np.arange(24, dtype=np.uint8).reshape(2, 3, 4), tmp_path / "images"
    path.write_bytes(idx(array))
    assert np.array_equal(read_idx(path), array)
    for wrong in (idx(array)[:-1], idx(array) + b"x", idx(array, kind=9), b"PK\3\4", b""):
        path.write_bytes(wrong)
        with pytest.raises(DigitsError, match="not an idx file"):
            read_idx(path)


def test_without_npm_the_digits_of_scikit_learn_take_its_place_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setenv("NPM", str(tmp_path / "no-npm"))
    with pytest.raises(DigitsError, match="failed"):
        load_mnist(tmp_path)
    digits = load_digits(tmp_path)
    assert digits.source == FALLBACK
    assert digits.train_images.shape == (1297, 28, 28)
    assert digits.test_images.shape == (500, 28, 28)
    assert digits.train_images.dtype == np.uint8
    assert digits.train_images.max() == 255


def test_a_complete_cache_needs_no_npm(tmp_path, monkeypatch):
    digits = sklearn_digits()
    arrays = [digits.train_images, digits.train_labels.astype(np.uint8)]
    arrays += [digits.test_images, digits.test_labels.astype(np.uint8)]
    files = dict(zip(mnist.MEMBERS, map(idx, arrays), strict=True))
    (tmp_path / "mnist").mkdir()
    for name, data in files.items():
        (tmp_path / "mnist" / name).write_bytes(data)
    monkeypatch.setattr(mnist, "MEMBERS", {name: len(data) for name, data in files.items()})
    monkeypatch.setenv("NPM", str(tmp_path / "no-npm"))
    assert np.array_equal(load_mnist(tmp_path).test_images, digits.test_images)
