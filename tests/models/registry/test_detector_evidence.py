"""What a detector's evaluation serves: what it got right and wrong, one by one, with the background; gates."""

import base64
import io
from itertools import product
from typing import Any

import numpy as np
import pytest
from PIL import Image

from blobs.services import keep_bytes
from catalog.versions.datasets import create_dataset, find_version
from core.errors import Invalid
from registry.gates import check_gates, judge
from registry.models import Artifact, Model, ModelVersion
from registry.services import create_model
from tasktypes import task_type
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


ADDRESS = "/models/signs/versions/1/outcomes"


def listed(api, **asked: object) -> dict[str, Any]:
    answer = api.get(ADDRESS, asked)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def keys(api, label: str, predicted: str) -> list[str]:
    return [row["key"] for row in listed(api, kind="cell", label=label, predicted=predicted)["results"]]


def test_the_background_has_what_is_no_object_and_what_was_not_found(api, alice, object_store):
    detector(api, alice, ["stop", "yield"])
    assert keys(api, "background", "stop") == ["taken.png", "nothing.png"]
    assert keys(api, "stop", "background") == ["missed.png"]
    assert keys(api, "-1", "yield") == []


def test_an_image_is_in_the_cell_of_each_of_its_objects(api, alice, object_store):
    detector(api, alice, ["stop", "yield"])
    assert keys(api, "stop", "yield") == ["taken.png"]
    assert keys(api, "yield", "yield") == ["taken.png"]
    assert keys(api, "stop", "stop") == ["found.png"]


def test_a_class_called_background_is_itself(api, alice, object_store):
    detector(api, alice, ["stop", "background"])
    assert keys(api, "stop", "background") == ["taken.png"]
    assert keys(api, "stop", "-1") == ["missed.png"]


def test_nothing_is_counted_where_nothing_is_and_nothing_is_said(api, alice, object_store):
    detector(api, alice, ["stop", "yield"])
    for asked, field in (({"kind": "cell", "label": "background", "predicted": "-1"}, "predicted"),
                         ({"kind": "missed", "class": "background"}, "class")):  # fmt: skip
        refused = api.get(ADDRESS, asked)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])


def test_every_cell_class_slice_and_point_of_a_curve_has_as_many_as_the_evaluation_says(api, alice, object_store):
    classes = ["stop", "yield"]
    detector(api, alice, classes)
    metrics = api.get("/models/signs/versions/1").json()["metrics"]
    names = [*classes, "background"]
    for row, label in enumerate(names):
        for column, predicted in enumerate(names):
            if label != "background" or predicted != "background":
                found = listed(api, kind="cell", label=label, predicted=predicted)
                assert found["total"] == len(found["results"]) == metrics["confusion"][row][column]
    assert rates(api) == pytest.approx((metrics["precision"], metrics["recall"]))
    day = metrics["slices"]["day"]
    assert rates(api, slice="day") == pytest.approx((day["precision"], day["recall"]))
    for name in classes:
        told, curve = metrics["per_class"][name], metrics["curves"][name]
        assert rates(api, **{"class": name}) == pytest.approx((told["precision"], told["recall"]))
        for recall, precision, score in zip(np.linspace(0, 1, 101), curve["precision"], curve["score"], strict=True):
            if score:
                here = rates(api, **{"class": name}, threshold=score)
                assert here[1] >= recall - 1e-9
                assert here[0] <= precision + 5e-5


def rates(api, **asked: object) -> tuple[float | None, float | None]:
    """Precision and recall from what is listed."""
    wrong, missed = (listed(api, kind=kind, limit=500, **asked) for kind in ("wrong", "missed"))
    counts = wrong["counts"]
    assert (counts["wrong"], counts["missed"]) == (len(wrong["results"]), len(missed["results"]))
    right = counts["right"]
    return (right / (right + counts["wrong"]) if right + counts["wrong"] else None,
            right / (right + counts["missed"]) if right + counts["missed"] else None)  # fmt: skip


def test_a_row_says_where_the_box_and_the_object_are_and_how_far_they_overlap(api, alice, object_store):
    samples = detector(api, alice, ["stop", "yield"])
    (taken,) = listed(api, kind="cell", label="stop", predicted="yield")["results"]
    assert {name: taken[name] for name in ("sample", "label", "predicted", "score", "width", "height", "overlap")} == {
        "sample": samples["taken.png"], "label": "stop", "predicted": "yield", "score": pytest.approx(0.8), "width": 8,
        "height": 8, "overlap": 1.0,
    }  # fmt: skip
    assert taken["box"] == taken["object"] == [corner / 8 for corner in HERE]
    first, second = listed(api, kind="cell", label="background", predicted="stop")["results"]
    assert [(row["key"], row["object"], row["overlap"]) for row in (first, second)] == [
        ("taken.png", None, 0.0), ("nothing.png", None, 0.0),
    ]  # fmt: skip
    (missed,) = listed(api, kind="cell", label="stop", predicted="background")["results"]
    assert (missed["key"], missed["box"], missed["score"], missed["overlap"]) == ("missed.png", None, 0.0, 0.0)


def test_a_higher_threshold_finds_fewer_and_misses_more(api, alice, object_store):
    detector(api, alice, ["stop", "yield"])
    missed = listed(api, kind="missed", **{"class": "yield"}, threshold=0.75)
    assert [(row["key"], row["score"]) for row in missed["results"]] == [("taken.png", pytest.approx(0.7))]
    assert missed["counts"] == {"right": 0, "wrong": 1, "missed": 1}
    assert listed(api, kind="cell", label="background", predicted="stop", threshold=0.7)["total"] == 1


def test_samples_of_several_classes_have_lists_and_no_cells(api, alice, object_store):
    dataset = create_dataset("tags", task="multilabel", classes=["a", "b"], description="", author=alice)
    labels = [["a"], ["a", "b"], []]
    samples = [{"key": f"{at}.png", "data": picture(at), "split": "val", "label": {"classes": named}}
               for at, named in enumerate(labels)]  # fmt: skip
    assert api.post("/datasets/tags", {"samples": samples}, format="json").status_code == 201
    dataset.refresh_from_db()
    head = find_version(dataset, "head")
    md5 = dict(head.revisions.values_list("sample__key", "blob__md5"))
    judged = task_type("multilabel").metrics
    made = judged.judged(np.array([[0.9, 0.6], [0.3, 0.8], [0.2, 0.1]], np.float32), judged.targets(
        [{"classes": named} for named in labels], ["a", "b"]
    )).named(sorted(md5), [md5[key] for key in sorted(md5)], slices={})  # fmt: skip
    model = create_model("tagger", task="multilabel", classes=["a", "b"], description="", author=alice)
    version = ModelVersion.objects.create(model=model, number=1, architecture="small_cnn", digest="1" * 64,
                                          dataset_version=head, created_by=alice)  # fmt: skip
    blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)
    address = "/models/tagger/versions/1/outcomes"
    wrong, missed = (api.get(address, {"kind": kind}).json() for kind in ("wrong", "missed"))
    assert [(row["key"], row["label"], row["predicted"]) for row in wrong["results"]] == [("0.png", None, "b")]
    assert [(row["key"], row["label"], row["predicted"]) for row in missed["results"]] == [("1.png", "a", None)]
    assert (wrong["split"], wrong["counts"]) == ("val", {"right": 2, "wrong": 1, "missed": 1})
    refused = api.get(address, {"kind": "cell", "label": "a", "predicted": "b"})
    assert (refused.status_code, refused.json()["code"]) == (422, "task_unsuited")


def test_a_figure_is_one_of_the_whole_of_a_slice_and_of_a_class(api, alice, object_store, subtests):
    detector(api, alice, ["stop", "yield"])
    version = ModelVersion.objects.get()
    values = [({}, 0.5), ({"slice": "day"}, 0.5), ({"class": "yield"}, 1.0), ({"class": "*"}, 1 / 3)]
    for (part, value), confidence in product(values, [{}, {"confidence": 0.95}]):
        with subtests.test(part=part, value=value, confidence=confidence):
            for least, passes in ((-1.0, True), (1.1, False)):
                gate = {"metric": "recall", "min": least} | part | confidence
                (found,) = judge(version, [gate], against=None)
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
