"""An encoder's file as a frozen trunk: what is trained on it ships as one file that answers as encoder and head do."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper
from tests.tiny_encoders import SIDE, WIDTH, image_encoder

from blobs.decoding import load
from export.config import ExportConfig
from export.preparing import PreparingConfig, prepare
from export.program import export
from export.trunk import trunk_fault
from export.words.adopt_image import adopt_image
from export.words.encoder_spec import EncoderSpec
from training import TrainingConfig, load_checkpoint, train
from training.checkpoint import TRUNK
from worker_programs.config import ConfigError, parse
from worker_programs.events import Silent
from worker_programs.manifest import Sample, write_manifest

CLASSES = ["reddish", "greenish"]
LABELS, TESTS = 60, 20
AUTO = {"trunks": ["efficientnet_lite0"], "scratch": "never", "fine_tune": "never"}
SHADE = 6
"""How much redder or greener an image is than grey, in the mean: the noise around that is 20 times as strong."""


class Log(Silent):
    """Keeps what a program says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def log(self, message: str, *, level: str = "info") -> None:
        self.said.append(message)


def adopted(data: bytes | None = None) -> bytes:
    return adopt_image(data or image_encoder(), EncoderSpec())


def noisy(number: int) -> Any:
    """An image of 64 pixels whose mean colour tells its class, under noise that looks like everything."""
    rng, sign = np.random.default_rng(number), 1 if number % 2 else -1
    image = rng.uniform(-120, 120, (64, 64, 3)) + 128
    image += np.array([0, SHADE, -SHADE]) * sign  # blue, green, red
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.fixture
def data(tmp_path, blob_folder, monkeypatch) -> dict[str, Any]:
    """Manifests, and an encoder that sees mean colours alone; features have a cache."""
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MOTHERLODE_CACHE_BYTES", str(1 << 30))
    rows = []
    for number in range(LABELS + TESTS):
        ref = blob_folder.put(cv2.imencode(".png", noisy(number))[1].tobytes())
        rows.append(Sample.of(f"{number}.png", ref, label={"class": CLASSES[number % 2 == 1]}, size=(64, 64)))
    (tmp_path / "colours.onnx").write_bytes(adopted())
    parts = {"train": rows[:LABELS], "test": rows[LABELS:]}
    return {name: str(write_manifest(tmp_path / f"{name}.jsonl", part)) for name, part in parts.items()} | {
        "encoders": {"colours": str(tmp_path / "colours.onnx")}
    }


def trained(data: dict[str, Any], folder: Path, *, listener: Silent | None = None, **more: Any) -> dict[str, Any]:
    told = {
        "out_dir": str(folder / "trained"), "train": data["train"], "validation": data["test"], "classes": CLASSES,
        "encoders": data["encoders"], "blobs": str(folder / "blobs"), "threads": 1,
        "architecture": "auto", "params": AUTO,
    }  # fmt: skip
    return train(parse(TrainingConfig, told | more), listener=listener)


def proved(data: dict[str, Any], folder: Path, precisions: Sequence[str] = ()) -> dict[str, Any]:
    told = {
        "out_dir": str(folder / "out"), "checkpoint": str(folder / "trained"), "samples": data["train"],
        "test": data["test"], "blobs": str(folder / "blobs"), "tensorrt": "never", "threads": 1,
        "precisions": list(precisions),
    }  # fmt: skip
    return export(parse(ExportConfig, told))


def test_auto_trains_on_an_encoder_where_it_is_better_and_ships_one_file(data, tmp_path):
    log = Log()
    metrics = trained(data, tmp_path, listener=log)
    choice = metrics["choice"]
    assert (choice["architecture"], choice["name"]) == ("encoder", "encoder colours, frozen")
    sha256 = hashlib.sha256((tmp_path / "colours.onnx").read_bytes()).hexdigest()
    assert choice["params"] == {
        "encoder": "colours", "sha256": sha256, "input_size": [3, SIDE, SIDE], "width": WIDTH,
    }  # fmt: skip
    by_name = {one["name"]: one["accuracy"] for one in choice["candidates"]}
    assert by_name["encoder colours, frozen"] > 0.95 > by_name["efficientnet_lite0, frozen"]
    assert metrics["validation"]["accuracy"] > 0.9
    assert load_checkpoint(tmp_path / "trained").config.params["sha256"] == sha256
    assert (tmp_path / "trained" / TRUNK).read_bytes() == (tmp_path / "colours.onnx").read_bytes()

    report = proved(data, tmp_path, ["fp16", "int8"])["report"]
    assert report["parity"]["passed"]
    assert report["ready"], report["checks"]
    assert report["variants"]["fp16"]["ready"], report["variants"]["fp16"]
    assert report["variants"]["fp16"]["agreement"]["top1"] == 1.0
    assert_answers_as_encoder_and_head(tmp_path)


def assert_answers_as_encoder_and_head(folder: Path) -> None:
    """The shipped file by itself, and the two parts by themselves, on images that nobody trained on."""
    whole = ort.InferenceSession(folder / "out" / "model.onnx", providers=["CPUExecutionProvider"])
    encoder = ort.InferenceSession(folder / "colours.onnx", providers=["CPUExecutionProvider"])
    head = load_checkpoint(folder / "trained").network.head.state_dict()
    images = [load(cv2.imencode(".png", noisy(number))[1].tobytes(), (3, SIDE, SIDE)) for number in range(900, 907)]
    pixels = np.stack(images).transpose(0, 3, 1, 2).astype(np.float32)
    logits, embedding, likely = whole.run(["logits", "embedding", "probabilities"], {"input": pixels})
    (below,) = encoder.run(["embedding"], {"input": pixels})
    np.testing.assert_allclose(embedding, below, atol=1e-6)
    np.testing.assert_allclose(logits, below @ head["weight"].numpy().T + head["bias"].numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(likely.sum(axis=1), 1, atol=1e-5)
    assert [CLASSES[number] for number in likely.argmax(axis=1)] == [CLASSES[number % 2] for number in range(900, 907)]


def test_a_second_training_finds_the_features_in_the_cache(data, tmp_path):
    trained(data, tmp_path)
    log = Log()
    trained(data, tmp_path, listener=log)
    assert f"features: {LABELS} of {LABELS} samples found in the cache" in log.said
    assert not any(f"features: 0 of {LABELS}" in said for said in log.said)


def test_features_that_were_prepared_before_the_labels_are_found(data, tmp_path):
    told = {"labelled": data["train"], "encoders": data["encoders"], "classes": CLASSES, "params": AUTO}
    prepare(parse(PreparingConfig, told | {"blobs": str(tmp_path / "blobs")}), Silent())
    log = Log()
    trained(data, tmp_path, listener=log)
    assert not any(f"features: 0 of {LABELS}" in said for said in log.said)


def test_a_named_encoder_is_trained_on_by_steps_and_its_file_holds_what_was_trained(data, tmp_path):
    metrics = trained(data, tmp_path, architecture="encoder", params={"encoder": "colours"})
    assert metrics["validation"]["accuracy"] > 0.9
    assert proved(data, tmp_path)["report"]["parity"]["passed"]
    assert_answers_as_encoder_and_head(tmp_path)
    again = trained(
        data, tmp_path / "again", architecture="encoder", params={"encoder": "colours"}, blobs=str(tmp_path / "blobs"),
        warm_start=str(tmp_path / "trained"), recipe={"steps": 1, "learning_rate": 1e-6},
    )  # fmt: skip
    assert again["validation"]["accuracy"] == metrics["validation"]["accuracy"], "it starts from the parent's head"


@pytest.mark.parametrize(
    ("params", "words"),
    [({"encoder": "others"}, "there is no encoder 'others' among those of this training: it has colours"),
     ({}, "there is no encoder ''"),
     ({"encoder": "colours", "sha256": "0" * 64}, "'colours' has another file than the one with the SHA-256 000")],
)  # fmt: skip
def test_an_encoder_that_the_training_is_not_given_is_refused_by_name(data, tmp_path, params, words):
    with pytest.raises(ConfigError) as refused:
        trained(data, tmp_path, architecture="encoder", params=params)
    assert list(refused.value.errors) == ["params.encoder"]
    assert words in str(refused.value)


def test_auto_wants_encoders_among_the_encoders(data, tmp_path):
    with pytest.raises(ConfigError, match=r"params.trunks.1: name the encoder itself in `encoders`"):
        trained(data, tmp_path, params={"trunks": ["efficientnet_lite0", "encoder"]})


def with_a_sequence() -> bytes:
    """The encoder, whose means go through a sequence of tensors."""
    proto = onnx.load_model_from_string(image_encoder())
    for node in proto.graph.node:
        node.output[:] = ["plain" if name == "means" else name for name in node.output]
    proto.graph.initializer.append(numpy_helper.from_array(np.array(0), "first"))
    proto.graph.node.insert(2, helper.make_node("SequenceConstruct", ["plain"], ["many"]))
    proto.graph.node.insert(3, helper.make_node("SequenceAt", ["many", "first"], ["means"]))
    return bytes(proto.SerializeToString())


def test_an_encoder_as_it_should_be_can_be_a_trunk():
    assert trunk_fault(adopted(), WIDTH) == ""
    assert trunk_fault(adopted(image_encoder(opset=13)), WIDTH) == "", "its operators are converted"


def test_what_tensorrt_refuses_is_named():
    assert "SequenceAt is not supported; SequenceConstruct is not supported" in trunk_fault(
        adopted(with_a_sequence()), WIDTH
    )
    one = trunk_fault(adopted(image_encoder(batch=1)), WIDTH)
    assert one == "it takes one image at a time: export it with a dynamic batch axis"
