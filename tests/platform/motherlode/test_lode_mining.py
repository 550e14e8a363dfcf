"""`lode mine`, `lode pipeline` and `lode backtest`, as they are typed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, Asked, CannedServer, problem
from tests.platform.motherlode.test_lode import lode
from tests.platform.motherlode.test_lode_models import JOB

MINING = {"id": 4, "dataset": "cats", "version": 3, "model": "m@2", "strategy": {"name": "margin", "params": {}},
          "count": 20, "control": 0.1, "seed": 0, "filter": None, "compose": {"budget": 9}, "committee": None,
          "progress": {"shards_done": 2, "shards": 3, "images_per_second": 812.5, "eta_seconds": 7.0, "quarantined": 1},
          "stats": {"picked": 20, "barred": 6}, "queue": None, "estimate": None, "created": "2026-11-21T12:00:00Z",
          "job": JOB}  # fmt: skip
TERMS = [{"name": "margin", "value": 0.81, "strength": 0.5, "contribution": 0.9, "rank": 2, "of": 100},
         {"name": "class_weight", "value": 2.0, "strength": 1.0, "contribution": 2.0, "rank": 1, "of": 9}]  # fmt: skip
PICK = {"rank": 1, "sample": {"id": 1, "key": "a.png", "thumb": "", "url": ""}, "score": 1.8, "control": False,
        "reason": "cat at 0.51 or dog at 0.49", "probability": 1.0, "prediction": {"class": "cat"}, "explanation": {
            "terms": TERMS, "product": 1.8, "quota": {"class": "cat", "min": 5},
            "displaced": {"key": "b.png", "score": 1.9, "reason": "the quota of cat came first"},
            "neighbours": [{"key": "n.png", "thumb": "", "label": "dog", "distance": 0.25}]}}  # fmt: skip
CAUSE = {"rule": "target", "reason": "accuracy is at least 99 %", "numbers": {}, "at": "2026-11-21T12:00:00Z"}
PIPELINE = {"id": 7, "name": "loop", "dataset": "cats", "model": "m", "architecture": "small_cnn", "count": 20,
            "strategy": {"name": "margin", "params": {}}, "state": "stopped", "current_round": 1, "control": 0.1,
            "commit_grace": 30,
            "schedule": "0 6 * * *", "schedule_words": "every day at 06:00", "next_run": "2026-11-22T06:00:00Z",
            "needs": {"train": {"gpus": 1}}, "trigger": {}, "budget": {"labels": 500}, "stop": {}, "stopped": CAUSE,
            "spent": {"labels": 40, "labels_today": 20, "money": 3.2, "compute_hours": 0.5}}  # fmt: skip
ROUND = {"number": 1, "state": "failed", "labels": 60, "metric": "accuracy",
         "value": 0.91, "accuracy": 0.91, "model_version": 2, "promoted": True,
         "queue": "loop-1", "error": "", "control": {"mined": {"n": 18, "wrong": 9}, "control": {"n": 2, "wrong": 1},
                                                     "lift": 1.0}}  # fmt: skip
CONTROL = {
    "pipeline": "loop",
    "strategy": "margin",
    "params": {},
    "rounds": 1,
    "mined": {"n": 18, "wrong": 9},
    "control": {"n": 2, "wrong": 1},
    "evidence": 1.0,
    "bound": 20.0,
    "loses": False,
    "sentence": "Mined against random, 1 round: nothing shows that mining finds fewer mistakes.",
}
CURVE = {"strategy": "margin", "params": {}, "mean_accuracy": 0.913}
POINT = {"labels": 220, "objects": None, "mean": 0.95, "low": 0.94, "high": 0.96, "n": 20}
REACHED = {"strategy": "margin", "params": {}, "median": 120.0, "low": 100.0, "high": 140.0, "reached": 19, "seeds": 20,
           "saved": 0.4, "saved_at_least": True, "objects": None, "objects_saved": None}  # fmt: skip
BACKTEST = {"id": 2, "name": "first", "dataset": "cats", "version": 3, "task": "classification",
            "metric": "accuracy", "figure": "accuracy", "learner": {"kind": "probe", "model": "m@2"},
            "strategies": [{"name": "margin", "params": {}}], "seeds": 20, "rounds": 10, "count": 20, "start": 20,
            "target": 0.9, "created": "2026-11-21T12:00:00Z", "job": JOB, "left_out": 3,
            "best": {"strategy": "margin", "params": {}, "mean_accuracy": 0.913, "difference": 0.012, "low": 0.008,
                     "high": 0.016, "clear": False, "headline": "No strategy is clearly best", "reason": "Overlap.",
                     "end": {"strategy": "margin", "params": {}, "labels": 220, "accuracy": 0.95}},
            "curves": [CURVE | {"points": [POINT]}],
            "labels_to_target": [REACHED],
            "tests": [{"strategy": "margin", "params": {}, "against": "random", "difference": 0.012, "low": 0.008,
                       "high": 0.016, "p": 0.001, "p_adjusted": 0.002, "wins": 18, "seeds": 20}]}  # fmt: skip


COUNTS = {"total": 20, "todo": 3, "leased": 1, "done": 16, "skipped": 0}
COMMIT = {"grace": 30, "seconds_left": None, "held": None, "held_by": None}


def page(*rows: object) -> list[Answer | Callable[[Asked], Answer]]:
    return [Answer(200, {"results": list(rows), "next": None})]


def test_mining_is_started_with_constraints_and_followed_to_its_end(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "compose.json").write_text('{"quotas": [{"class": "cat", "min": 5}]}')
    server.script["POST /mining/jobs"] = [Answer(202, MINING)]
    server.script["GET /jobs/5"] = [Answer(200, JOB)]
    server.script["GET /mining/jobs/4"] = [Answer(200, MINING)]
    words = ("--model", "m@2", "--strategy", "targeted", "--count", "20", "--slice", "night", "--like", "x.png",
             "--compose", "compose.json", "--wait")  # fmt: skip
    done = lode(server, "mine", "start", "cats@v3", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mining 4 picked 20" in done.stdout
    assert "left out: 6 samples of the pool: near-duplicates of test samples" in done.stdout
    assert server.asked[0].document == {
        "dataset": "cats", "version": "v3", "model": "m@2", "strategy": {"name": "targeted", "params": {}},
        "count": 20, "control": 0.1, "seed": 0, "filter": 'slice = "night"', "like": {"keys": ["x.png"]},
        "compose": {"quotas": [{"class": "cat", "min": 5}]},
    }  # fmt: skip


def test_without_a_model_typical_images_are_mined(server: CannedServer) -> None:
    server.script["POST /mining/jobs"] = [Answer(202, MINING | {"model": None})]
    server.script["GET /mining/jobs/4"] = [Answer(200, MINING | {"model": None})]
    done = lode(server, "mine", "start", "cats")
    assert done.returncode == 0, done.stderr
    sent = server.asked[0].document
    assert (sent.get("model"), sent["strategy"]) == (None, {"name": "auto", "params": {}})
    assert "ImageNet features" in lode(server, "mine", "show", "4").stdout


def test_a_file_that_holds_no_object_is_named(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "compose.json").write_text("[1]")
    done = lode(server, "mine", "start", "cats", "--model", "m@2", "--compose", "compose.json", cwd=tmp_path)
    assert done.returncode != 0
    assert "compose.json holds no JSON object" in " ".join(done.stderr.replace("│", " ").split())
    assert server.asked == []


def test_an_explanation_is_printed_as_a_table_that_multiplies_up(server: CannedServer) -> None:
    server.script["GET /mining/jobs/4/picks/1"] = [Answer(200, PICK)]
    done = lode(server, "mine", "explain", "4", "1")
    assert done.returncode == 0, done.stderr
    told = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "1. a.png: cat at 0.51 or dog at 0.49" in told
    assert "margin 0.81 0.5 x 0.9 2 of 100" in told
    assert "class_weight 2 1 x 2 1 of 9" in told
    assert "product = 1.8" in told
    assert "let in by quota class cat, min 5" in told
    assert "instead of b.png (score 1.9): the quota of cat came first" in told
    assert "n.png dog 0.25" in told
    assert json.loads(lode(server, "mine", "explain", "4", "1", "--json").stdout) == PICK


def test_mining_jobs_are_listed_shown_queued_and_cancelled(server: CannedServer) -> None:
    failed = MINING | {"id": 3, "job": JOB | {"state": "failed"}}
    server.script["GET /mining/jobs"] = page(MINING, failed)
    server.script["GET /mining/jobs/4"] = [Answer(200, MINING)]
    server.script["GET /mining/jobs/4/picks"] = page(PICK)
    server.script["GET /mining/jobs/4/quarantine"] = page(
        {"md5": "d", "code": "image_truncated", "detail": "cut", "keys": ["c.png"]}
    )
    server.script["POST /mining/jobs/4/queue"] = [Answer(201, {"queue": "night", "url": "/labeling/queues/1"})]
    server.script["POST /jobs/5/cancel"] = [problem(409, "job_ended", detail="Job 5 has succeeded.")]
    assert [job["id"] for job in json.loads(lode(server, "mine", "list", "--state", "failed", "--json").stdout)] == [3]
    shown = lode(server, "mine", "show", "4").stdout
    assert "812.5" in shown
    assert "2 of 3" in shown
    assert "a.png" in lode(server, "mine", "picks", "4").stdout
    assert "image_truncated" in lode(server, "mine", "quarantine", "4").stdout
    assert "/app/label/night" in lode(server, "mine", "queue", "4", "--name", "night").stdout
    refused = lode(server, "mine", "cancel", "4")
    assert (refused.returncode, "job_ended" in refused.stderr) == (1, True)


def test_a_pipeline_is_made_with_its_terms_and_changed(server: CannedServer) -> None:
    server.script["POST /pipelines"] = [Answer(201, PIPELINE)]
    server.script["PATCH /pipelines/loop"] = [Answer(200, PIPELINE)]
    words = ("--dataset", "cats", "--model", "m", "--schedule", "0 6 * * *", "--set", "budget.labels=500",
             "--set", "trigger.webhook=true", "--config", "recipe.steps=9")  # fmt: skip
    done = lode(server, "pipeline", "create", "loop", *words)
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document == {
        "name": "loop", "dataset": "cats", "model": "m", "strategy": "auto",
        "control": 0.1, "seed": 0, "config": {"recipe": {"steps": 9}}, "schedule": "0 6 * * *",
        "budget": {"labels": 500}, "trigger": {"webhook": True},
    }  # fmt: skip
    assert "every day at 06:00" in lode(server, "pipeline", "schedule", "loop", "0 6 * * *").stdout
    lode(server, "pipeline", "schedule", "loop", "--off")
    assert [asked.document for asked in server.asked[1:]] == [{"schedule": "0 6 * * *"}, {"schedule": None}]
    refused = lode(server, "pipeline", "schedule", "loop", "--set", "bugdet.labels=5")
    assert refused.returncode != 0
    assert "trigger, budget, stop" in refused.stderr


def test_a_round_that_fails_at_once_is_told_and_ends_in_1(server: CannedServer) -> None:
    server.script["POST /pipelines/loop/rounds"] = [Answer(202, PIPELINE)]
    server.script["GET /pipelines/loop/rounds"] = page(
        {**ROUND, "error": "Dataset 'cats' is empty", "queue_counts": None, "auto_commit": None}
    )
    for words, told in {(): "failed: Dataset 'cats' is empty", ("--json",): '"state": "failed"'}.items():
        done = lode(server, "pipeline", "start", "loop", *words)
        assert (done.returncode, told in done.stdout, "wait for labels" in done.stdout) == (1, True, False)


def test_a_pipeline_shows_what_it_spent_why_it_stopped_and_its_lift(server: CannedServer) -> None:
    server.script["GET /pipelines/loop"] = [Answer(200, PIPELINE)]
    server.script["GET /pipelines/loop/rounds"] = page(ROUND)
    server.script["GET /pipelines/loop/against-random"] = [Answer(200, CONTROL)]
    server.script["POST /pipelines/loop/retry"] = [Answer(202, PIPELINE)]
    server.script["POST /pipelines/loop/rounds/cancel"] = [Answer(202, PIPELINE)]
    shown = " ".join(lode(server, "pipeline", "show", "loop").stdout.split())
    assert "40 labels (20 today)" in shown
    assert "target: accuracy is at least 99 %" in shown
    assert "1.0x" in shown
    assert str(CONTROL["sentence"]) in shown
    found = json.loads(lode(server, "pipeline", "show", "loop", "--json").stdout)
    assert (found["rounds"], found["against_random"]) == ([ROUND], CONTROL)
    assert "round 1 of loop is failed" in lode(server, "pipeline", "retry", "loop", "--from", "scoring").stdout
    assert [asked.document for asked in server.asked if asked.path.endswith("/retry")] == [{"from": "scoring"}]
    assert lode(server, "pipeline", "cancel", "loop").returncode == 0


@pytest.mark.parametrize(("labels", "said"), [(1200, "about 1200 labels, 900 to 1500"), (None, "never reach 95.00%")])
def test_a_forecast_says_how_many_labels_a_target_needs(server: CannedServer, labels: int | None, said: str) -> None:
    fits = [{"name": "power", "labels": labels, "rmse": 0.4}]
    server.script["GET /forecast"] = [
        Answer(200, {"pipeline": "loop", "target": 0.95, "labels": labels, "low": 900, "high": 1500, "fits": fits,
                     "more": {"value": labels and 1000, "low": 700, "high": None},
                     "rounds": {"value": labels and 3, "low": 2, "high": None},
                     "annotator_hours": {"value": labels and 11.2, "low": 8.0, "high": None, "source": None},
                     "training_hours": {"value": None, "low": None, "high": None, "source": None}})
    ]  # fmt: skip
    shown = lode(server, "pipeline", "forecast", "loop", "--target", "0.95").stdout
    assert said in shown
    if labels:
        words = (
            "to reach 95.00%: 1,000 more labels (700-never), 11 annotator-hours, 3 rounds, training time not known yet"
        )
        assert words in " ".join(shown.split())
    assert server.asked[0].path == "/forecast?pipeline=loop&target=0.95"


PLAN = {
    "inputs": [{"name": "fleet.days", "value": 260, "unit": "d", "source": {"kind": "given", "words": "given by you"}}],
    "figures": [{"group": "storage", "name": "kept", "title": "Kept", "value": 104.0, "unit": "TB", "formula": "a × b",
                 "printed": {"value": 104, "unit": "TB", "off": 0.0}}],
    "trainings": [{"architecture": "AlexNet", "machine": "GPU", "machines": 1, "pace": 0.247, "pace_unit": "TB/d",
                   "days": 421.05, "machines_for_target": None, "cost": None, "source": {"kind": "example"},
                   "printed": {"value": 1.1, "unit": "years", "off": 0.0487}}],
    "missing": [{"what": "The number of images", "needs": ["data.image_bytes"]}],
    "notes": ["A note."], "currency": "", "example": None,
}  # fmt: skip


def test_a_plan_takes_a_file_and_options_over_it_and_shows_tables(server: CannedServer, tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(
        "fleet: {vehicles: 100, days: 200}\ntraining:\n- {architecture: AlexNet, terabytes_per_day: 0.247}\n"
    )
    server.script["POST /plans"] = [Answer(200, PLAN)]
    words = (
        "--file",
        str(file),
        "--days",
        "260",
        "--target-days",
        "7",
        "--set",
        "prices.label=0.05",
        "--example",
        "cars",
    )
    done = lode(server, "plan", *words)
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document == {
        "fleet": {"vehicles": 100, "days": 260.0},
        "training": [{"architecture": "AlexNet", "terabytes_per_day": 0.247}],
        "prices": {"label": 0.05}, "target_days": 7.0, "example": "cars",
    }  # fmt: skip
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert any(line.startswith("Kept 104 TB a × b") for line in shown)
    assert any(line.startswith("AlexNet GPU 1 0.247 TB/d 1.154") for line in shown)
    assert "not known: The number of images; give data.image_bytes" in shown
    assert "note: A note." in shown


def test_a_file_that_is_no_plan_is_named(server: CannedServer, tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    for text in ("fleet: [", "- 5", "just words"):
        file.write_text(text)
        done = lode(server, "plan", "--file", str(file))
        assert done.returncode == 2
        assert "fleet.yaml" in done.stderr.replace("\n", "").replace("│", "").replace(" ", "")
    assert server.asked == []


def test_a_backtest_is_started_listed_and_shown(server: CannedServer) -> None:
    server.script["POST /backtests"] = [Answer(202, {"id": 2, "name": "first", "job": JOB})]
    server.script["GET /backtests"] = page(BACKTEST)
    server.script["GET /backtests/2"] = [Answer(200, BACKTEST)]
    words = ("--architecture", "small_cnn", "--set", "recipe.steps=9", "--strategy", "margin", "--target", "0.9")
    done = lode(server, "backtest", "start", "cats", *words)
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document["learner"] == {
        "kind": "train", "architecture": "small_cnn", "config": {"recipe": {"steps": 9}},
    }  # fmt: skip
    listed = lode(server, "backtest", "list").stdout
    assert "cats v3" in listed
    assert "none clearly" in listed
    shown = [" ".join(line.split()) for line in lode(server, "backtest", "show", "2").stdout.splitlines()]
    assert "No strategy is clearly best. Overlap." in shown
    assert "left out: 3 labelled samples: near-duplicates of test samples, nothing is trained on them" in shown
    assert any(line.startswith("margin 91.3") for line in shown)
    assert "margin 120 100 140 19 of 20 at least 40%" in shown
    assert "margin +1.20 +0.80 +1.60 0.002 18 of 20" in shown
    assert lode(server, "backtest", "start", "cats").returncode != 0


def test_a_backtest_of_boxes_is_followed_and_counts_what_was_drawn(server: CannedServer) -> None:
    drawn = BACKTEST | {
        "task": "detection", "metric": "map", "figure": "mAP",
        "curves": [CURVE | {"points": [POINT | {"objects": 801.5}]}],
        "labels_to_target": [REACHED | {"objects": 411.4, "objects_saved": -0.1}],
    }  # fmt: skip
    server.script["POST /backtests"] = [Answer(202, {"id": 2, "name": "first", "job": JOB})]
    server.script["GET /backtests/first"] = [Answer(200, drawn), Answer(200, drawn)]
    server.script[f"GET /jobs/{JOB['id']}"] = [Answer(200, JOB | {"state": "succeeded", "log": []})]
    words = ("--architecture", "centre_lite0", "--strategy", 'entropy:{"reduce": "sum"}', "--strategy", "pal")
    assert lode(server, "backtest", "start", "signs", *words).returncode == 0
    assert server.asked[0].document["strategies"] == [{"name": "entropy", "params": {"reduce": "sum"}}, "pal"]
    done = lode(server, "backtest", "watch", "first")
    assert done.returncode == 0, done.stderr
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "strategy mean mAP labels objects mAP at the end low high" in shown
    assert "margin 91.30% 220 802 95.00% 94.00% 96.00%" in shown
    assert "margin 120 100 140 19 of 20 at least 40% 411 -10%" in shown
    refused = lode(server, "backtest", "start", "signs", "--architecture", "centre_lite0", "--strategy", "entropy:sum")
    assert refused.returncode != 0
    assert "wants NAME, or NAME:JSON" in " ".join(refused.stderr.split())


def watched(server: CannedServer, *turns: Mapping[str, object]) -> tuple[int, str]:
    """What `lode pipeline watch` ends with, and says, of a round that is as `turns` tell, one after the other."""
    server.script["GET /pipelines/loop/rounds"] = [answer for turn in turns for answer in page({**ROUND, **turn})]
    server.script["GET /pipelines/loop"] = [Answer(200, PIPELINE | {"state": "running"})]
    done = lode(server, "pipeline", "watch", "loop")
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_a_round_is_followed_until_it_needs_somebody_or_has_ended(server: CannedServer) -> None:
    training = {"state": "training", "job": JOB, "queue_counts": None, "auto_commit": None}
    labelling = {"state": "labelling", "job": None, "queue_counts": COUNTS, "auto_commit": COMMIT}
    code, said = watched(server, training, labelling)
    assert code == 0
    assert "round 1 of loop: queue loop-1 waits for the labels of 4 of 20 samples" in said
    labelled = labelling | {"queue_counts": COUNTS | {"todo": 0, "leased": 0}}
    held = labelled | {"auto_commit": COMMIT | {"held": "2026-11-21T12:00:00Z", "held_by": "ann"}}
    assert "ann holds its commit: lode queue release loop-1" in watched(server, held)[1]
    assert "reviews are open in queue loop-1" in watched(server, labelled)[1]
    soon = labelled | {"auto_commit": COMMIT | {"seconds_left": 12.0}}
    done = training | {"state": "done", "job": None}
    assert "done; version 2 with accuracy 91.00% was promoted" in watched(server, soon, done)[1]
    bare = done | {"value": None, "promoted": False}
    assert "version 2 without a labelled sample to evaluate it on was not promoted" in watched(server, bare)[1]
    assert watched(server, training | {"state": "failed", "job": None, "error": "no memory"}) == (
        1, "round 1 of loop: failed: no memory",
    )  # fmt: skip


def test_a_watch_that_ends_says_that_the_round_goes_on(server: CannedServer) -> None:
    training = ROUND | {"state": "training", "job": JOB, "queue_counts": None, "auto_commit": None}
    server.script["GET /pipelines/loop"] = [Answer(200, PIPELINE)]
    server.script["GET /pipelines/loop/rounds"] = [*page(training), problem(401, "not_authenticated")]
    done = lode(server, "pipeline", "watch", "loop")
    assert done.returncode == 1
    assert "The round goes on without this: `lode pipeline watch loop` follows it" in " ".join(done.stderr.split())


def test_a_pipeline_without_a_round_has_nothing_to_follow(server: CannedServer) -> None:
    server.script["GET /pipelines/loop/rounds"] = page()
    assert "loop has no round yet: lode pipeline start loop" in lode(server, "pipeline", "watch", "loop").stdout
