"""Back-tests through the API: paired, kept for good, stopped and taken up again, asked for a pipeline's strategy."""

from dataclasses import replace
from typing import Any

import pytest
from tests.linear_model import registered
from tests.mining.conftest import CLASSES
from tests.working import work_on

from backtest import Plan
from backtests import handlers, services
from backtests.models import Backtest, Replay
from blobs.services import store
from catalog.models import Dataset
from core.errors import Conflict, Invalid
from jobs.models import Job, Shard
from pipelines.models import Pipeline
from pipelines.rounds.choices import choose
from registry.models import Model, ModelVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
PROBE = {"kind": "probe", "model": "digits-cnn@1"}
BRIEF = {"recipe": {"steps": 5, "batch_size": 16}}
TRAIN: dict[str, Any] = {"kind": "train", "architecture": "small_cnn", "config": BRIEF}
SIZE = {"seeds": 2, "rounds": 2, "count": 8, "start": 8}
SMALL = {"dataset": "digits", "learner": PROBE, "strategies": ["margin"]} | SIZE


@pytest.fixture
def labelled(api, truth):
    """The pool with its labels: 80 candidates, 30 test samples."""
    labels = [{"key": key, "label": {"class": name}} for key, name in truth.items() if key.startswith("pool")]
    answer = api.post("/datasets/digits", {"labels": labels}, format="json")
    assert answer.status_code == 201, answer.content
    return truth


@pytest.fixture
def model(labelled, alice) -> Model:
    """With one version, whose embeddings are the pixels."""
    return registered(Model.objects.get(), alice, size=(1, 8, 8), classes=CLASSES).model


def started(api, **terms) -> Job:
    answer = api.post("/backtests", SMALL | terms, format="json")
    assert answer.status_code == 202, answer.content
    return Job.objects.get(pk=answer.json()["job"]["id"])


def shown(api, job: Job) -> dict[str, Any]:
    answer = api.get(f"/backtests/{Backtest.objects.get(job=job).pk}")
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def finished(api, run_job, **terms) -> dict[str, Any]:
    job = run_job(started(api, **terms))
    assert job.state == "succeeded", job.error
    return shown(api, job)


def test_a_probe_replays_and_what_is_known_is_not_computed_again(api, labelled, model, run_job):
    first = finished(api, run_job, target=0.5, name="first")
    assert [row["strategy"] for row in first["curves"]] == ["random", "margin"]
    assert [[point["labels"] for point in row["points"]] for row in first["curves"]] == [[8, 16, 24]] * 2
    assert first["curves"][0]["points"][0] == first["curves"][1]["points"][0], "a seed begins alike for all"
    assert {point["n"] for row in first["curves"] for point in row["points"]} == {2}
    assert [(row["strategy"], row["seeds"]) for row in first["labels_to_target"]] == [("random", 2), ("margin", 2)]
    assert (first["target"], first["learner"]) == (0.5, PROBE)
    assert first["best"]["strategy"] in first["best"]["headline"]
    highest = max(first["curves"], key=lambda row: row["mean_accuracy"])
    assert highest["strategy"] == first["best"]["strategy"]
    for row in first["curves"]:
        early, middle, late = (point["mean"] for point in row["points"])
        assert row["mean_accuracy"] == pytest.approx((early + 2 * middle + late) / 4)
    progress = first["job"]["progress"]
    assert (progress["unit"], progress["done"]) == ("samples", 2 * 2 * 3 * 80 + 110), "110 images were scored"
    assert (first["job"]["result"]["replays"], first["job"]["result"]["reused"]) == (4, 0)
    assert Backtest.objects.get().data is None, "embeddings are kept no longer than needed"

    again = finished(api, run_job, target=0.5)
    assert again["job"]["result"]["reused"] == 4
    own = dict.fromkeys(("id", "name", "job", "created"))
    assert again | own == first | own

    more = finished(api, run_job, strategies=["margin", {"name": "entropy", "params": {}}])
    assert (more["job"]["result"]["replays"], more["job"]["result"]["reused"]) == (6, 4)
    assert Replay.objects.count() == 6
    assert [test["strategy"] for test in more["tests"]] == ["margin", "entropy"]
    assert all(store().get(replay.blob.ref) for replay in Replay.objects.select_related("blob"))

    rows = api.get("/backtests").json()["results"]
    assert [row["name"] for row in rows] == [f"backtest-{more['id']}", f"backtest-{again['id']}", "first"]
    assert (rows[0]["best"], "curves" in rows[0]) == (more["best"], False)
    assert api.get("/backtests/first").json() == first

    old = Backtest.objects.get(name="first")
    assert old.report is not None
    for curve in old.report["curves"]:
        del curve["mean_accuracy"]
    old.report["best"] = {"strategy": "typiclust", "params": {}, "reason": "as older versions judged"}
    old.save()
    assert api.get("/backtests/first").json() == first, "one definition holds for reports of any age"

    pipeline = Pipeline(
        dataset=Dataset.objects.get(), model=model, strategy="best_of", params={"strategies": ["margin"]}
    )
    told = choose(pipeline)
    assert told[0] in {"margin", "random"}
    assert f"By backtest-{more['id']}" in told[2]
    pipeline.params = {"strategies": ["k_center"], "backtest": "first"}
    name, params, why = choose(pipeline)
    assert (name, params) == ("random", {})
    assert why.endswith("Not tried there: k_center.")

    changed = {"key": "test-00.png", "label": {"class": "0" if labelled["test-00.png"] == "1" else "1"}}
    assert api.post("/datasets/digits", {"labels": [changed]}, format="json").status_code == 201
    assert finished(api, run_job, rounds=1)["job"]["result"]["reused"] == 0
    assert finished(api, run_job, rounds=1, version="v2")["job"]["result"]["reused"] == 0
    assert finished(api, run_job, version="v2")["job"]["result"]["reused"] == 4


@pytest.mark.clock
def test_an_architecture_is_trained_for_real(api, labelled, run_job):
    found = finished(api, run_job, learner=TRAIN, rounds=1)
    assert found["curves"][0]["points"][0] == found["curves"][1]["points"][0]
    assert found["job"]["result"]["reused"] == 0
    assert finished(api, run_job, learner=TRAIN, rounds=1)["job"]["result"]["reused"] == 4


def test_it_tells_what_it_has_while_it_runs_and_after_it_was_stopped(api, model, run_job):
    job = started(api)
    while Shard.objects.filter(job=job, phase=services.REPLAY, state="done").count() < 3:
        assert work_on(job.pk)
    running = shown(api, job)
    assert [row["points"][0]["n"] for row in running["curves"]] == [2, 1]
    assert (running["best"], running["tests"]) == (None, [])
    chosen = Pipeline(dataset=Dataset.objects.get(), params={"strategies": ["margin"], "backtest": running["id"]})
    with pytest.raises(Conflict, match="is running: it says nothing yet"):
        choose(chosen)
    assert api.post(f"/jobs/{job.pk}/cancel").status_code == 202
    stopped = shown(api, job)
    assert (stopped["job"]["state"], stopped["curves"]) == ("cancelled", running["curves"])

    next_job = started(api)
    Shard.objects.filter(job=next_job, phase=services.REPLAY).update(
        state="running", token=1, attempts=1, lease_until="2000-01-01T00:00Z"
    )  # as if four workers had died
    assert run_job(next_job).result == {"replays": 4, "reused": 3} | {"best": shown(api, next_job)["best"]}


def test_the_key_knows_all_that_decides_a_curve():
    def of(learner, **others):
        return Backtest(learner=learner, dataset=Dataset(task="classification"), **others)

    plan, row = Plan(strategy="margin", seed=0, start=8, count=8, rounds=2), of(TRAIN)
    plans = [plan, replace(plan, seed=1), replace(plan, start=1), replace(plan, count=1), replace(plan, rounds=1)]
    plans += [replace(plan, strategy="entropy"), replace(plan, control=0.2)]
    keys = [handlers.replay_key(row, one, "samples") for one in plans]
    keys.append(handlers.replay_key(row, plan, "other samples"))
    configs = [{}, {"params": {"width": 8}}, {"recipe": {"steps": 6, "batch_size": 16}}]
    learners = [of(TRAIN | {"config": config}) for config in configs]
    learners += [of(PROBE, model_version=ModelVersion(digest=digest)) for digest in ("one", "other")]
    keys += [handlers.replay_key(learner, plan, "samples") for learner in learners]
    assert len(set(keys)) == len(keys)
    assert handlers.replay_key(of(dict(TRAIN)), replace(plan), "samples") == keys[0]


def test_what_cannot_be_run_is_refused_by_its_field(api, labelled, subtests):
    terms: Any
    for terms, field in [
        ({"strategies": ["nonsense"]}, "strategies.0"),
        ({"strategies": []}, "strategies"),
        ({"strategies": ["random", {"name": "margin", "params": {"no": 1}}]}, "strategies.1"),
        ({"learner": {"kind": "probe"}}, "learner.model"),
        ({"learner": PROBE | {"architecture": "small_cnn"}}, "learner.architecture"),
        ({"learner": {"kind": "probe", "model": "digits-cnn"}}, "learner.model"),
        ({"learner": {"kind": "train", "architecture": "none"}}, "learner.architecture"),
        ({"learner": TRAIN | {"config": {"export": {}}}}, "learner.config"),
        ({"learner": TRAIN | {"config": {"recipe": {"steps": 0}}}}, "learner.config.recipe.steps"),
        ({"learner": TRAIN | {"config": {"recipe": {"patience": 2}}}}, "learner.config.recipe.patience"),
        ({"learner": TRAIN, "rounds": 50}, "rounds"),
        ({"learner": TRAIN, "seeds": 1}, "seeds"),
        ({"learner": TRAIN, "name": "backtest-3"}, "name"),
        ({"learner": TRAIN, "name": "3"}, "name"),
        ({"learner": TRAIN, "target": 1.5}, "target"),
    ]:
        with subtests.test(terms=terms, field=field):
            answer = api.post("/backtests", SMALL | {"learner": TRAIN} | terms, format="json")
            assert answer.status_code == 400, answer.content
            assert field in answer.json()["errors"]
            assert not Job.objects.filter(kind="backtest").exists()


def test_there_must_be_something_to_judge_on(api, labelled):
    api.post("/datasets/digits", {"remove": [key for key in labelled if key.startswith("test")]}, format="json")
    answer = api.post("/backtests", SMALL | {"learner": TRAIN}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "test_empty")


def test_a_name_is_taken_once(api, labelled):
    assert started(api, learner=TRAIN, name="mine")
    again = api.post("/backtests", SMALL | {"learner": TRAIN, "name": "mine"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    assert api.get("/backtests/nobodys").status_code == 404


def test_without_a_back_test_a_pipeline_picks_at_random(api, labelled):
    pipeline = Pipeline(dataset=Dataset.objects.get(), params={"strategies": ["margin"]})
    name, params, why = choose(pipeline)
    assert (name, params) == ("random", {})
    assert "no back-test of dataset 'digits' has finished" in why


def test_a_back_test_of_other_data_has_no_say(api, labelled):
    job = started(api, learner=TRAIN)
    other = Dataset(pk=0, name="other")
    with pytest.raises(Invalid, match="is of dataset 'digits'"):
        choose(Pipeline(dataset=other, params={"strategies": ["margin"], "backtest": Backtest.objects.get(job=job).pk}))
