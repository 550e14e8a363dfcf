"""The graph of a network is traced once; the next of its kind is that graph with other weights."""

import json
from pathlib import Path

import onnx
import pytest
import torch

from blobs.cache import BlobCache
from export import ExportConfig, export
from export.graph import to_onnx
from export.traced import graph_of
from training import build
from worker_programs.config import parse

TASK = "classification"


def drawn(seed, **params):
    """A network whose norms have statistics too, for the exporter folds these into the weights beside them."""
    network = build("small_cnn", {"width": 4} | params, classes=3, seed=seed).eval()
    dice = torch.Generator().manual_seed(seed)
    for part in network.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            assert part.running_mean is not None
            assert part.running_var is not None
            part.running_mean.normal_(generator=dice)
            part.running_var.uniform_(0.5, 2, generator=dice)
    return network


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "cache"))
    return BlobCache(tmp_path / "cache")


def test_another_network_of_its_kind_is_not_traced_and_has_the_bytes_of_one_that_was(cache, monkeypatch):
    first, second = drawn(1), drawn(2)
    to_onnx(first, TASK, cache=cache)
    traced = to_onnx(second, TASK)
    monkeypatch.setattr(torch.onnx, "export", None)  # whoever traces now, fails
    filled = to_onnx(second, TASK, cache=cache)
    assert filled.SerializeToString(deterministic=True) == traced.SerializeToString(deterministic=True)


@pytest.mark.parametrize("change", [{"embedding": 8}, {"size": 32}])
def test_another_kind_is_traced_by_itself(cache, change):
    to_onnx(drawn(1), TASK, cache=cache)
    other = drawn(1, **change)
    assert to_onnx(other, TASK, cache=cache) == to_onnx(other, TASK)


class Mixed(torch.nn.Module):
    """Numbers that are no floats are a network's own too."""

    def __init__(self, order):
        super().__init__()
        self.register_buffer("order", torch.tensor(order))

    def forward(self, x):
        return x[:, self.order]


def test_whole_numbers_of_a_network_are_filled_in_like_its_weights(cache, monkeypatch):
    first, second = drawn(1), drawn(1)
    first.head = torch.nn.Sequential(first.head, Mixed([2, 1, 0]))
    second.head = torch.nn.Sequential(second.head, Mixed([1, 2, 0]))
    to_onnx(first, TASK, cache=cache)
    traced = to_onnx(second, TASK)
    monkeypatch.setattr(torch.onnx, "export", None)  # whoever traces now, fails
    assert to_onnx(second, TASK, cache=cache) == traced


def test_a_graph_that_is_damaged_is_traced_again(cache):
    whole = graph_of(drawn(1), TASK, cache=cache)
    for path in (path for path in cache.directory.rglob("*") if len(path.name) == 64):
        path.write_bytes(path.read_bytes()[:-1])
    assert graph_of(drawn(1), TASK, cache=cache) == whole


def test_a_kept_graph_that_does_not_answer_as_its_network_is_traced_again(
    cache, training_config, checkpoint, tmp_path, monkeypatch
):
    config = parse(
        ExportConfig,
        {
            "checkpoint": str(checkpoint),
            "out_dir": str(tmp_path / "export"),
            "test": training_config["validation"],
            "blobs": training_config["blobs"],
            "precisions": [],
            "tensorrt": "never",
            "threads": 1,
        },
    )
    put = BlobCache.put_checked
    monkeypatch.setattr(BlobCache, "put_checked", lambda self, name, data: put(self, name, _without_relu(data)))
    export(config)
    assert export(config)["report"]["parity"]["passed"]
    report = json.loads(Path(config.out_dir, "report.json").read_text())
    assert report["parity"]["passed"]
    assert "Relu" in [node.op_type for node in onnx.load(config.out_dir / "model.onnx").graph.node]


def _without_relu(data):
    """The graph of an architecture whose code was another."""
    proto = onnx.ModelProto.FromString(data)
    for node in proto.graph.node:
        if node.op_type == "Relu":
            node.op_type = "Identity"
    return proto.SerializeToString()
