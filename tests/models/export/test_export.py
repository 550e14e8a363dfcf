"""A whole export of a trained checkpoint: the files, the proof, the refusals."""

import json
import os
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from tests.linear_model import linear_model

from export import ExportConfig, Profile, Session, export, export_onnx, prove_parity
from export.parity import prove_parity_with_plain
from training import CheckpointError, DataError, load_checkpoint
from worker_programs.config import ConfigError, parse
from worker_programs.manifest import write_manifest
from worker_programs.readers import CorruptSampleError, Folder


@pytest.fixture(scope="module")
def shipped(checkpoint, tmp_path_factory):
    """The checkpoint's ONNX file."""
    path = tmp_path_factory.mktemp("shipped") / "model.onnx"
    export_onnx(checkpoint, path)
    return path


@pytest.fixture
def export_config(training_config, checkpoint, tmp_path):
    return {
        "checkpoint": str(checkpoint),
        "out_dir": str(tmp_path / "export"),
        "test": training_config["validation"],
        "blobs": training_config["blobs"],
        "threads": 1,
    }


@pytest.fixture
def bare(export_config):
    """The config of an export that makes the float32 file alone and asks no builder."""
    return {**export_config, "precisions": [], "tensorrt": "never"}


def test_it_writes_a_ready_file_with_its_proof_and_its_own_evaluation(export_config, checkpoint):
    export_config["facts"] = {"model": "shades@3"}
    made = export(parse(ExportConfig, export_config))
    out = Path(export_config["out_dir"])
    assert {path.name for path in out.iterdir()} >= {
        *("model.onnx", "model.fp16.onnx", "model.int8.onnx", "report.json", "modelcard.md"),
        *("evaluation.json", "predictions.npz", "evaluation.fp16.json", "evaluation.int8.json", "predictions.int8.npz"),
        *("config.pbtxt", "config.plan.pbtxt", "config.fp16.pbtxt", "config.int8.pbtxt"),
    }
    report = json.loads((out / "report.json").read_text())
    assert report == made["report"]
    assert report["ready"]
    assert report["tensorrt"]["status"] in ("verified", "not verified")
    assert report["parity"]["max_abs_error"] < 1e-4
    assert report["parity"]["reference"] == "torch"
    assert report["parity"]["top1_agreement"] == 1.0
    assert report["parity"]["batch_sizes"] == [1, 2, 7, 9]
    assert "--optShapes=input:32x1x28x28" in report["trtexec"]
    trained = json.loads((checkpoint / "metrics.json").read_text())
    assert made["evaluation"]["accuracy"] == trained["validation"]["accuracy"]
    assert made["evaluation"]["images_per_second"] > 0
    assert report["variants"]["int8"]["accuracy"] == made["variants"]["int8"]["accuracy"]


@pytest.mark.clock
def test_equal_checkpoints_give_equal_bytes_without_a_trace_of_the_machine(checkpoint, tmp_path):
    first = export_onnx(checkpoint, tmp_path / "a.onnx", facts={"model": "m"})
    assert export_onnx(checkpoint, tmp_path / "b.onnx", facts={"model": "m"}) == first
    assert os.fsencode(Path(torch.__file__).parent) not in first
    assert b"site-packages" not in first


@pytest.mark.clock
def test_a_file_that_takes_bytes_answers_as_one_that_takes_floats(bare):
    floats = export(parse(ExportConfig, bare))
    bytes_ = export(parse(ExportConfig, {**bare, "input": "uint8_nhwc", "precisions": ["fp16", "int8"]}))
    report, out = bytes_["report"], Path(bare["out_dir"])
    assert report["ready"]
    assert report["parity"]["passed"]
    assert "--maxShapes=input:256x28x28x1" in report["trtexec"]
    assert "TYPE_UINT8 dims: [ 28, 28, 1 ]" in (out / "config.pbtxt").read_text()
    assert bytes_["evaluation"]["confusion"] == floats["evaluation"]["confusion"]
    assert all(variant["input"] == "uint8_nhwc" for variant in report["variants"].values())
    assert all(check["passed"] for variant in report["variants"].values() for check in variant["checks"])


FACTS = {"model": "m", "dataset": "shades@2", "warm_start": "m v1"}


@pytest.mark.clock
def test_the_card_names_the_data_the_figures_and_every_file_with_its_digest(bare):
    made = export(parse(ExportConfig, {**bare, "precisions": ["int8"], "facts": FACTS}))
    card = (Path(bare["out_dir"]) / "modelcard.md").read_text()
    assert card.startswith("# m\n")
    assert "Trained on shades@2.\nIts training began with the weights of m v1." in card
    assert made["report"]["variants"]["int8"]["sha256"] in card
    assert made["report"]["sha256"] in card
    assert made["report"]["variants"]["int8"]["calibration"]["digest"] in card
    assert f"| fp32 | {100 * made['evaluation']['accuracy']:.2f} % |" in card
    assert "not verified" in card


def test_an_onnx_file_in_place_of_a_checkpoint_is_proved_against_itself_unoptimised(bare, shipped):
    given = {**bare, "checkpoint": None, "onnx": str(shipped)}
    report = export(parse(ExportConfig, given))["report"]
    assert report["ready"]
    assert report["parity"]["reference"] == "onnxruntime"
    with pytest.raises(ConfigError, match="either a checkpoint"):
        parse(ExportConfig, {**bare, "onnx": str(shipped)})


def test_the_graph_normalises_and_gives_probabilities(checkpoint, shipped):
    session = Session(shipped.read_bytes())
    pixels = np.random.default_rng(0).integers(0, 256, (5, 28, 28, 1), dtype=np.uint8)
    outputs = session.run(pixels)
    network = load_checkpoint(checkpoint).network
    with torch.inference_mode():
        logits, embedding = network(torch.from_numpy(pixels.astype(np.float32)).permute(0, 3, 1, 2))
    np.testing.assert_allclose(outputs.logits, logits.numpy(), atol=1e-5)
    np.testing.assert_allclose(outputs.embedding, embedding.numpy(), atol=1e-5)
    np.testing.assert_allclose(outputs.probabilities.sum(1), 1, atol=1e-6)
    assert session.facts.classes == ["dark", "middle", "light"]


def test_parity_fails_when_the_file_is_of_another_network(checkpoint, shipped):
    session = Session(shipped.read_bytes())
    network = load_checkpoint(checkpoint).network
    pixels = np.random.default_rng(0).integers(0, 256, (9, 28, 28, 1), dtype=np.uint8)
    assert prove_parity(network, session, pixels, opt=4).passed
    with torch.no_grad():
        network.get_parameter("head.bias").add_(0.01)
    proof = prove_parity(network, session, pixels, opt=4)
    assert not proof.passed
    assert proof.max_abs_error == pytest.approx(0.01, rel=0.05)
    assert proof.batch_variance < 1e-5


def test_parity_tells_of_a_file_whose_answers_depend_on_the_batch():
    sound, proto = linear_model(), linear_model()
    proto.graph.node[1].output[0] = "alone"
    more = [
        onnx.helper.make_node("Shape", ["alone"], ["batch"], end=1),
        onnx.helper.make_node("Cast", ["batch"], ["size"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Mul", ["size", "share"], ["shift"]),
        onnx.helper.make_node("Add", ["alone", "shift"], ["logits"]),
    ]
    nodes = [*proto.graph.node[:2], *more, *proto.graph.node[2:]]
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.array([0.01], np.float32), "share"))
    pixels = np.random.default_rng(0).integers(0, 256, (9, 4, 4, 1), dtype=np.uint8)
    proof = prove_parity_with_plain(sound.SerializeToString(), Session(proto.SerializeToString()), pixels, opt=4)
    assert not proof.passed
    assert proof.batch_variance == pytest.approx(0.06, rel=0.01)  # of one alone and one among seven
    proof = prove_parity_with_plain(sound.SerializeToString(), Session(sound.SerializeToString()), pixels, opt=4)
    assert proof.passed


@pytest.mark.clock
def test_parity_needs_real_samples_but_no_labels(bare, training_config, labelled_images):
    samples = [sample._replace(label=None) for sample in labelled_images(4)]
    write_manifest(Path(training_config["validation"]), samples)
    made = export(parse(ExportConfig, {**bare, "test": None, "samples": training_config["validation"]}))
    assert made["evaluation"] is None
    assert made["report"]["parity"]["samples"] == 4
    write_manifest(Path(training_config["validation"]), [])
    with pytest.raises(DataError, match="no samples to prove parity on"):
        export(parse(ExportConfig, bare))


def test_without_samples_or_with_a_crooked_profile_the_config_is_refused(export_config):
    with pytest.raises(ConfigError, match="parity is proved on them"):
        parse(ExportConfig, {**export_config, "test": None})
    with pytest.raises(ConfigError, match="min <= opt <= max"):
        Profile(min=8, opt=4, max=16)


def test_an_absent_checkpoint_is_named(bare, tmp_path):
    with pytest.raises((ConfigError, CheckpointError), match="cannot be read"):
        export(parse(ExportConfig, {**bare, "checkpoint": str(tmp_path / "nothing")}))


def test_a_corrupt_test_image_stops_the_export(bare, training_config, labelled_images):
    sample = labelled_images(1)[0]
    path = Path(training_config["blobs"]) / sample.object
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    write_manifest(Path(training_config["validation"]), [sample])
    with pytest.raises(CorruptSampleError, match="promised sha256"):
        export(parse(ExportConfig, bare), reader=Folder(training_config["blobs"]))


def test_the_program_ends_with_report_and_evaluation(bare, run_program):
    code, events = run_program("export", bare)
    assert code == 0
    assert {event["event"] for event in events} == {"log", "progress", "result"}
    assert events[-1]["report"]["ready"]
    assert events[-1]["evaluation"]["samples"] == 9
    assert (Path(bare["out_dir"]) / events[-1]["model"]).exists()
