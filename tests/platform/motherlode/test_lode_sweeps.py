"""`lode sweep`, as it is typed."""

import json

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode

from motherlode.resources import sweeps

TRIAL = {"number": 1, "run": 8, "state": "complete", "value": 0.9125, "curve": [[4, 0.5], [8, 0.9125]], "reason": "",
         "params": {"recipe.learning_rate": 0.01, "recipe.optimiser": "sgd"}, "model_version": None}  # fmt: skip
PRUNED = TRIAL | {"number": 0, "run": 7, "state": "pruned", "value": None, "reason": "worse than the median"}
SWEEP = {"id": 3, "name": "wide", "model": "m", "dataset": "cats", "version": 2, "state": "succeeded", "error": "",
         "metric": "accuracy", "direction": "maximize", "trials": 2, "best": TRIAL,
         "space": {"recipe.learning_rate": {}, "recipe.optimiser": {}},
         "counts": {"running": 0, "complete": 1, "pruned": 1, "failed": 0, "cancelled": 0},
         "importance": [{"name": "recipe.learning_rate", "share": 0.81}]}  # fmt: skip


def test_a_sweep_is_created_followed_and_its_best_shown(server: CannedServer) -> None:
    server.script["POST /sweeps"] = [Answer(202, SWEEP | {"state": "running"})]
    server.script["GET /sweeps/wide"] = [Answer(200, SWEEP), Answer(200, SWEEP), Answer(200, SWEEP)]
    server.script["GET /sweeps/wide/trials"] = [Answer(200, {"results": [TRIAL, PRUNED], "next": None})]
    searched = ("recipe.learning_rate=1e-4..1e-1:log", "params.width=16..64:16", "recipe.optimiser=adamw,sgd",
                "seed=1,2", "recipe.ema=0..0.9")  # fmt: skip
    words = [word for one in searched for word in ("--search", one)]
    done = lode(server, "sweep", "create", "m", "--dataset", "cats@v2", *words, "--set", "recipe.steps=9", "--wait")
    assert done.returncode == 0, done.stderr
    sent = server.asked[0].document
    assert sent["space"] == {
        "recipe.learning_rate": {"low": 1e-4, "high": 0.1, "log": True},
        "params.width": {"low": 16, "high": 64, "step": 16},
        "recipe.optimiser": {"choices": ["adamw", "sgd"]},
        "seed": {"choices": [1, 2]},
        "recipe.ema": {"low": 0, "high": 0.9},
    }
    assert (sent["version"], sent["config"], sent["parallel"]) == ("v2", {"recipe": {"steps": 9}}, 2)
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "2 of 2 trials have ended: 1 complete, 1 pruned" in shown
    assert "1 8 complete 0.9125 0.01 sgd -" in shown
    assert "recipe.learning_rate 81%" in shown
    best = lode(server, "sweep", "best", "wide").stdout
    assert "trial 1, run 8: accuracy 0.9125" in best
    assert "next: lode run register 8" in best


def test_sweeps_are_listed_and_cancelled(server: CannedServer) -> None:
    server.script["GET /sweeps"] = [Answer(200, {"results": [SWEEP], "next": None})] * 2
    server.script["POST /sweeps/wide/cancel"] = [Answer(202, SWEEP | {"state": "cancelled"})]
    assert "2 of 2" in lode(server, "sweep", "list").stdout
    assert json.loads(lode(server, "sweep", "list", "--json").stdout)[0]["best"]["run"] == 8
    assert "wide is cancelled" in lode(server, "sweep", "cancel", "wide").stdout


def test_versions_of_the_best_trials_are_told_one_by_one(server: CannedServer) -> None:
    trials = [
        TRIAL | {"model_version": 3, "job_state": "succeeded"},
        TRIAL | {"number": 4, "run": 11, "job_state": "queued"},
        TRIAL | {"number": 5, "run": 12, "job_state": "failed"},
    ]
    server.script["POST /sweeps/wide/register"] = [Answer(202, {"trials": trials, "started": [11]})]
    done = lode(server, "sweep", "register", "wide", "--best", "3")
    assert server.asked[0].document == {"best": 3}
    assert done.stdout.splitlines() == [
        "trial 1, run 8, is version 3",
        "trial 4, run 11, is queued",
        "trial 5, run 12, was asked for: failed",
    ]


@pytest.mark.parametrize("wrong", ["recipe.steps", "=1,2", "recipe.steps=a..b", "recipe.steps=1..9:x"])
def test_what_is_no_search_is_refused_before_anything_is_sent(server: CannedServer, wrong: str) -> None:
    done = lode(server, "sweep", "create", "m", "--dataset", "cats", "--search", wrong)
    assert done.returncode == 2
    assert server.asked == []


def test_a_setting_that_is_searched_twice_is_refused(server: CannedServer) -> None:
    twice = ("--search", "params.width=8,16", "--search", "params.width=32")
    done = lode(server, "sweep", "create", "m", "--dataset", "cats", *twice)
    assert (done.returncode, server.asked) == (2, [])
    assert "params.width is searched already" in done.stderr


def test_a_wait_that_ends_before_its_sweep_says_that_it_goes_on(
    server: CannedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "sleep", lambda _: None)
    server.script["GET /sweeps/wide"] = [Answer(200, SWEEP | {"state": "running"}), problem(401, "not_authenticated")]
    done = lode(server, "sweep", "watch", "wide")
    assert done.returncode == 1
    assert "Sweep wide goes on without this: `lode sweep watch wide` follows it" in done.stderr


def test_a_trial_and_several_versions_become_a_version(server: CannedServer) -> None:
    job = {"id": 5, "state": "queued"}
    server.script["POST /runs/8/register"] = [Answer(202, {"id": 8, "job": job, "warnings": []})]
    server.script["POST /models/m/ensembles"] = [Answer(202, {"job": job})]
    assert "next: lode run watch 8" in lode(server, "run", "register", "8").stdout
    done = lode(server, "model", "ensemble", "m", "1", "production", "--dataset", "cats@v2")
    assert "next: lode job watch 5" in done.stdout, done.stderr
    sent = server.asked[-1].document
    assert (sent["versions"], sent["dataset"], sent["version"]) == (["1", "production"], "cats", "v2")
