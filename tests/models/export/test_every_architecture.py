"""report.json of every registered architecture, in every precision; a new one is covered by being registered."""

import json

import cv2
import numpy as np
import pytest

import training
from export import ExportConfig, export
from export.engine import BUILDER
from training import Checkpoint, save_checkpoint
from training.checkpoint import CheckpointConfig
from worker_programs.config import ConfigError, parse
from worker_programs.manifest import Sample, write_manifest

CLASSES, COUNT = ["a", "b", "c"], 24
SMALLER = [("size", 32), ("size", 128), ("width", 8), ("width", 16), ("depth", 2), ("channels", 3)]
"""Tried in turn on the parameters of each architecture, to keep the test short; what does not fit is left out."""

LABELS = {
    "classes": lambda name, _width, _height: {"class": name},
    "boxes": lambda name, width, height: {"boxes": [{"class": name, "box": [0, 0, width // 2, height // 2]}]},
}


def smallest(name: str) -> dict[str, int]:
    params: dict[str, int] = {}
    for key, value in SMALLER:
        try:
            training.architecture(name, {**params, key: value})
        except ConfigError:
            continue
        params.setdefault(key, value)
    return params


@pytest.fixture
def prepared(tmp_path, blob_folder):
    """The config of an export of an untrained network, with real images of its size."""

    def make(name: str) -> dict[str, object]:
        params = smallest(name)
        try:
            network = training.build(name, params, classes=len(CLASSES), seed=1)
        except ConfigError as fault:
            pytest.skip(f"{name} cannot be built here: {fault}")
        facts = CheckpointConfig(
            architecture=name, params=params, classes=CLASSES, task=network.family.tasks()[0], recipe={}, threads=1,
            torch="2",
        )  # fmt: skip
        save_checkpoint(Checkpoint(network, facts), tmp_path / "checkpoint")
        rng, (_, height, width) = np.random.default_rng(0), network.family.input_size
        samples = []
        for number in range(COUNT):
            coarse = rng.integers(0, 256, (4, 4, 3), dtype=np.uint8)
            image = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
            ref = blob_folder.put(cv2.imencode(".png", image)[1].tobytes())
            label = LABELS[network.family.form](CLASSES[number % 3], width, height)
            samples.append(Sample.of(f"{number}.png", ref, label=label, size=(width, height)))
        return {
            "checkpoint": str(tmp_path / "checkpoint"),
            "out_dir": str(tmp_path / "out"),
            "test": str(write_manifest(tmp_path / "test.jsonl", samples[:6])),
            "samples": str(write_manifest(tmp_path / "samples.jsonl", samples)),
            "blobs": str(tmp_path / "blobs"),
            "parity_samples": 9,
            "calibration_samples": 8,
            "pool_samples": 12,
            "profile": {"min": 1, "opt": 4, "max": 8},
            "threads": 1,
        }

    return make


@pytest.mark.clock
@pytest.mark.parametrize("name", training.names())
def test_its_report_holds_in_every_precision_and_its_engines_are_built(prepared, name, tmp_path):
    export(parse(ExportConfig, prepared(name)))
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["parity"]["passed"], report["parity"]
    assert report["ready"]
    assert set(report["variants"]) == {"fp16", "int8"}
    for part in (report, *report["variants"].values()):
        assert [problem for check in part["checks"] for problem in check["problems"]] == []
        assert part["opset"] == 20
        verdict = part["tensorrt"]
        if verdict["reason"] == f"NVIDIA's builder ({BUILDER}) is not installed":
            assert verdict["status"] == "not verified"
            continue
        assert verdict["status"] == "verified", verdict["reason"]
        assert {made["architecture"] for made in verdict["engines"] if made["built"]} == {"SM80", "SM89"}
    half, int8 = report["variants"]["fp16"], report["variants"]["int8"]
    assert half["agreement"]["max_abs_error"] <= half["agreement"]["tolerance"]
    assert int8["calibration"]["samples"] == 8
    assert int8["agreement"]["optimisation"] == "ORT_ENABLE_BASIC"
    assert {"QuantizeLinear", "DequantizeLinear"} <= set(int8["operators"])
