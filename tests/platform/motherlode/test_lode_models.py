"""`lode run` and `lode model`, as they are typed."""

import json
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode

from motherlode.cli.terminal import parsed

PROGRESS = {"done": 4, "total": 4, "rate": None, "eta": None, "unit": "steps"}
JOB = {"id": 5, "kind": "train", "title": "Train", "state": "succeeded", "progress": PROGRESS, "result": {},
       "error": None, "created": "", "started": None, "finished": None, "log": [], "points": [], "next": 0,
       "missing": None, "waiting": None}  # fmt: skip
RUN = {"id": 7, "model": "m", "dataset": "cats", "version": 3, "architecture": "small_cnn", "config": {}, "seed": 0,
       "parent": None, "cloned_from": None, "notes": "", "model_version": 2, "left_out": 4, "created": "",
       "needs": None, "warnings": [], "read": None, "lost": None, "inputs_changed": None, "sent_bytes": None,
       "choice": None, "job": JOB}  # fmt: skip
FORECAST = {"architecture": "small_cnn", "config": {},
            "params": {}, "recipe": {}, "seconds": 720.0, "runs": 3, "source": "measured",
            "device": "cpu", "words": "About 12 minutes on this machine (from 3 earlier trainings)."}  # fmt: skip
VERDICTS = [{"gate": "parity", "passed": True, "detail": "holds"}, {"gate": "accuracy", "passed": False,
                                                                  "detail": "0.8 against 0.9"}]  # fmt: skip
VERSION = {"model": "m", "version": 2, "architecture": "onnx", "digest": "d" * 64, "dataset": "cats", "report": {},
           "dataset_version": 3, "run": None, "aliases": [],
           "headline": {"name": "accuracy", "value": 0.5}, "metrics": {"accuracy": 0.5}, "notes": "", "gates": [],
           "lineage": {"dataset": "cats", "dataset_version": 3, "run": None, "parent": None, "made_from": []},
           "dataset_role": "trained", "warnings": [],
           "artifacts": [{"path": "model.onnx", "size": 9}]}  # fmt: skip


def test_a_run_is_started_with_settings_and_followed_to_its_end(server: CannedServer) -> None:
    server.script["POST /runs/forecast"] = [Answer(200, FORECAST)]
    server.script["POST /runs"] = [Answer(202, RUN)]
    server.script["GET /runs/7"] = [Answer(200, RUN)]
    server.script["GET /jobs/5"] = [Answer(200, JOB | {"state": "running"}), Answer(200, JOB)]
    words = ("--dataset", "cats@v3", "--set", "recipe.steps=50", "--set", "recipe.optimiser=sgd", "--seed", "4",
             "--needs", "gpus=1", "--needs", "architecture=x86_64")  # fmt: skip
    done = lode(server, "run", "start", "m", *words, "--wait")
    assert done.returncode == 0, done.stderr
    assert "run 7 made version 2 of m" in done.stdout
    assert "About 12 minutes on this machine (from 3 earlier trainings)." in done.stderr
    asked = {
        "dataset": "cats", "version": "v3",
        "config": {"recipe": {"steps": 50, "optimiser": "sgd"}}, "needs": {"gpus": 1, "architecture": "x86_64"},
    }  # fmt: skip
    assert [request.document for request in server.asked[:2]] == [asked, {"model": "m", "seed": 4} | asked]
    refused = lode(server, "run", "start", "m", "--dataset", "cats", "--needs", "gpus")
    assert (refused.returncode, "such as gpus=1" in refused.stderr) == (2, True)


def test_a_run_that_is_followed_leaves_standard_output_to_its_document(server: CannedServer) -> None:
    server.script["POST /runs/forecast"] = [Answer(200, FORECAST)]
    server.script["POST /runs"] = [Answer(202, RUN)]
    server.script["POST /runs/7/resume"] = [Answer(202, RUN)]
    server.script["GET /runs/7"] = [Answer(200, RUN)]
    server.script["GET /jobs/5"] = [Answer(200, JOB)]
    for words in (("start", "m", "--dataset", "cats"), ("start", "m", "--dataset", "cats", "--wait"), ("resume", "7")):
        done = lode(server, "run", *words, "--json")
        assert json.loads(done.stdout) == RUN, done.stderr
    assert json.loads(lode(server, "run", "resume", "7", "--wait", "--json").stdout) == RUN


def test_a_clone_sends_only_what_is_changed(server: CannedServer) -> None:
    server.script["POST /runs/7/clone"] = [Answer(202, RUN | {"id": 8})]
    done = lode(server, "run", "clone", "7", "--seed", "0", "--set", "params.width=32")
    assert "lode run watch 8" in done.stdout
    assert server.asked[0].document == {"seed": 0, "config": {"params": {"width": 32}}}
    assert lode(server, "run", "clone", "7").returncode == 0
    assert server.asked[1].document == {}
    assert json.loads(lode(server, "run", "clone", "7", "--json").stdout)["id"] == 8


def test_runs_are_listed_shown_cancelled_and_resumed(server: CannedServer) -> None:
    server.script["GET /runs"] = [Answer(200, {"results": [RUN], "next": None})]
    running = RUN | {"job": JOB | {"state": "running"}}
    server.script["GET /runs/7"] = [Answer(200, RUN | {"notes": "the wide one"}), Answer(200, running)]
    server.script["POST /runs/7/cancel"] = [Answer(202, RUN | {"job": JOB | {"state": "cancelled"}})]
    server.script["POST /runs/7/resume"] = [problem(409, "job_not_resumable", detail="Job 5 is running.")]
    assert "cats v3" in lode(server, "run", "list", "--model", "m").stdout
    told = lode(server, "run", "show", "7").stdout
    assert "the wide one" in told
    assert "4 labelled samples: near-duplicates" in " ".join(told.split())
    assert "cancelled" in lode(server, "run", "cancel", "7").stdout
    refused = lode(server, "run", "resume", "7")
    assert (refused.returncode, "job_not_resumable" in refused.stderr) == (1, True)


def test_a_snapshot_is_listed_and_written(server: CannedServer, tmp_path: Path) -> None:
    row = {"kind": "best", "step": 40, "metrics": {"accuracy": 0.9}, "size": 12000, "created": "2026-01-01"}
    server.script["GET /runs/7/snapshots"] = [Answer(200, {"results": [row], "next": None})]
    server.script["GET /runs/7/snapshots/40"] = [Answer(200, {"weights": 1})]
    assert "12 kB" in lode(server, "run", "snapshots", "7").stdout
    assert lode(server, "run", "snapshots", "7", "--step", "40", cwd=tmp_path).returncode == 0
    assert (tmp_path / "run-7-40.safetensors").read_bytes() == b'{"weights": 1}'


def test_images_are_sent_and_what_is_none_is_said(server: CannedServer, tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(name.encode())
    sound = {"name": "a.png", "error": None, "predictions": [{"class": "cat", "probability": 0.75, "calibrated": 0.7}]}
    poison = {"name": "b.png", "error": {"code": "image_truncated", "detail": "cut"}, "predictions": []}
    server.script["POST /models/m/versions/production/predict"] = [Answer(200, {"results": [sound, poison]})]
    done = lode(server, "model", "predict", "m", "a.png", "b.png", "--top", "1", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "75.00%" in done.stdout
    assert "image_truncated" in done.stderr
    assert server.asked[0].body.count(b'name="file"') == 2
    server.script["POST /models/m/versions/production/predict"] = [Answer(200, {"results": [poison]})]
    assert lode(server, "model", "predict", "m", "b.png", cwd=tmp_path).returncode == 4
    server.script["POST /models/m/versions/production/predict"] = [Answer(200, {"results": [sound, poison]})]
    done = lode(server, "model", "predict", "m", "a.png", "b.png", "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)) == (3, {"results": [sound, poison]})


def test_what_a_version_missed_is_listed_with_its_place_in_pixels(server: CannedServer) -> None:
    row = {"md5": "ab", "key": "a.png", "sample": 1, "width": 200, "height": 100, "label": "stop", "predicted": None,
           "score": 0.31, "box": None, "object": [0.1, 0.2, 0.5, 0.6], "overlap": 0.0}  # fmt: skip
    erased = row | {"key": None, "width": None, "height": None, "overlap": None}
    path = "/models/m/versions/3/outcomes"
    server.script[f"GET {path}"] = [
        Answer(200, {"results": [row], "next": f"http://other{path}?kind=missed&cursor=x"}),
        Answer(200, {"results": [erased], "next": None}),
    ]
    words = ("--kind", "missed", "--class", "stop", "--threshold", "0.45", "--slice", "night")
    done = lode(server, "model", "outcomes", "m", "3", *words)
    assert done.returncode == 0, done.stderr
    assert "20, 20, 100, 60" in done.stdout
    assert "0.1, 0.2, 0.5, 0.6" in done.stdout
    assert "(erased)" in done.stdout
    asked = server.asked[0].path
    for part in ("kind=missed", "class=stop", "threshold=0.45", "slice=night"):
        assert part in asked
    assert "predicted=" not in asked
    server.script[f"GET {path}"] = [Answer(200, {"results": [row, erased], "next": None})]
    told = lode(server, "model", "outcomes", "m", "3", "--limit", "1", "--json")
    assert json.loads(told.stdout) == [row]


def test_ctrl_c_while_a_file_is_sent_says_that_it_may_become_a_version(
    server: CannedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "mine.onnx").write_bytes(b"onnx")
    monkeypatch.setattr("motherlode.transport.Transport.post_form", interrupted)
    done = lode(server, "model", "upload", "m", "mine.onnx", cwd=tmp_path)
    assert done.returncode == 130
    assert "becomes a version without this: `lode job list` shows whether" in done.stderr


def test_an_upload_that_takes_long_is_waited_for(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "mine.onnx").write_bytes(b"the model")
    (tmp_path / "how.json").write_text('{"mean": [0.5]}')
    server.script["POST /models/m/versions"] = [Answer(202, {"job": JOB | {"state": "running"}})]
    server.script["GET /jobs/5"] = [Answer(200, JOB | {"result": {"digest": "d" * 64}})]
    server.script["GET /models/m/versions"] = [Answer(200, {"results": [VERSION], "next": None})]
    server.script["GET /models/m/versions/2"] = [Answer(200, VERSION)]
    words = ("--dataset", "cats@v3", "--metadata", "how.json")
    done = lode(server, "model", "upload", "m", "mine.onnx", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "m has version 2" in done.stdout
    assert b"the model" in server.asked[0].body
    assert b'{"mean": [0.5], "dataset": "cats@v3"}' in server.asked[0].body
    server.script["POST /models/m/versions"] = [problem(422, "onnx_foreign", detail="it takes 2 inputs")]
    refused = lode(server, "model", "upload", "m", "mine.onnx", cwd=tmp_path)
    assert (refused.returncode, "it takes 2 inputs" in refused.stderr) == (1, True)


def test_a_promotion_shows_its_verdicts_also_when_it_is_refused(server: CannedServer) -> None:
    made = {"alias": "production", "version": 2, "previous": 1, "gates": VERDICTS}
    server.script["POST /models/m/aliases"] = [problem(409, "gates_failed", gates=VERDICTS), Answer(200, made)]
    server.script["POST /models/m/rollback"] = [Answer(200, made | {"version": 1, "previous": 2, "gates": []})]
    refused = lode(server, "model", "promote", "m", "2", "--reason", "better")
    assert refused.returncode == 1
    assert "fails accuracy: 0.8 against 0.9" in refused.stdout
    assert "lode model gates" in refused.stderr
    done = lode(server, "model", "promote", "m", "2", "--reason", "demo day", "--override")
    assert "production of m is at v2, before at v1" in done.stdout
    assert server.asked[1].document["override"] is True
    assert "is at v1" in lode(server, "model", "rollback", "m", "--reason", "it flickers", "--to", "1").stdout
    assert server.asked[-1].document["version"] == 1


def test_gates_are_shown_and_changed(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "gates.json").write_text('[{"check": "parity"}]')
    server.script["GET /models/m"] = [Answer(200, {"gates": [{"metric": "accuracy", "min": 0.9}]})]
    server.script["PATCH /models/m"] = [Answer(200, {"gates": [{"check": "parity"}]})]
    assert json.loads(lode(server, "model", "gates", "m").stdout) == {"metric": "accuracy", "min": 0.9}
    done = lode(server, "model", "gates", "m", "--set", "gates.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert server.asked[1].document == {"gates": [{"check": "parity"}]}
    lode(server, "model", "gates", "m", "--default")
    assert server.asked[2].document == {"gates": None}


def test_a_version_is_shown(server: CannedServer) -> None:
    server.script["GET /models/m/versions/2"] = [Answer(200, VERSION | {"gates": VERDICTS})]
    shown = lode(server, "model", "version", "m", "2").stdout
    assert "passes parity: holds" in shown
    assert "50.00%" in shown


def test_settings_are_read_as_json_or_words() -> None:
    assert parsed(["recipe.steps=5", "recipe.balance=loss", "params.depths=[1, 2]", "recipe.patience=null"]) == {
        "recipe": {"steps": 5, "balance": "loss", "patience": None}, "params": {"depths": [1, 2]},
    }  # fmt: skip
    for wrong in ("steps=5", "recipe.steps", "recipe."):
        with pytest.raises(Exception, match="NAME=VALUE"):
            parsed([wrong])


def test_a_version_that_came_without_a_dataset_was_trained_on_nothing_we_know(server: CannedServer) -> None:
    elsewhere = VERSION | {"dataset": None, "dataset_version": None, "created": "2026-01-01T00:00:00Z"}
    model = {"name": "m", "task": "classification", "classes": ["cat"]}
    server.script["GET /models/m"] = [Answer(200, model)]
    server.script["GET /models/m/versions"] = [Answer(200, {"results": [elsewhere], "next": None})]
    told = lode(server, "model", "show", "m").stdout
    assert told.splitlines()[-1].split()[:3] == ["2", "onnx", "-"]
