"""What a detector's evaluation serves: the pictures behind a cell of its confusion matrix and its background; gates."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from blobs.services import keep_bytes
from catalog.versions.datasets import create_dataset, find_version
from core.errors import Invalid
from registry.gates import check_gates, judge
from registry.models import Artifact, Model, ModelVersion
from registry.services import create_model
from tasktypes.detection.metrics import DetectionMetrics
from tasktypes.detection.predictions import BoxPredictions

pytestmark = pytest.mark.django_db
HERE, THERE = [1, 1, 5, 5], [6, 6, 8, 8]
LABELS = {
    "found.png": [("stop", HERE)],
    "missed.png": [("stop", HERE)],
    "nothing.png": [],
    "taken.png": [("stop", HERE), ("yield", THERE)],
}
SAID = {
    "found.png": [("stop", HERE, 0.9)],
    "missed.png": [],
    "nothing.png": [("stop", HERE, 0.6)],
    "taken.png": [("yield", HERE, 0.8), ("yield", THERE, 0.7), ("stop", [0, 6, 2, 8], 0.95)],
}


def picture(shade: int) -> str:
    stream = io.BytesIO()
    Image.new("L", (8, 8), shade * 40).save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode()


def detector(api, alice, classes: list[str]) -> dict[str, int]:
    """A version of `signs` that was asked four test images; sample ids by key."""
    dataset = create_dataset("roads", task="detection", classes=classes, description="", author=alice)
    label = {key: {"boxes": [{"class": classes[name == "yield"], "box": box} for name, box in boxes]}
             for key, boxes in LABELS.items()}  # fmt: skip
    samples = [{"key": key, "data": picture(shade), "split": "test", "label": label[key]}
               for shade, key in enumerate(LABELS)]  # fmt: skip
    answer = api.post("/datasets/roads", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content
    dataset.refresh_from_db()
    head = find_version(dataset, "head")
    rows = {row.sample.key: row for row in head.revisions.select_related("sample", "blob")}
    answers = np.zeros((len(SAID), 3, 6), np.float32)
    for row, boxes in enumerate(SAID.values()):
        for column, (name, box, score) in enumerate(boxes):
            answers[row, column] = [*(corner / 8 for corner in box), score, name == "yield"]
    targets = DetectionMetrics().targets([label[key] for key in SAID], classes, [(8, 8)] * len(SAID))
    made = BoxPredictions.of(answers, targets)
    made = made.named(list(SAID), [rows[key].blob.md5 for key in SAID], slices={"day": ["found.png", "missed.png"]})
    model: Model = create_model("signs", task="detection", classes=classes, description="", author=alice)
    version = ModelVersion.objects.create(
        model=model, number=1, architecture="centre_lite0", digest="0" * 64, dataset_version=head, created_by=alice,
        metrics=DetectionMetrics().document(made, classes),
    )  # fmt: skip
    blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)
    return {key: row.sample_id for key, row in rows.items()}


def keys(api, samples: dict[str, int], label: str, predicted: str) -> list[str]:
    answer = api.get("/models/signs/versions/1/confused", {"label": label, "predicted": predicted})
    assert answer.status_code == 200, answer.content
    names = {number: key for key, number in samples.items()}
    return [names[number] for number in answer.json()["samples"]]


def test_the_background_has_what_is_no_object_and_what_was_not_found(api, alice, object_store):
    samples = detector(api, alice, ["stop", "yield"])
    assert keys(api, samples, "background", "stop") == ["taken.png", "nothing.png"]
    assert keys(api, samples, "stop", "background") == ["missed.png"]
    assert keys(api, samples, "-1", "yield") == []


def test_an_image_is_in_the_cell_of_each_of_its_objects(api, alice, object_store):
    samples = detector(api, alice, ["stop", "yield"])
    assert keys(api, samples, "stop", "yield") == ["taken.png"]
    assert keys(api, samples, "yield", "yield") == ["taken.png"]
    assert keys(api, samples, "stop", "stop") == ["found.png"]


def test_a_class_called_background_is_itself(api, alice, object_store):
    samples = detector(api, alice, ["stop", "background"])
    assert keys(api, samples, "stop", "background") == ["taken.png"]
    assert keys(api, samples, "stop", "-1") == ["missed.png"]


def test_nothing_is_counted_where_nothing_is_and_nothing_is_said(api, alice, object_store):
    detector(api, alice, ["stop", "yield"])
    refused = api.get("/models/signs/versions/1/confused", {"label": "background", "predicted": "-1"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["predicted"])


def test_samples_of_one_class_have_no_background(api, model, version_with):
    version_with(0.5)
    refused = api.get("/models/digits-cnn/versions/1/confused", {"label": "background", "predicted": "1"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["label"])


@pytest.mark.parametrize("confidence", [{}, {"confidence": 0.95}])
@pytest.mark.parametrize(
    ("part", "value"),
    [({}, 0.5), ({"slice": "day"}, 0.5), ({"class": "yield"}, 1.0), ({"class": "*"}, 1 / 3)],
)
def test_a_figure_is_one_of_the_whole_of_a_slice_and_of_a_class(api, alice, object_store, part, value, confidence):
    detector(api, alice, ["stop", "yield"])
    version = ModelVersion.objects.get()
    for least, passes in ((-1.0, True), (1.1, False)):
        gate = {"metric": "recall", "min": least} | part | confidence
        (found,) = judge(version, check_gates([gate], DetectionMetrics()), against=None)
        assert found.passed is passes, found
        assert f"{value:.4f}" in found.detail, found


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"metric": "ap", "min": 0.5}, "ap is a figure of one class: name it"),
        (
            {"metric": "map", "class": "stop", "min": 0.5},
            "f1, recall_at_p90 are figures of a class",
        ),
        (
            {"metric": "accuracy", "min": 0.5},
            "f1, recall_at_p90, exact_match, loss, ap, ap50, latency_ms",
        ),
    ],
)
def test_a_gate_that_a_detector_has_not_is_refused(gate, words):
    with pytest.raises(Invalid, match=words):
        check_gates([gate], DetectionMetrics())
