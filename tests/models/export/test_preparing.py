"""What is prepared before the labels is not done again after them: what a first training and its proof do."""

from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from export import answers, traced
from export.config import ExportConfig
from export.preparing import PreparingConfig, prepare
from export.program import export
from training import TrainingConfig, features, train
from training.auto import AUTO
from worker_programs.config import parse
from worker_programs.events import Silent
from worker_programs.manifest import Sample, write_manifest

CLASSES = ["dark", "light"]
LABELS, UNLABELLED, TESTS = 12, 30, 8
TRUNK = "efficientnet_lite0"


class Work:
    """Counts what is computed: images through torch's trunk, and through the file's, and graphs that are traced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: Counter[str] = Counter()
        for name, owner, attribute in (
            ("features", features, "computed"),
            ("outputs", answers.Halves, "_embedded"),
            ("graphs", traced, "_traced"),
        ):
            monkeypatch.setattr(owner, attribute, self._counted(name, getattr(owner, attribute)))

    def _counted(self, name: str, real: Any) -> Any:
        def counting(*args: Any) -> Any:
            self.done[name] += 1
            return real(*args)

        return counting

    def taken(self) -> dict[str, int]:
        found, self.done = dict(self.done), Counter()
        return found


@pytest.fixture
def first(tmp_path, blob_folder, monkeypatch):
    """Colour images of 80 pixels in three manifests, an empty cache, and the documents of training and export."""
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MOTHERLODE_CACHE_BYTES", str(1 << 30))
    rng, rows = np.random.default_rng(0), []
    for number in range(LABELS + UNLABELLED + TESTS):
        image = (rng.integers(0, 90, (80, 80, 3)) + 120 * (number % 2)).astype(np.uint8)
        ref = blob_folder.put(cv2.imencode(".png", image)[1].tobytes())
        rows.append(Sample.of(f"{number}.png", ref, label={"class": CLASSES[number % 2]}, size=(80, 80)))
    bare = [row._replace(label=None) for row in rows]
    parts = {
        "train": rows[:LABELS],
        "labelled": bare[:LABELS],
        "unlabelled": bare[LABELS : LABELS + UNLABELLED],
        "judged": bare[LABELS + UNLABELLED :],
        "test": rows[LABELS + UNLABELLED :],
    }
    return {name: str(write_manifest(tmp_path / f"{name}.jsonl", part)) for name, part in parts.items()}


def trained_and_proved(first: dict[str, str], folder: Path, *, workers: int = 1) -> bytes:
    """Train by `auto` and prove, as a run does; returns the bytes of the file."""
    common = {"blobs": str(folder / "blobs"), "threads": 1}
    training = {
        "out_dir": str(folder / "trained"), "train": first["train"], "unlabelled": first["unlabelled"],
        "classes": CLASSES, "architecture": AUTO, "params": {"trunks": [TRUNK]}, "workers": workers,
    }  # fmt: skip
    train(parse(TrainingConfig, training | common))
    proof = {
        "out_dir": str(folder / "out"), "checkpoint": str(folder / "trained"), "samples": first["train"],
        "test": first["test"], "tensorrt": "never",
    }  # fmt: skip
    export(parse(ExportConfig, proof | common))
    return (folder / "out" / "model.onnx").read_bytes()


def prepared(first: dict[str, str], folder: Path, **more: Any) -> None:
    told = {name: first[name] for name in ("labelled", "unlabelled", "judged")}
    document = told | {"classes": CLASSES, "params": {"trunks": [TRUNK]}, "blobs": str(folder / "blobs")}
    assert prepare(parse(PreparingConfig, document | more), Silent())["images"] == LABELS + UNLABELLED + TESTS


def test_without_preparation_each_image_goes_through_each_trunk_once(first, tmp_path, monkeypatch):
    work = Work(monkeypatch)
    trained_and_proved(first, tmp_path)
    assert work.taken() == {"features": LABELS + UNLABELLED, "outputs": TESTS, "graphs": 1}


def test_after_it_a_first_training_and_its_proof_compute_no_image_and_trace_no_graph(first, tmp_path, monkeypatch):
    cold = trained_and_proved(first, tmp_path)
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "another"))
    work = Work(monkeypatch)
    prepared(first, tmp_path, workers=2)
    assert work.taken() == {"features": LABELS + UNLABELLED, "outputs": LABELS + TESTS, "graphs": 1}
    assert trained_and_proved(first, tmp_path) == cold, "the same bits as without"
    assert work.taken() == {}
    prepared(first, tmp_path)
    assert work.taken() == {}, "once more does nothing"


def test_images_that_are_computed_at_once_have_the_same_bits(first, tmp_path, monkeypatch):
    one = trained_and_proved(first, tmp_path)
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "another"))
    assert trained_and_proved(first, tmp_path, workers=3) == one


def test_a_machine_without_a_cache_has_nothing_to_prepare(first, tmp_path, monkeypatch):
    monkeypatch.delenv("MOTHERLODE_CACHE_DIR")
    document = {"labelled": first["labelled"], "classes": CLASSES, "blobs": str(tmp_path / "blobs")}
    assert prepare(parse(PreparingConfig, document), Silent()) == {"images": 0}
