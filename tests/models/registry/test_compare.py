"""Two versions side by side on the samples that both were asked; runs side by side."""

import numpy as np
import pytest

from blobs.services import keep_bytes, store
from catalog.models import Version
from jobs.models import JobEvent
from registry.models import Artifact, Model, ModelVersion, Run
from registry.runs_compared import POINTS
from registry.services import RunSpec, start_run
from tasktypes import task_type
from tasktypes.classification.predictions import ClassPredictions

pytestmark = pytest.mark.django_db


def compare(api, a, b, status=200):
    answer = api.get("/models/digits-cnn/compare", {"a": a, "b": b})
    assert answer.status_code == status, answer.content
    return answer.json()


def named(rows, name):
    (found,) = [row for row in rows if row["name"] == name]
    return found


def said(version) -> ClassPredictions:
    return ClassPredictions.read(store().get(Artifact.objects.get(version=version, path="predictions.npz").blob.ref))


def test_a_better_version_is_better_beyond_chance_as_a_whole_by_class_and_by_slice(api, evaluated):
    old, new = evaluated(night=320, day=1440), evaluated(night=316, day=1590)
    told = compare(api, old.number, new.number)
    assert (told["a"]["version"], told["b"]["version"], told["common"], told["note"]) == (1, 2, 2000, None)
    accuracy = named(told["metrics"], "accuracy")
    known = task_type("classification").metrics.difference("accuracy", said(new), said(old))
    assert (accuracy["a"], accuracy["b"]) == (0.88, 0.953)
    assert accuracy["delta"] == pytest.approx(0.073)
    assert tuple(accuracy["interval"]) == known.interval
    assert accuracy["a_interval"] == pytest.approx(old.metrics["intervals"]["accuracy"])
    assert accuracy["better"] == "b"
    loss = named(told["metrics"], "loss")
    assert (loss["delta"] < 0, loss["better"]) == (True, "b")
    night, day = (named(named(told["slices"], name)["metrics"], "accuracy") for name in ("night", "day"))
    assert (night["delta"], night["better"]) == (pytest.approx(-0.01), "a")  # the same 4 samples, and none gained
    assert (day["delta"], day["better"]) == (pytest.approx(150 / 1600), "b")
    assert named(told["slices"], "night")["samples"] == 400
    zero = named(told["per_class"], "0")
    assert zero["support"] == 1000
    recall = named(zero["metrics"], "recall")
    assert recall["delta"] == pytest.approx((158 + 795) / 1000 - (160 + 720) / 1000)
    assert recall["interval"][0] <= recall["delta"] <= recall["interval"][1]
    backwards = named(compare(api, new.number, old.number)["metrics"], "accuracy")
    assert (backwards["delta"], backwards["better"]) == (pytest.approx(-0.073), "a")


def test_confusion_and_costs_stand_side_by_side(api, evaluated):
    old, new = evaluated(night=320, day=1440, variant="int8"), evaluated(night=320, day=1590, variant="int8")
    told = compare(api, "1", "2")
    confusion = told["confusion"]
    assert confusion["a"] == old.metrics["confusion"]
    assert confusion["b"] == new.metrics["confusion"]
    assert np.sum(confusion["delta"]) == 0
    assert np.trace(confusion["delta"]) == 150
    costs = {(row["artifact"], row["name"]): (row["a"], row["b"], row["delta"]) for row in told["costs"]}
    assert costs["model.onnx", "size_bytes"] == (1000, 2000, 1000)
    assert costs["model.onnx", "latency_p95_ms"] == (3, 3, 0)
    assert costs["model.int8.onnx", "size_bytes"] == (1000, 2000, 1000)


def test_no_difference_is_better_for_nobody(api, evaluated):
    evaluated(night=320, day=1440), evaluated(night=320, day=1440)
    accuracy = named(compare(api, 1, 2)["metrics"], "accuracy")
    assert (accuracy["delta"], accuracy["interval"], accuracy["better"]) == (0, [0, 0], None)


def test_only_what_both_were_asked_counts_and_the_answer_says_so(api, evaluated):
    old, new = evaluated(night=320, day=1440), evaluated(night=316, day=1590)
    keep(new, said(new).rows(np.arange(2000) < 400))
    told = compare(api, 1, 2)
    assert told["common"] == 400
    assert "400 test samples that both were asked, of 2000 and 400" in told["note"]
    accuracy = named(told["metrics"], "accuracy")
    assert (accuracy["a"], accuracy["b"], accuracy["a_interval"]) == (0.8, 0.79, None)
    day = named(told["slices"], "day")
    assert (day["metrics"], "both were asked" in day["not_computed"]) == ([], True)
    keep(new, said(old).rows(np.arange(2000) < 0))
    apart = compare(api, 1, 2)
    assert (apart["common"], "no test sample was asked of both" in apart["note"]) == (None, True)


def keep(version, predictions):
    """Put other predictions into a version's file."""
    blob = keep_bytes(predictions.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.filter(version=version, path="predictions.npz").update(blob=blob)


def test_versions_without_predictions_are_compared_by_what_was_stored(api, version_with):
    version_with(0.8), version_with(0.9), version_with(None)
    told = compare(api, 1, 2)
    accuracy = named(told["metrics"], "accuracy")
    assert (accuracy["a"], accuracy["b"], accuracy["interval"], accuracy["better"]) == (0.8, 0.9, None, None)
    assert accuracy["delta"] == pytest.approx(0.1)
    assert "has no predictions.npz" in told["note"]
    assert (told["confusion"], told["slices"]) == (None, [])
    assert named(compare(api, 1, 3)["metrics"], "accuracy")["delta"] is None


def test_what_cannot_be_compared_is_named(api, version_with):
    version_with(0.8)
    assert list(compare(api, 1, 1, status=400)["errors"]) == ["b"]
    assert list(compare(api, "", 1, status=400)["errors"]) == ["a"]
    assert compare(api, 1, 7, status=404)["code"] == "model_version_unknown"


@pytest.fixture
def runs(api, truth, alice) -> list[Run]:
    """Two runs of other steps, with curves of other lengths."""
    made = []
    for steps, seed in ((5, 0), (9, 1)):
        spec = RunSpec("small_cnn", {"recipe": {"steps": steps}}, seed=seed)
        run = start_run(Model.objects.get(), Version.objects.get(), spec, author=alice)
        JobEvent.objects.bulk_create(
            JobEvent(job=run.job, kind=JobEvent.Kind.POINT, data={"step": step, "values": {"loss": 1 / (step + 1)}})
            for step in range(steps * 100)
        )
        made.append(run)
    return made


def test_runs_show_what_differs_every_default_written_out_and_their_curves(api, runs):
    answer = api.get("/runs/compare", {"ids": f"{runs[1].pk},{runs[0].pk}"})
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert [run["id"] for run in told["runs"]] == [runs[1].pk, runs[0].pk]
    differing = {row["name"]: row["values"] for row in told["config"] if not row["same"]}
    assert differing == {"seed": [1, 0], "recipe.steps": [9, 5]}
    assert "recipe.batch_size" in {row["name"] for row in told["config"]}
    (loss,) = told["series"]
    assert [len(curve) for curve in loss["curves"]] == [POINTS, 500]
    assert loss["curves"][0][0] == [0, 1.0]
    assert loss["curves"][0][-1][0] == 899
    assert told["metrics"] == []


@pytest.mark.parametrize("ids", ["", "1", "1,x", "1,999999", ",".join(map(str, range(1, 13))), "9" * 30 + ",1"])
def test_runs_that_cannot_be_compared_are_named(api, ids):
    answer = api.get("/runs/compare", {"ids": ids})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["ids"])


def test_all_runs_stand_in_one_table_by_what_they_were_told_and_what_came_out(
    api, runs, alice, django_assert_max_num_queries
):
    version = ModelVersion.objects.create(
        model=runs[0].model, number=3, run=runs[0], digest="0" * 64, metrics={"accuracy": 0.9}, created_by=alice
    )
    with django_assert_max_num_queries(9):
        told = api.get("/runs/table", {"model": "digits-cnn"}).json()
    assert (told["total"], [row["id"] for row in told["runs"]]) == (2, [runs[1].pk, runs[0].pk])
    assert [(row["model_version"], row["state"], row["seconds"]) for row in told["runs"]] == [
        (None, "queued", None), (version.number, "queued", None),
    ]  # fmt: skip
    assert {row["name"]: row["values"] for row in told["config"] if not row["same"]} == {
        "seed": [1, 0], "recipe.steps": [9, 5],
    }  # fmt: skip
    assert named(told["metrics"], "accuracy")["values"] == [None, 0.9]
    newest = api.get("/runs/table", {"limit": 1}).json()
    assert (newest["total"], [row["id"] for row in newest["runs"]]) == (2, [runs[1].pk])
    assert api.get("/runs/table", {"model": "nobody"}).status_code == 404
    assert list(api.get("/runs/table", {"limit": 1001}).json()["errors"]) == ["limit"]
