"""Scoring with ONNX Runtime: right numbers, poison quarantined, one file for equal scores, no torch."""

import json
import subprocess
import sys

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto
from tests.laws import examples
from tests.linear_model import linear_model, softmax, weights

from scoring import ModelError, Scores, ScoreTable, Session, mapped, packed, score
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder


@pytest.fixture
def lake(tmp_path):
    folder, rng = Folder(tmp_path / "blobs"), np.random.default_rng(1)
    images = rng.integers(0, 256, size=(23, 4, 4), dtype=np.uint8)
    samples = [
        Sample.of(f"{index}.png", folder.put(cv2.imencode(".png", image)[1].tobytes()))
        for index, image in enumerate(images)
    ]
    return folder, samples, images


def expected(images):
    return softmax(images.reshape(len(images), 16).astype(np.float32) @ weights())


@pytest.mark.parametrize("batch_size", [1, 7, 23, 256])
def test_scores_are_the_models_own_whatever_the_batch_size(lake, batch_size):
    folder, samples, images = lake
    scores = score(Session(linear_model().SerializeToString()), samples, folder, batch_size=batch_size)
    assert scores.refused == ()
    table = ScoreTable([scores])
    rows = table.rows(packed(sample.md5 for sample in samples))
    np.testing.assert_allclose(table.probabilities_of(rows), expected(images), atol=1e-5)
    np.testing.assert_array_equal(table.embedding_of(rows), images.reshape(23, 16).astype(np.float16))


def test_equal_blobs_are_scored_once(lake):
    folder, samples, _ = lake
    scores = score(Session(linear_model().SerializeToString()), [*samples, *samples], folder)
    assert len(scores) == 23


def test_poison_is_quarantined_with_its_reason_and_the_rest_is_scored(lake, tmp_path):
    folder, samples, images = lake
    png = cv2.imencode(".png", images[0])[1].tobytes()
    poison = {
        "empty_file": folder.put(b""),
        "not_an_image": folder.put(b"just some text"),
        "image_truncated": folder.put(png[: len(png) - 20]),
    }
    lost = folder.put(b"these bytes will be gone")
    (tmp_path / "blobs" / lost.key).unlink()
    bad = [Sample.of(name, ref) for name, ref in (poison | {"blob_unreadable": lost}).items()]
    scores = score(Session(linear_model().SerializeToString()), [*bad, *samples], folder)
    assert {(item.md5, item.code) for item in scores.refused} == {(sample.md5, sample.key) for sample in bad}
    assert len(scores) == 23


def test_a_score_file_reads_back_and_equal_scores_are_equal_bytes(lake):
    folder, samples, _ = lake
    session = Session(linear_model().SerializeToString())
    first = score(session, samples, folder)
    again = score(session, samples[::-1], folder, batch_size=23)
    (read,) = mapped([[first.to_bytes()]])
    assert np.array_equal(read.md5, first.md5)
    assert first.md5.tolist() == sorted(first.md5.tolist())
    assert again.md5.tolist() == first.md5.tolist()
    assert first.to_bytes() == read.to_bytes()


@given(st.lists(st.binary(min_size=16, max_size=16), unique=True, max_size=30), st.integers(0, 30))
@settings(max_examples=examples(60))
def test_the_table_finds_what_is_there_and_says_what_is_not(digests, cut):
    hexes = [digest.hex() for digest in digests]
    known, unknown = hexes[:cut], hexes[cut:]
    numbers = np.arange(len(known), dtype=np.float32)[:, None]
    table = ScoreTable([Scores.of(packed(known[at::2]), numbers[at::2], numbers[at::2]) for at in (0, 1)])
    assert (table.rows(packed(unknown)) == -1).all()
    rows = table.rows(packed(known))
    assert table.probabilities_of(rows)[:, 0].tolist() == numbers[:, 0].tolist()


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (b"no model at all", "not an ONNX model"),
        (linear_model(metadata=False).SerializeToString(), "no entry 'motherlode'"),
        (linear_model(outputs=("logits",)).SerializeToString(), "lacks the outputs embedding, probabilities"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(proto, words):
    with pytest.raises(ModelError, match=words):
        Session(proto)


def test_external_weights_are_refused():
    made = linear_model()
    weights = made.graph.initializer[0]
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key="location", value="../secret.bin")
    with pytest.raises(ModelError, match="outside the file"):
        Session(made.SerializeToString())


def test_the_program_writes_the_file_tells_its_progress_and_never_imports_torch(lake, tmp_path):
    _, samples, _ = lake
    (tmp_path / "model.onnx").write_bytes(linear_model().SerializeToString())
    write_manifest(tmp_path / "samples.jsonl", samples)
    config = {
        "model": "model.onnx",
        "samples": "samples.jsonl",
        "out": "scores.npz",
        "blobs": "blobs",
        "batch_size": 10,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    probe = (
        "import runpy, sys\n"
        "try:\n    runpy.run_module('scoring', run_name='__main__')\n"
        "finally:\n    assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, "config.json"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    told = [event["done"] for event in events if event["event"] == "progress"]
    assert (told[0], told[-1]) == (10, 23)
    assert told == sorted(told)
    assert events[-1]["event"] == "result"
    assert events[-1]["scored"] == 23
    assert len(*mapped([[(tmp_path / "scores.npz").read_bytes()]])) == 23
