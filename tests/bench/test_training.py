"""The machinery of the benchmark of training, at a size that proves nothing but that it works."""

import gzip

import numpy as np
import pytest
import torch
from bench.training import accuracy, corpus, inference, loops
from bench.training.__main__ import main

from demo.mnist import Digits, sklearn_digits


@pytest.fixture
def digits(tmp_path):
    return corpus.write(sklearn_digits(), tmp_path / "digits", train=120, test=60)


def test_the_loop_is_compared_with_the_bare_one(digits, tmp_path, monkeypatch):
    monkeypatch.setattr(loops, "RUNS", 1)
    lines = loops.compare(digits, tmp_path, steps=4, threads=1)
    assert [line.target for line in lines] == [loops.SHARE, None, None]
    assert all(line.ratio and np.isfinite(line.ratio) for line in lines)


@pytest.mark.clock
def test_inference_is_compared_with_torch_and_its_threads_come_back(monkeypatch):
    monkeypatch.setattr(inference, "RUNS", 1)
    monkeypatch.setattr(inference, "NETWORKS", {"small_cnn": {"size": 8}})
    used = torch.get_num_threads()
    lines = inference.compare("small_cnn", seconds=0.01, threads=1, compiled=False)
    assert [line.target for line in lines] == [1.0]
    assert torch.get_num_threads() == used


@pytest.mark.clock
def test_accuracy_is_that_of_the_module_and_of_the_file(digits, tmp_path):
    lines = accuracy.judge(digits, tmp_path, threads=1, target=0.05, steps=5)
    assert [line.what.partition(", ")[2][:5] for line in lines] == ["torch", "the O"]
    assert [line.verdict for line in lines] == ["yes"] * 2


def test_fashion_is_left_out_where_its_package_cannot_be_had(monkeypatch, tmp_path):
    monkeypatch.setattr(corpus, "FASHION", tmp_path / "absent")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert corpus.fashion() is None


def test_fashion_is_read_from_the_installed_package(monkeypatch, tmp_path):
    found: Digits = sklearn_digits()
    arrays = [found.train_images, found.train_labels, found.test_images, found.test_labels]
    for name, array in zip(corpus.PARTS, [np.asarray(one, np.uint8) for one in arrays], strict=True):
        head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(head + array.tobytes()))
    monkeypatch.setattr(corpus, "FASHION", tmp_path)
    read = corpus.fashion()
    assert read is not None
    assert np.array_equal(read.test_images, found.test_images)
    assert np.array_equal(read.train_labels, found.train_labels)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_its_benchmark_says_so_and_fails_nobody(capsys):
    assert main(["--gpu", "--quick"]) == 0
    assert "NOTHING WAS MEASURED ON A GPU" in capsys.readouterr().out
