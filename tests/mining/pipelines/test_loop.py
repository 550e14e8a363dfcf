"""A whole turn of the loop with its real programs; and what may not happen in it."""

from typing import Any

import pytest

from catalog.models import Dataset
from jobs import services as jobs
from mining_jobs.models import MiningJob, ScoreFile
from pipelines.models import Round
from pipelines.rounds import loop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
CHECKS = [{"check": "parity"}, {"check": "tensorrt_ready"}]
PIPELINE = {
    "name": "loop", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "margin",
    "count": 10, "control": 0.2, "config": {"recipe": {"steps": 20}},
    "gates": CHECKS,
}  # fmt: skip
GATES = [*CHECKS, {"metric": "accuracy", "slice": "*", "min_delta": -1, "confidence": 0.95}]


def start(api, **changes):
    answer = api.post("/pipelines", PIPELINE | changes, format="json")
    assert answer.status_code == 201, answer.content
    return api.post("/pipelines/loop/rounds").status_code


def newest(api):
    return api.get("/pipelines/loop/rounds").json()["results"][0]


def label_all(api, queue, truth):
    while (handout := api.post(f"/labeling/queues/{queue}/next", {"count": 10}, format="json")).status_code == 200:
        for task in handout.json()["tasks"]:
            said = {"value": {"class": truth[task["sample"]["key"]]}, "seconds": 1, "lease_token": task["lease_token"]}
            assert api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json").status_code == 200


@pytest.mark.timeout(240)
def test_a_round_trains_scores_picks_waits_commits_retrains_and_promotes(api, truth, run_job):
    night = {"name": "first", "filter": {"q": "-0"}}
    assert api.post("/datasets/digits/slices", night, format="json").status_code == 201
    assert start(api, gates=GATES) == 202
    round_ = Round.objects.get()
    while (state := newest(api)["state"]) not in {"labelling", "done", "failed"}:
        for job in loop.advance(round_.pk):
            run_job(job)
    assert state == "labelling", newest(api)["error"]

    picks = api.get(f"/mining/jobs/{newest(api)['mining_job']}/picks").json()["results"]
    assert [pick["rank"] for pick in picks] == list(range(1, 11))
    assert sum(pick["control"] for pick in picks) == 2
    assert all(pick["reason"] and len(pick["neighbours"]) == 3 for pick in picks)
    histogram = api.get(f"/mining/jobs/{newest(api)['mining_job']}/histogram").json()
    mined = api.get(f"/mining/jobs/{newest(api)['mining_job']}").json()
    assert sum(histogram["counts"]) == mined["stats"]["candidates"] == 60 - sum(mined["stats"]["kept_out"].values())

    label_all(api, newest(api)["queue_id"], truth)
    while newest(api)["state"] not in {"done", "failed"}:
        for job in loop.advance(round_.pk):
            run_job(job)
    done = newest(api)
    assert (done["state"], done["labels"], done["promoted"]) == ("done", 30, True)
    assert done["lift"]["control"]["n"] == 2
    points = api.get("/pipelines/loop/curve").json()["points"]
    assert [(point["labels"], point["model_version"]) for point in points] == [(20, 1), (30, 2)]
    assert all(point["low"] <= point["accuracy"] <= point["high"] for point in points)

    version = api.get("/models/digits-cnn/versions/production").json()
    assert version["version"] == 2
    assert version["report"]["ready"]
    assert version["metrics"]["slices"]["first"]["samples"] == 10
    assert newest(api)["promotion"]["gates"][2]["detail"] == "the alias points to nothing yet"
    assert {"model.onnx", "predictions.npz", "report.json", "checkpoint.safetensors"} <= {
        row["path"] for row in version["artifacts"]
    }
    onnx = next(row for row in version["artifacts"] if row["path"] == "model.onnx")
    assert onnx["sha256"] == version["digest"]
    assert len(b"".join(api.get(onnx["url"]))) == onnx["size"]

    # A second look at the same pool with the same model: nothing is scored again.
    again = {"dataset": "digits", "version": "1", "model": "digits-cnn@1", "strategy": "entropy", "count": 5}
    mining = api.post("/mining/jobs", again, format="json").json()
    rows = ScoreFile.objects.count()
    run_job(MiningJob.objects.get(pk=mining["id"]).job)
    stats = api.get(f"/mining/jobs/{mining['id']}").json()["stats"]
    assert (stats["scored"], stats["reused"]) == (0, 80)
    assert ScoreFile.objects.count() == rows


@pytest.mark.clock
@pytest.mark.timeout(120)
def test_a_commit_while_the_model_is_trained_trains_another_of_the_new_head(api, truth, run_job):
    assert start(api) == 202
    round_ = Round.objects.get()
    (first,) = loop.advance(round_.pk)
    run_job(first)
    api.post("/datasets/digits", {"labels": [{"key": "pool-00.png", "label": {"class": "0"}}]}, format="json")
    (second,) = loop.advance(round_.pk)
    assert second.pk != first.pk
    assert newest(api)["state"] == "training"
    assert [run["version"] for run in api.get("/runs").json()["results"]] == [2, 1]


def test_two_rounds_of_a_pipeline_never_overlap(api, truth):
    assert start(api) == 202
    refused = api.post("/pipelines/loop/rounds")
    assert (refused.status_code, refused.json()["code"]) == (409, "round_open")


def test_a_cancelled_job_cancels_the_round_and_a_retry_takes_the_step_up_again(api, truth):
    assert start(api) == 202
    (job,) = loop.advance(Round.objects.get().pk)
    jobs.cancel(job.pk)
    loop.advance(Round.objects.get().pk)
    assert newest(api)["state"] == "cancelled"
    assert api.post("/pipelines/loop/retry").status_code == 202
    (again,) = loop.advance(Round.objects.get().pk)
    assert again.pk != job.pk
    assert newest(api)["state"] == "training"


def test_a_paused_pipeline_takes_no_step(api, truth):
    assert start(api) == 202
    assert api.post("/pipelines/loop/pause").json()["state"] == "paused"
    assert loop.advance(Round.objects.get().pk) == []
    assert api.post("/pipelines/loop/resume").json()["state"] == "running"
    assert len(loop.advance(Round.objects.get().pk)) == 1


def test_advancing_twice_takes_no_step_twice(api, truth):
    assert start(api) == 202
    assert len(loop.advance(Round.objects.get().pk)) == 1
    assert loop.advance(Round.objects.get().pk) == []
    assert api.get("/runs").json()["results"][0]["id"] == Round.objects.get().first_run_id


def test_a_pipeline_that_cannot_run_is_refused_by_field(api, truth, subtests):
    change: Any
    for change, field in [
        ({"strategy": "magic"}, "strategy"),
        ({"strategy": {"name": "k_center", "params": {"block": 0}}}, "strategy.params.block"),
        ({"architecture": "perceptron"}, "architecture"),
        ({"config": {"recipe": {"steps": -1}}}, "config.recipe.steps"),
        ({"config": {"optimizer": "adam"}}, "config"),
        ({"gates": [{"check": "luck"}]}, "gates.0.check"),
        ({"control": 1}, "control"),
        ({"count": 0}, "count"),
    ]:
        with subtests.test(change=change, field=field):
            answer = api.post("/pipelines", PIPELINE | change, format="json")
            assert answer.status_code == 400
            assert field in answer.json()["errors"], answer.json()


def test_a_model_of_other_classes_is_refused(api, truth):
    api.post("/models", {"name": "cats", "task": "classification", "classes": ["cat"]}, format="json")
    answer = api.post("/pipelines", PIPELINE | {"model": "cats"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "classes_differ")
    assert "model" in answer.json()["errors"]


def test_with_nothing_to_train_on_the_round_mines_without_a_model(api, truth):
    dataset = Dataset.objects.get(name="digits")
    keys = [key for key in truth if key.startswith("train")]
    assert api.post(f"/datasets/{dataset.pk}", {"remove": keys}, format="json").status_code == 201
    assert start(api) == 202
    loop.advance(Round.objects.get().pk)
    assert newest(api)["state"] == "scoring"
    assert MiningJob.objects.get().model_version is None
