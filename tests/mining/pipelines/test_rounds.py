"""Rounds looked at, changed, taken up again, begun from known weights, and ended by a rule; what is to be expected."""

from typing import Any

import pytest
from tests.mining.pipelines.turning import Turner, in_production, learned, make, newest, saying, shown

from blobs.services import keep_bytes
from mining_jobs.models import MiningJob
from pipelines.models import Round
from pipelines.rounds import steps
from registry.models import Artifact, ModelVersion, Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def turner(api, truth, run_job) -> Turner:
    learned()
    return Turner(api, truth, run_job)


def told(turner: Turner, *figures: dict[str, Any]) -> None:
    """What the next trainings of the turner find."""
    turner.figures = iter(figures)


def test_one_round_is_shown_by_its_number_with_what_started_it_and_its_arms(api, turner):
    make(api, strategy="random", control=0.4)
    turner.start()
    turner.until("done")
    found = api.get("/pipelines/loop/rounds/1").json()
    assert found == newest(api)
    assert (found["trigger"]["what"], found["choice"]["strategy"]) == ("hand", "random")
    assert found["control"] == found["lift"]
    missing = api.get("/pipelines/loop/rounds/2")
    assert (missing.status_code, missing.json()["code"]) == (404, "round_unknown")


@pytest.mark.parametrize(
    "step",
    [pytest.param(step, marks=() if step in {"scoring", "retraining"} else pytest.mark.clock) for step in Round.STEPS],
)
def test_a_round_is_taken_up_again_from_any_step(api, turner, step):
    make(api)
    turner.start()
    first = turner.until("done")
    Round.objects.update(state="cancelled", failed_in="gating")
    assert api.post("/pipelines/loop/retry", {"from": step}, format="json").status_code == 202
    assert newest(api)["state"] == step
    again = turner.until("done")
    before_the_queue = step in {"training", "scoring"}
    assert (again["mining_job"] != first["mining_job"]) == before_the_queue
    assert (again["run"] != first["run"]) == (step != "gating")
    assert again["labels"] == first["labels"] + (10 if before_the_queue else 0)
    assert again["queue"] == ("loop-1-2" if before_the_queue else "loop-1")
    assert shown(api)["spent"]["labels"] == (20 if before_the_queue else 10), "what was spent stays spent"


def test_a_round_that_is_done_keeps_what_it_measured(api, turner):
    make(api)
    turner.start()
    done = turner.until("done")
    for body in ({}, {"from": "scoring"}):
        refused = api.post("/pipelines/loop/retry", body, format="json")
        assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_retry")
    assert newest(api) == done


def test_a_paused_pipeline_takes_no_new_round(api, turner):
    make(api)
    api.post("/pipelines/loop/pause")
    refused = api.post("/pipelines/loop/rounds")
    assert (refused.status_code, refused.json()["code"]) == (409, "pipeline_paused")
    assert not Round.objects.exists()
    api.post("/pipelines/loop/resume")
    assert api.post("/pipelines/loop/rounds").status_code == 202


def test_a_step_that_was_not_reached_is_refused(api, turner):
    make(api)
    turner.start()
    turner.until("labelling")
    held = api.post("/pipelines/loop/retry", {"from": "scoring"}, format="json")
    assert (held.status_code, held.json()["code"]) == (409, "round_open")
    api.post("/pipelines/loop/rounds/cancel")
    ahead = api.post("/pipelines/loop/retry", {"from": "gating"}, format="json")
    assert (ahead.status_code, list(ahead.json()["errors"])) == (400, ["from"])
    unknown = api.post("/pipelines/loop/retry", {"from": "luck"}, format="json")
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["from"])
    assert api.post("/pipelines/loop/retry", {"from": "labelling"}, format="json").status_code == 202
    assert turner.until("done")["queue"] == "loop-1"


def test_changed_terms_hold_from_the_next_step_on(api, turner):
    make(api)
    turner.start()
    changed = api.patch("/pipelines/loop", {"count": 3, "strategy": "random", "gates": []}, format="json")
    assert (changed.status_code, changed.json()["count"]) == (200, 3)
    assert turner.until("labelling")["queue_counts"]["total"] == 3
    nothing = api.patch("/pipelines/loop", {}, format="json")
    assert nothing.status_code == 400
    assert api.patch("/pipelines/loop", {"dataset": "other"}, format="json").json()["errors"].keys() == {"dataset"}


def with_weights(version: ModelVersion) -> None:
    blob = keep_bytes(b"weights", media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="checkpoint.safetensors", blob=blob)


def test_a_warm_start_begins_with_the_weights_in_production(api, turner):
    make(api, warm_start=True)
    turner.start()
    turner.until("retraining")
    assert {run.parent for run in Run.objects.all()} == {None}, "nothing has weights yet"
    turner.until("done")
    second = ModelVersion.objects.latest("number")
    in_production(second)
    pipeline = Round.objects.get().pipeline
    assert steps.weights_of(pipeline) is None
    with_weights(second)
    assert steps.weights_of(pipeline) == second
    turner.start()
    turner.until("retraining")
    assert Run.objects.latest("pk").parent == second
    pipeline.config = {"params": {"width": 8}}
    assert steps.weights_of(pipeline) is None, "other parameters, other weights"


def test_the_loop_ends_when_its_target_is_met_and_says_by_which_figures(api, turner):
    make(api, stop={"target": {"value": 0.9}})
    told(turner, {"accuracy": 0.92}, {"accuracy": 0.96})
    turner.start()
    assert turner.until("done")["stopped"] is None, "0.92 of 200 may be 0.88"
    turner.start()
    stopped = turner.until("done")["stopped"]
    assert (stopped["rule"], stopped["numbers"]["correct"]) == ("target", 192)
    assert stopped["numbers"]["bound"] > 0.9
    assert shown(api)["stopped"] == stopped
    assert "the target is 0.9. Resume it to go on." in api.post("/pipelines/loop/rounds").json()["detail"]
    assert api.post("/pipelines/loop/resume").json()["state"] == "idle"
    turner.start()


def test_the_loop_ends_when_the_next_labels_are_not_worth_their_price(api, turner):
    make(api, stop={"value": {"per_point": 1}}, budget={"cost_per_label": 1})
    told(turner, *({"accuracy": accuracy} for accuracy in (0.6, 0.7, 0.701)))
    stops = []
    for _ in range(3):
        turner.start()
        stops.append(turner.until("done")["stopped"])
    assert stops[:2] == [None, None]
    assert (stops[2]["rule"], stops[2]["numbers"]["cost"]) == ("value", 10)
    assert stops[2]["numbers"]["worth"] < 10


@pytest.mark.clock
def test_the_loop_ends_when_its_predictions_stay_the_same(api, turner):
    make(api, stop={"stable": {"kappa": 0.9, "rounds": 2}})
    odd, even = [0, 1, 2, 3] * 5, [1, 0, 3, 2] * 5
    told(turner, *({"artifacts": saying(predicted)} for predicted in (odd, even, even, even)))
    stops = []
    for _ in range(4):
        turner.start()
        stops.append(turner.until("done")["stopped"])
    assert stops[:3] == [None, None, None]
    assert (stops[3]["rule"], stops[3]["numbers"]) == ("stable", {"lowest": 1, "kappa": 0.9, "rounds": 2})


def test_an_empty_pool_ends_the_loop_and_not_in_failure(api, turner):
    make(api, count=60, compose={"near_copies": None})
    turner.start()
    turner.until("done")
    turner.start()
    assert turner.until("stopped")["stopped"]["rule"] == "pool"


def test_a_forecast_says_what_each_curve_says(api, turner):
    make(api)
    early = api.get("/forecast", {"pipeline": "loop", "target": 0.9})
    assert (early.status_code, early.json()["code"]) == (409, "forecast_impossible")
    needs = "loop can't be forecast yet: its curve needs models trained on at least 3 different numbers of labels"
    assert early.json()["detail"] == f"{needs}, and has 0; finish 3 more rounds"
    seconds = {"seconds": {"train": 64.0}}  # of 64 x 500 images: `min_steps` of the recipe
    told(turner, *({"accuracy": accuracy} | seconds for accuracy in (0.6, 0.7, 0.76)))
    for _ in range(3):
        turner.start()
        turner.until("done")
    found = api.get("/forecast", {"pipeline": "loop", "target": 0.85}).json()
    assert [point["labels"] for point in found["points"]] == [30, 40, 50]
    assert len(found["fits"]) == 4
    assert 50 < found["low"] <= found["labels"]
    more, rounds = found["more"], found["rounds"]
    assert more == {
        "value": found["labels"] - 50,
        "low": found["low"] - 50,
        "high": found["high"] and found["high"] - 50,
    }
    assert rounds["value"] == -(-more["value"] // 10)
    annotators, training = found["annotator_hours"], found["training_hours"]
    assert annotators["value"] == pytest.approx(more["value"] / 3600), "a second each in the rounds so far"
    assert (annotators["source"]["kind"], annotators["source"]["n"]) == ("measured", 30)
    assert training["source"]["n"] == 3
    assert 0 < training["low"] <= training["value"]
    for query, field in (({"target": 0.9}, "pipeline"), ({"pipeline": "loop", "target": "x"}, "target"),
                         ({"pipeline": "loop", "target": 1}, "target"), ({"pipeline": "loop"}, "target")):  # fmt: skip
        refused = api.get("/forecast", query)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])


def test_best_of_falls_back_to_random_where_no_back_test_speaks_and_says_so(api, turner):
    make(api, strategy={"name": "best_of", "params": {"strategies": ["margin", {"name": "k_center"}]}})
    turner.start()
    choice = turner.until("labelling")["choice"]
    assert (choice["strategy"], choice["params"]) == ("random", {})
    assert "no back-test of dataset 'digits'" in choice["why"]


def test_a_composition_goes_with_every_batch(api, turner):
    compose = {"quotas": [{"source": "night", "max": 3}], "source": "drive"}
    place = {"key": "pool-00.png", "meta": {"drive": "night"}}
    assert api.post("/datasets/digits", {"samples": [place]}, format="json").status_code == 201
    learned()
    made = make(api, compose=compose)
    assert shown(api)["compose"] == compose
    turner.start()
    turner.until("labelling")
    assert MiningJob.objects.get().compose == made.compose
    refused = api.patch("/pipelines/loop", {"compose": {"quotas": [{"slize": "x"}]}}, format="json")
    assert refused.status_code == 400
    assert all(field.startswith("compose") for field in refused.json()["errors"])


@pytest.mark.parametrize(
    ("trained_as", "pipeline", "reused"),
    [
        ({}, {}, True),
        ({"config": {"recipe": {}}}, {}, True),
        ({"architecture": "efficientnet_lite0"}, {}, False),
        ({"config": {"recipe": {"steps": 7}}}, {}, False),
        ({"config": {"recipe": {"steps": 7}}}, {"config": {"recipe": {"steps": 7}}}, True),
        ({"config": {"params": {"width": 8}}}, {"config": {"params": {"width": 16}}}, False),
        ({"config": {"export": {"precisions": []}}}, {}, True),
    ],
)
def test_the_first_round_trains_unless_the_head_has_a_model_trained_as_the_pipeline_says(
    api, truth, run_job, trained_as, pipeline, reused
):
    known = learned(**trained_as)
    make(api, **pipeline)
    turner = Turner(api, truth, run_job)
    turner.start()
    turner.until("labelling")
    round_ = Round.objects.get()
    assert (round_.first_run is None) == reused
    used = known if reused else ModelVersion.objects.get(run=round_.first_run)
    choice = newest(api)["choice"]
    assert (choice["model_version"], MiningJob.objects.get().model_version) == (used.number, used)
    assert choice["model_why"] == f"{used} was trained on {used.dataset_version} with the settings of this pipeline"
