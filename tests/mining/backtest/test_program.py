"""`python -m backtest` says what the library says."""

import json
import subprocess
import sys

import cv2
import numpy as np
import pytest
from sklearn.datasets import load_digits

from backtest import Embedded, Plan, Probe, Training, TrainSource, replay
from worker_programs.config import document, parse
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

PLAN = Plan(strategy="margin", seed=1, start=20, count=10, rounds=2)
CLASSES = [str(digit) for digit in range(10)]
RECIPE = {"steps": 15, "batch_size": 16}


def run(tmp_path, **config):
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"plan": document(PLAN), "classes": CLASSES} | config))
    done = subprocess.run([sys.executable, "-m", "backtest", str(file)], capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def embedded(tmp_path) -> Embedded:
    found = load_digits()
    data = Embedded(found.data[:300], found.target[:300], found.data[300:500], found.target[300:500])
    (tmp_path / "data.npz").write_bytes(data.to_bytes())
    return data


def test_a_probe_is_replayed(tmp_path, embedded):
    code, events = run(tmp_path, learner={"kind": "probe", "data": str(tmp_path / "data.npz")})
    assert code == 0
    known = replay(Probe(embedded, CLASSES), PLAN)
    assert (events[-1]["labels"], events[-1]["accuracy"]) == (known.labels, known.accuracy)
    progress = [(event["done"], event["total"]) for event in events if event["event"] == "progress"]
    assert progress == [(300, 900), (600, 900), (900, 900)]


@pytest.mark.parametrize(
    ("learner", "code", "field"),
    [
        ({"kind": "probe", "data": "absent.npz"}, "backtest_data_invalid", "data"),
        ({"kind": "oracle"}, "invalid_config", "learner"),
        ({"kind": "train", "candidates": "a", "test": "b", "architecture": "none"}, "invalid_config", "architecture"),
    ],
)
def test_a_fault_has_a_code_and_names_the_field(tmp_path, learner, code, field):
    status, events = run(tmp_path, learner=learner)
    assert (status, events[-1]["event"], events[-1]["code"]) == (1, "error", code)
    assert field in events[-1]["message"]


@pytest.fixture
def pictures(tmp_path) -> dict[str, str]:
    """Manifests of digits as PNG files, with their folder of blobs."""
    found, blobs = load_digits(), Folder(tmp_path / "blobs")
    samples = [
        Sample.of(f"{row}.png", blobs.put(cv2.imencode(".png", (image * 15).astype(np.uint8))[1].tobytes()),
                  label={"class": str(label)})
        for row, (image, label) in enumerate(zip(found.images[:90], found.target[:90].tolist(), strict=True))
    ]  # fmt: skip
    return {
        "candidates": str(write_manifest(tmp_path / "candidates.jsonl", samples[:60])),
        "test": str(write_manifest(tmp_path / "test.jsonl", samples[60:])),
        "blobs": str(tmp_path / "blobs"),
    }


@pytest.mark.clock
def test_an_architecture_is_trained_in_every_round_and_judged_as_its_onnx_file(tmp_path, pictures):
    source = {"kind": "train", "architecture": "small_cnn", "recipe": RECIPE} | pictures
    code, events = run(tmp_path, learner=source)
    assert code == 0, events
    assert events[-1]["labels"] == [20, 30, 40]
    again = replay(Training.read(parse(TrainSource, source), CLASSES, task="classification", threads=1), PLAN)
    assert events[-1]["accuracy"] == again.accuracy
    one = run(tmp_path, learner=source | {"memory": 1000})
    assert (one[0], one[1][-1]["code"]) == (1, "invalid_config")
    assert "learner.memory" in one[1][-1]["message"]
