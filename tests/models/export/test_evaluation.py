"""The evaluation of the file that ships: its document, its predictions, slices and calibration."""

import json
from pathlib import Path

import numpy as np
import orjson
import pytest
from tests.models.conftest import short_training

from export import ExportConfig, Session, export_onnx
from export.answers import Answers, Pictures
from export.evaluation import evaluate_configured, evaluate_onnx, keep_evaluation, read_slices
from tasktypes.classification.predictions import ClassPredictions
from training import DataError, TrainingConfig, train
from worker_programs.config import ConfigError, parse
from worker_programs.manifest import write_manifest


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Of a training too short to be sure of its answers."""
    config = short_training(tmp_path_factory.mktemp("trained"))
    train(parse(TrainingConfig, config | {"recipe": {"steps": 30, "batch_size": 8}}))
    return Path(config["out_dir"])


@pytest.fixture(scope="module")
def session(checkpoint, tmp_path_factory):
    return Session(export_onnx(checkpoint, tmp_path_factory.mktemp("shipped") / "model.onnx"))


@pytest.fixture
def configured(training_config, checkpoint, tmp_path, labelled_images):
    """A config of an export whose test set is other than its validation set."""
    (tmp_path / "slices.json").write_bytes(orjson.dumps({"odd": ["1.png", "3.png"], "gone": "the model m@1 is gone"}))
    return ExportConfig(
        checkpoint=checkpoint,
        out_dir=tmp_path / "export",
        test=write_manifest(tmp_path / "test.jsonl", labelled_images(70, seed=3)),
        validation=Path(training_config["validation"]),
        slices=tmp_path / "slices.json",
        blobs=training_config["blobs"],
    )


def test_the_evaluation_has_slices_calibration_latency_and_the_worst_examples(session, configured, blob_folder):
    pictures = Pictures(blob_folder, input_size=session.facts.input_size)
    made = evaluate_configured(configured, Answers(session, pictures))
    keep_evaluation(made, configured.out_dir)
    keep_evaluation(made, configured.out_dir, variant="int8")
    names = ["evaluation.int8.json", "evaluation.json", "predictions.int8.npz", "predictions.npz"]
    assert sorted(path.name for path in configured.out_dir.iterdir()) == names
    found = json.loads((configured.out_dir / "evaluation.json").read_bytes())
    assert found["samples"] == 70
    assert found["slices"]["odd"]["samples"] == 2
    assert found["slices"]["gone"] == {"not_computed": "the model m@1 is gone"}
    assert found["calibration"]["samples"] == 9
    assert found["calibration"]["ece_before"] == found["ece"]
    assert 0 < found["latency_ms"]["p50"] <= found["latency_ms"]["p95"]
    assert found["model_sha256"] == session.digest
    losses = [row["loss"] for row in found["worst"]]
    assert len(losses) == 50
    assert losses == sorted(losses, reverse=True)
    assert found["worst"][0].keys() == {"key", "md5", "label", "predicted", "confidence", "loss"}
    assert losses[0] >= found["loss"]


def test_the_predictions_are_those_of_the_session_in_the_order_of_the_keys(session, labelled_images, blob_folder):
    samples = labelled_images(30)
    made = evaluate_onnx(session, samples[::-1], blob_folder, slices={"few": ["4.png"]})
    assert made.predictions == evaluate_onnx(session, samples, blob_folder, slices={"few": ["4.png"]}).predictions
    found = ClassPredictions.read(made.predictions)
    ordered = sorted(samples, key=lambda sample: sample.key)
    assert found.md5.tolist() == [bytes.fromhex(sample.md5) for sample in ordered]
    assert [session.facts.classes[row] for row in found.label] == [sample.label["class"] for sample in ordered]
    assert found.slices["few"].sum() == 1
    assert np.mean(found.right) == made.document["accuracy"]
    assert made.document["calibration"] is None


def test_nothing_to_evaluate_and_a_label_of_no_class_are_named(session, labelled_images, blob_folder):
    with pytest.raises(DataError, match="test manifest is empty"):
        evaluate_onnx(session, [], blob_folder)
    with pytest.raises(DataError, match="unknown class 'cat'"):
        evaluate_onnx(session, [labelled_images(1)[0]._replace(label={"class": "cat"})], blob_folder)


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 3}'])
def test_a_file_that_holds_no_slices_is_refused_by_its_field(tmp_path, text):
    (tmp_path / "slices.json").write_text(text)
    with pytest.raises(ConfigError, match=r"slices: .* is not JSON object of lists of sample keys"):
        read_slices(tmp_path / "slices.json")
