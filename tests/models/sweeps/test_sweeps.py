"""Sweeps through the API: trials are runs, the best one becomes a version, and what is done is done once."""

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from tests.models.sweeps.conftest import BODY, work_through
from tests.working import work_on

from blobs import references
from blobs.models import Blob
from jobs import services as jobs
from jobs.models import Job, JobEvent, Shard
from registry.models import ModelVersion, Run
from sweeps import loop, services
from sweeps.models import Sweep, Trial

pytestmark = pytest.mark.django_db(transaction=True)


def test_four_trials_are_four_runs_and_the_best_becomes_a_version(api, started):
    sweep = work_through(started())
    shown = api.get(f"/sweeps/{sweep.pk}").json()
    assert (shown["state"], shown["counts"]["complete"], shown["name"]) == ("succeeded", 4, f"sweep-{sweep.pk}")
    trials = api.get(f"/sweeps/{sweep.name}/trials").json()["results"]
    assert [trial["number"] for trial in trials] == [3, 2, 1, 0]
    assert len({trial["run"] for trial in trials}) == Run.objects.count() == 4
    assert len({trial["params"]["recipe.learning_rate"] for trial in trials}) == 4
    assert all(trial["value"] == trial["curve"][-1][1] for trial in trials)
    assert [step for step, _ in trials[0]["curve"]] == [4, 8]
    counted = []
    for limit in (1, 4):
        with CaptureQueriesContext(connection) as asked:
            assert len(api.get(f"/sweeps/{sweep.name}/trials?limit={limit}").json()["results"]) == limit
        counted.append(len(asked))
    assert counted[0] == counted[1]
    best = max(trials, key=lambda trial: (trial["value"], -trial["number"]))
    assert shown["best"]["number"] == best["number"]
    assert not ModelVersion.objects.exists(), "trials train and are judged, no more"

    run = api.get(f"/runs/{best['run']}").json()
    assert run["notes"] == f"trial {best['number']} of {sweep.name}"
    assert run["config"]["recipe"] == {"steps": 8, "batch_size": 16, "evaluate_every": 4} | {
        "learning_rate": best["params"]["recipe.learning_rate"]
    }
    (result,) = Shard.objects.filter(job=run["job"]["id"]).values_list("result", flat=True)
    assert result is not None
    kept = result["files"]["checkpoint.safetensors"]
    assert not references.unreachable(Blob.objects.filter(md5=kept["md5"])).exists()


@pytest.mark.production
def test_a_trial_becomes_a_version_as_any_training_does(api, started):
    sweep = work_through(started(trials=1))
    run = Run.objects.get()
    answer = api.post(f"/runs/{run.pk}/register")
    assert (answer.status_code, answer.json()["job"]["state"]) == (202, "queued")
    again = api.post(f"/runs/{run.pk}/register")
    assert (again.status_code, again.json()["code"]) == (409, "run_proved")
    while work_on(run.job_id):
        pass
    version = ModelVersion.objects.get()
    assert version.run_id == run.pk
    assert version.metrics["samples"] == 20, "evaluated on the test split as any other"
    assert api.get(f"/sweeps/{sweep.pk}").json()["best"]["model_version"] == 1
    again = api.post(f"/runs/{run.pk}/register")
    assert again.json()["detail"].endswith("it became digits-cnn v1.")


def test_versions_are_made_of_the_best_trials_each_once(api, started):
    sweep = work_through(started(trials=3))
    too_many = api.post(f"/sweeps/{sweep.pk}/register", {"best": 4}, format="json")
    words = "must be at most 3, the trials that are complete"
    assert (too_many.status_code, too_many.json()["errors"]) == (400, {"best": [words]})
    assert not Job.objects.filter(kind="train", state="queued").exists(), "all of it or none"
    trials = api.get(f"/sweeps/{sweep.pk}/trials").json()["results"]
    ranked = sorted(trials, key=lambda trial: (-trial["value"], trial["number"]))
    told = api.post(f"/sweeps/{sweep.pk}/register", {"best": 2}, format="json")
    assert told.status_code == 202
    assert [trial["number"] for trial in told.json()["trials"]] == [trial["number"] for trial in ranked[:2]]
    assert [trial["job_state"] for trial in told.json()["trials"]] == ["queued", "queued"]
    assert told.json()["started"] == [trial["run"] for trial in ranked[:2]]
    again = api.post(f"/sweeps/{sweep.pk}/register", {"best": 3}, format="json").json()
    assert (len(again["trials"]), again["started"]) == (3, [ranked[2]["run"]])
    assert Shard.objects.filter(phase=1).count() == 3


def test_a_sweep_without_a_complete_trial_has_none_to_make_a_version_of(api, started):
    answer = api.post(f"/sweeps/{started().pk}/register", {}, format="json")
    assert (answer.status_code, answer.json()["errors"]) == (400, {"best": ["no trial is complete yet"]})


def test_the_list_costs_as_many_queries_for_two_sweeps_as_for_one(api, started):
    counted = []
    for lowest in ("accuracy", "loss"):
        sweep = work_through(started(trials=2, metric=lowest))
        with CaptureQueriesContext(connection) as asked:
            shown = api.get("/sweeps").json()["results"][0]
        counted.append(len(asked))
        trials = api.get(f"/sweeps/{sweep.pk}/trials").json()["results"]
        choose = max if lowest == "accuracy" else min
        assert shown["best"]["value"] == choose(trial["value"] for trial in trials)
        assert shown["counts"] == dict.fromkeys(("cancelled", "failed", "pruned", "running"), 0) | {"complete": 2}
    assert counted[0] == counted[1]


def test_a_trial_that_the_pruner_gives_up_is_cancelled_and_says_why(started):
    sweep = started(pruner="median", startup=1, warmup=0, parallel=1, trials=2)
    loop.advance(sweep.pk)
    assert work_on(Job.objects.get(kind="train").pk)
    loop.advance(sweep.pk)
    first, second = sweep.trials.order_by("number")
    assert (first.state, second.state) == ("complete", "running")
    held = jobs.claim(second.run.job_id, worker="w")
    assert held is not None
    _told(second, step=4)
    loop.advance(sweep.pk)
    second.refresh_from_db()
    words = "accuracy was -1 at step 4: worse than the median of the trials before it"
    assert (second.state, second.reason, second.curve) == ("pruned", words, [[4, -1.0]])
    assert jobs.renew(held, done=4) is jobs.LeaseStatus.CANCELLED
    assert not jobs.complete(held, {}), "what it would say now does not count"
    jobs.mark_cancelled(held)
    loop.advance(sweep.pk)
    sweep.refresh_from_db()
    assert (sweep.state, Job.objects.get(pk=second.run.job_id).state) == ("succeeded", "cancelled")


def test_at_the_last_step_nothing_is_pruned(started):
    sweep = started(pruner="median", startup=1, warmup=0, parallel=1, trials=2)
    loop.advance(sweep.pk)
    assert work_on(Job.objects.get(kind="train").pk)
    loop.advance(sweep.pk)
    second = sweep.trials.get(number=1)
    _told(second, step=8)
    loop.advance(sweep.pk)
    second.refresh_from_db()
    assert (second.state, second.curve) == ("running", [[8, -1.0]])


def _told(trial: Trial, *, step: int) -> None:
    """As if the training had been judged at a step, and been bad."""
    assert trial.run is not None
    values = {"validation_accuracy": -1.0, "validation_loss": 9.0}
    JobEvent.objects.create(job=trial.run.job, kind="point", data={"step": step, "values": values})


@pytest.mark.both
def test_however_many_look_at_once_each_trial_is_there_once(started):
    sweep = started(trials=6, parallel=3)

    def look() -> None:
        try:
            loop.advance(sweep.pk)
        finally:
            connection.close()

    for _ in range(2):
        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numbers = list(sweep.trials.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(len(numbers)))
        assert sweep.trials.filter(state="running").count() == 3
        assert Run.objects.count() == Job.objects.filter(kind="train").count() == len(numbers)
        jobs.cancel(sweep.trials.filter(state="running").order_by("number").first().run.job_id)
    assert len(numbers) == 4, "one was cancelled meanwhile, and another took its place"


def test_cancelled_it_stops_its_runs_and_starts_no_other(api, started):
    sweep = started()
    loop.advance(sweep.pk)
    answer = api.post(f"/sweeps/{sweep.pk}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")
    assert {trial.state for trial in sweep.trials.all()} == {"cancelled"}
    assert {job.state for job in Job.objects.filter(kind="train")} == {"cancelled"}
    assert loop.advance(sweep.pk) == []
    assert sweep.trials.count() == 2
    again = api.post(f"/sweeps/{sweep.pk}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "sweep_ended")


def test_a_sweep_of_which_nothing_can_be_trained_ends_with_the_reason(started):
    space = {"recipe.nesterov": {"choices": [True]}, "recipe.momentum": {"choices": [0.0, 0.5]}}
    config = {"recipe": {"optimiser": "sgd", "steps": 2}}
    sweep = started(space={"recipe.momentum": {"choices": [0.9]}}, sampler="random", trials=20, config=config)
    Sweep.objects.filter(pk=sweep.pk).update(space=space | {"recipe.momentum": {"choices": [0.0]}})
    loop.advance(sweep.pk)
    sweep.refresh_from_db()
    assert sweep.state == "failed"
    assert sweep.error.startswith("5 trials failed and none succeeded; the last: ")
    assert "nesterov" in sweep.error
    assert not Run.objects.exists()


def test_a_grid_takes_each_point_once(started):
    space = {"seed": {"choices": [1, 2, 3]}, "recipe.batch_size": {"low": 16, "high": 32, "step": 16}}
    sweep = started(space=space, config={"recipe": {"steps": 8}}, sampler="grid", trials=6, parallel=6)
    loop.advance(sweep.pk)
    points = {(trial.run.seed, trial.run.config["recipe"]["batch_size"]) for trial in sweep.trials.all()}
    assert points == {(seed, size) for seed in (1, 2, 3) for size in (16, 32)}


@pytest.mark.parametrize("archived", ["/models/digits-cnn", "/datasets/digits"])
def test_none_starts_on_what_was_archived_after_it_was_looked_up(api, labelled, alice, monkeypatch, archived):
    check = services._check_samples

    def meanwhile(version):
        check(version)
        assert api.post(f"{archived}/archive").status_code == 200

    monkeypatch.setattr(services, "_check_samples", meanwhile)
    answer = api.post("/sweeps", BODY, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "archived")
    assert not Sweep.objects.exists()


def test_it_is_archived_and_deleted_as_named_things_are(api, started):
    sweep = started()
    loop.advance(sweep.pk)
    refused = api.post(f"/sweeps/{sweep.pk}/archive")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert api.post("/models/digits-cnn/archive").json()["code"] == "in_use"
    api.post(f"/sweeps/{sweep.pk}/cancel")
    assert api.post(f"/sweeps/{sweep.pk}/archive").status_code == 200
    assert api.get("/sweeps").json()["results"] == []
    answer = api.delete(f"/sweeps/{sweep.pk}?confirm={sweep.name}")
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(kind="delete")
    while work_on(job.pk):
        pass
    gone = api.get(f"/sweeps/{sweep.pk}")
    assert (gone.status_code, gone.json()["code"]) == (404, "sweep_deleted")
    assert (Trial.objects.count(), Run.objects.count()) == (0, 2)


def test_a_space_that_cannot_be_searched_is_refused_by_field(api, labelled, subtests):
    for space, field, words in [
        ({}, "space", "wants 1 to 20 settings"),
        ({"learning_rate": {"low": 0.1, "high": 0.2}}, "space.learning_rate", "name architecture, seed"),
        ({"recipe.learning_rat": {"choices": [0.1]}}, "space.recipe.learning_rat", "learning_rat"),
        ({"recipe.learning_rate": {"low": 0.1, "high": 200.0}}, "space.recipe.learning_rate", "100"),
        ({"recipe.learning_rate": {"low": 0.2, "high": 0.1}}, "space.recipe.learning_rate", "must be less than high"),
        ({"recipe.learning_rate": {"low": 0, "high": 0.1, "log": True}}, "space.recipe.learning_rate", "above 0"),
        ({"recipe.batch_size": {"low": 8.5, "high": 16}}, "space.recipe.batch_size", "whole number"),
        ({"recipe.optimiser": {"choices": ["adam"]}}, "space.recipe.optimiser", "adamw"),
        ({"recipe.optimiser": {"choices": ["sgd", "sgd"]}}, "space.recipe.optimiser", "named twice"),
        ({"recipe.optimiser": {"low": 1, "high": 2}}, "space.recipe.optimiser", "adamw"),
        ({"recipe.optimiser": {"choices": ["sgd"], "low": 1}}, "space.recipe.optimiser", "takes no low"),
        ({"recipe.seed": {"choices": [1]}}, "space.recipe.seed", "search `seed`"),
        ({"architecture": {"choices": ["small_cnn", "nope"]}}, "space.architecture", "nope"),
        ({"params.nope": {"choices": [8]}}, "space.params.nope", "is not a field here"),
        ({"seed": {"choices": [-1]}}, "space.seed", "must be a whole number from 0"),
    ]:  # fmt: skip
        with subtests.test(space=space, field=field, words=words):
            answer = api.post("/sweeps", BODY | {"space": space, "config": {}}, format="json")
            assert answer.status_code == 400, answer.content
            assert list(answer.json()["errors"]) == [field]
            assert words in str(answer.json()["errors"][field])
            assert not Sweep.objects.exists()


def test_a_setting_that_is_searched_and_set_is_refused(api, labelled):
    both = BODY | {"config": {"recipe": {"steps": 4, "learning_rate": 0.1}}}
    refused = api.post("/sweeps", both, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["space.recipe.learning_rate"])
    assert "is set in `config` too" in refused.json()["errors"]["space.recipe.learning_rate"][0]
    assert not Sweep.objects.exists()


def test_a_dataset_without_validation_samples_is_refused_with_both_ways_to_have_some(api, labelled):
    edit = {"filter": "split = val", "split": "train"}
    assert api.post("/datasets/digits/edits", edit, format="json").status_code == 201
    refused = api.post("/sweeps", BODY, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, "nothing_to_judge_by")
    assert "move some of split train there, or label some there" in refused.json()["errors"]["version"][0]
