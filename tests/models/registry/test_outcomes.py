"""What a classifier got right and wrong, one by one: cells, missed and wrong samples, and what is refused."""

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from blobs.services import keep_bytes, store
from catalog.versions.datasets import find_version
from registry.models import Artifact
from tasktypes.classification.metrics import ClassificationMetrics
from tasktypes.classification.predictions import ClassPredictions

pytestmark = pytest.mark.django_db
ADDRESS = "/models/digits-cnn/versions/1/outcomes"


@pytest.fixture
def shown(api, object_store, dataset, version_with):
    """A version asked six test images of class 0 and 1, one picture of which lies in train too; sample ids by key."""

    def picture(shade: int) -> str:
        stream = io.BytesIO()
        Image.new("L", (8, 8), shade * 40).save(stream, "PNG")
        return base64.b64encode(stream.getvalue()).decode()

    samples = [{"key": f"{number}.png", "data": picture(number), "split": "test", "label": {"class": str(number % 2)}}
               for number in range(6)]  # fmt: skip
    answer = api.post("/datasets/digits", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content
    dataset.refresh_from_db()
    head = find_version(dataset, "head")
    rows = {row.sample.key: row for row in head.revisions.select_related("sample", "blob")}
    keys = sorted(rows)
    said = np.array([0, 0, 1, 1, 1, 1])  # wrong: 2 and 4 of class 0, and 1 of class 1
    sure = np.array([0.6, 0.7, 0.8, 0.9, 0.95, 0.6], np.float32)
    probabilities = np.where(np.arange(2) == said[:, None], sure[:, None], 1 - sure[:, None]).astype(np.float32)
    made = ClassPredictions.of(probabilities, np.array([0, 1, 0, 1, 0, 1]))
    made = made.named(
        keys, [rows[key].blob.md5 for key in keys], slices={"odd": [key for key in keys if int(key[0]) % 2]}
    )
    version = version_with(0.5)
    version.dataset_version = head
    version.metrics = ClassificationMetrics().document(made, ["0", "1"])
    version.save()
    blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)
    return {key: row.sample_id for key, row in rows.items()}


def keys(answer) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["key"] for row in answer.json()["results"]]


def test_a_cell_names_its_samples_the_surest_first(api, shown):
    found = api.get(ADDRESS, {"kind": "cell", "label": "0", "predicted": "1"}).json()
    assert (found["dataset"], found["version"], found["split"], found["total"]) == ("digits", 1, "test", 2)
    assert (found["counts"], found["next"]) == (None, None)
    first = found["results"][0]
    assert (first["key"], first["sample"], first["label"], first["predicted"]) == ("4.png", shown["4.png"], "0", "1")
    assert (first["score"], first["width"]) == (pytest.approx(0.95), 8)
    assert (first["box"], first["object"], first["overlap"]) == (None, None, None)
    assert [row["key"] for row in found["results"]] == ["4.png", "2.png"]


def test_every_cell_and_class_has_what_the_evaluation_counts(api, shown):
    metrics = api.get("/models/digits-cnn/versions/1").json()["metrics"]
    for row, label in enumerate("01"):
        for column, predicted in enumerate("01"):
            answer = api.get(ADDRESS, {"kind": "cell", "label": label, "predicted": predicted}).json()
            assert answer["total"] == len(answer["results"]) == metrics["confusion"][row][column]
        counts = {}
        for kind in ("missed", "wrong"):
            answer = api.get(ADDRESS, {"kind": kind, "class": label}).json()
            counts = answer["counts"]
            assert answer["total"] == len(answer["results"]) == counts[kind]
        told = metrics["per_class"][label]
        assert told["recall"] == pytest.approx(counts["right"] / (counts["right"] + counts["missed"]))
        assert told["precision"] == pytest.approx(counts["right"] / (counts["right"] + counts["wrong"]))


def test_below_a_threshold_nothing_is_said(api, shown):
    wrong = api.get(ADDRESS, {"kind": "wrong", "threshold": "0.75"})
    assert keys(wrong) == ["4.png", "2.png"]
    assert keys(api.get(ADDRESS, {"kind": "missed", "class": "1", "threshold": "0.75"})) == ["1.png", "5.png"]


def test_a_slice_has_only_its_own(api, shown):
    assert keys(api.get(ADDRESS, {"kind": "missed", "slice": "odd"})) == ["1.png"]
    assert keys(api.get(ADDRESS, {"kind": "missed", "class": "0", "slice": "odd"})) == []


def test_pages_follow_one_another_and_together_are_the_list(api, shown):
    asked, found = {"kind": "missed", "order": "class", "limit": "1"}, []
    answer = api.get(ADDRESS, asked)
    for _ in range(3):
        found += keys(answer)
        assert answer.json()["total"] == 3
        following = answer.json()["next"]
        answer = api.get(following) if following else answer
    assert (found, following) == (["4.png", "2.png", "1.png"], None)


def test_the_samples_behind_a_list_are_those_that_are_still_in_the_dataset(api, shown):
    asked = {"kind": "missed"}
    before = api.get(f"{ADDRESS}/samples", asked).json()
    assert [one["key"] for one in before["samples"]] == ["4.png", "2.png", "1.png"]
    assert [one["id"] for one in before["samples"]] == [shown[key] for key in ("4.png", "2.png", "1.png")]
    gone = api.post("/datasets/digits", {"remove": ["2.png"]}, format="json")
    assert gone.status_code == 201, gone.content
    after = api.get(f"{ADDRESS}/samples", asked).json()
    assert ([one["key"] for one in after["samples"]], after["total"]) == (["4.png", "1.png"], 3)
    rows = {row["key"]: row["sample"] for row in api.get(ADDRESS, asked).json()["results"]}
    assert rows == {"4.png": shown["4.png"], "2.png": None, "1.png": shown["1.png"]}


def test_what_makes_no_sense_is_refused_by_name(api, shown, subtests):
    for asked, field in [
        ({}, "kind"),
        ({"kind": "right"}, "kind"),
        ({"kind": "cell", "label": "0"}, "predicted"),
        ({"kind": "cell", "label": "0", "predicted": "cow"}, "predicted"),
        ({"kind": "cell", "label": "background", "predicted": "0"}, "label"),
        ({"kind": "cell", "label": "0", "predicted": "1", "class": "0"}, "class"),
        ({"kind": "wrong", "label": "0"}, "label"),
        ({"kind": "wrong", "class": "cow"}, "class"),
        ({"kind": "wrong", "threshold": "1.5"}, "threshold"),
        ({"kind": "wrong", "threshold": "nan"}, "threshold"),
        ({"kind": "wrong", "slice": "night"}, "slice"),
        ({"kind": "wrong", "order": "key"}, "order"),
        ({"kind": "wrong", "limit": "0"}, "limit"),
        ({"kind": "wrong", "cursor": "x"}, "cursor"),
        ({"kind": "wrong", "klass": "0"}, "klass"),
    ]:
        with subtests.test(asked=asked, field=field):
            refused = api.get(ADDRESS, asked)
            assert (refused.status_code, list(refused.json()["errors"])) == (400, [field]), refused.content


def test_a_version_without_predictions_says_what_to_do(api, model, version_with):
    version_with(0.5)
    for address in (ADDRESS, f"{ADDRESS}/samples"):
        refused = api.get(address, {"kind": "cell", "label": "0", "predicted": "1"})
        assert (refused.status_code, refused.json()["code"]) == (409, "predictions_missing")
        assert "train it again" in refused.json()["detail"]


def test_test_samples_stay_in_test_whatever_is_made_of_a_list(api, shown):
    """What the dialogs of the page say: labels of a queue are committed to split test, a slice moves nothing."""
    found = api.get(f"{ADDRESS}/samples", {"kind": "missed"}).json()["samples"]
    body = {"name": "mend", "dataset": "digits", "samples": [one["key"] for one in found], "answers_per_task": 1}
    queue = api.post("/labeling/queues", body, format="json")
    assert (queue.status_code, queue.json()["counts"]["total"]) == (201, 3), queue.content
    for _ in found:
        (task,) = api.post("/labeling/queues/mend/next", {}, format="json").json()["tasks"]
        answer = {"value": {"class": "1"}, "seconds": 1}
        assert api.post(f"/labeling/tasks/{task['id']}/answer", answer, format="json").status_code < 300
    committed = api.post("/labeling/queues/mend/commit", {}, format="json")
    assert committed.status_code == 201, committed.content
    ids = {"name": "missed", "filter": {"samples": [one["id"] for one in found]}}
    assert api.post("/datasets/digits/slices", ids, format="json").status_code == 201
    rows = api.get("/datasets/digits/versions/head/samples", {"slice": "missed"}).json()["results"]
    assert sorted((row["key"], row["split"], row["label"]["class"]) for row in rows) == [
        ("1.png", "test", "1"), ("2.png", "test", "1"), ("4.png", "test", "1"),
    ]  # fmt: skip


def test_a_bin_of_confidence_leads_to_what_was_said_in_it(api, shown):
    bins = api.get("/models/digits-cnn/versions/1/calibration").json()["bins"]
    assert [(one["low"], one["high"]) for one in bins][-2:] == [(0.8, 0.9), (0.9, 1.0)]
    assert sum(one["said"] for one in bins) == 6
    for one in bins:
        answer = api.get(ADDRESS, {"kind": "said", "score_from": one["low"], "score_to": one["high"]}).json()
        assert answer["total"] == one["said"]
        assert (answer["counts"]["right"], answer["counts"]["wrong"]) == (one["right"], one["said"] - one["right"])
    assert keys(api.get(ADDRESS, {"kind": "said", "score_from": "0.9"})) == ["4.png", "3.png"]
    assert api.get(ADDRESS, {"kind": "said", "score_from": "x"}).json()["errors"].keys() == {"score_from"}


def test_what_another_version_told_right_and_this_one_does_not(api, shown, version_with):
    """Version 2 is right on all but 3: of the errors of version 1 all are got better, of its own one is got worse."""
    first = ClassPredictions.read(store().get(Artifact.objects.get(path="predictions.npz").blob.ref))
    probabilities = np.full((6, 2), 0.1, np.float32)
    probabilities[np.arange(6), first.label] = 0.9
    probabilities[3] = [0.9, 0.1]
    made = ClassPredictions.of(probabilities, first.label.astype(np.int64))
    made = replace(made, md5=first.md5)
    version = version_with(0.9)
    version.dataset_version = Artifact.objects.get(path="predictions.npz").version.dataset_version
    version.save()
    blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)

    assert sorted(keys(api.get(ADDRESS, {"kind": "missed", "right_in": "2"}))) == ["1.png", "2.png", "4.png"]
    worse = api.get(ADDRESS.replace("/1/", "/2/"), {"kind": "missed", "right_in": "1"})
    assert keys(worse) == ["3.png"]
    changed = api.get("/models/digits-cnn/compare", {"a": "1", "b": "2"}).json()["changed"]
    assert changed == {"better": 3, "worse": 1}
    refused = api.get(ADDRESS, {"kind": "missed", "right_in": "1"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["right_in"])
    assert api.get(ADDRESS, {"kind": "missed", "right_in": "9"}).status_code == 404
