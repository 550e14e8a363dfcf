"""What `lode` can't do is told in words, and before anything was asked of the platform for it."""

from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode


def words(text: str) -> str:
    """What is told, without the frame that a usage error is drawn in."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("model gates m --set broken.json", "broken.json is not JSON"),
        ("model gates m --set folder", "is a directory"),
        ("model gates m --set deep.json", "deep.json is not JSON"),
        ("model upload m a.onnx --metadata broken.json", "broken.json is not JSON"),
        ("model upload m a.onnx --metadata word.json", "word.json holds no JSON object"),
        ("label decide 1 {boxes:", "the label is not JSON"),
        ("model download m --to nowhere/x", "file_unusable nowhere/x: there is no folder nowhere"),
        ("model download m --to folder", "file_unusable folder: is a folder"),
        ("model download m --to /proc/1/x", "file_unusable /proc/1/x: nothing can be written into /proc/1"),
        ("model download m --to /dev/full", "file_unusable /dev/full: is not a regular file"),
        ("dataset push folder pets --annotations /dev/zero", "/dev/zero is not a regular file"),
        ("model gates m --set /dev/zero", "/dev/zero is not a regular file"),
        ("mine start pets --model m@1 --compose /dev/zero", "/dev/zero is not a regular file"),
        ("annotate q --truth /dev/zero", "/dev/zero is not a regular file"),
        ("annotate q --truth empty.jsonl", "truth_unreadable empty.jsonl holds no label"),
        ("pipeline schedule p 0 --off", "give either a schedule or --off"),
        ("queue export q --to nowhere/x", "file_unusable nowhere/x"),
        ("run snapshots 75 --step 1 --to nowhere/x", "file_unusable nowhere/x"),
        ("dataset export pets --format coco --output nowhere/x.zip", "file_unusable nowhere/x.zip"),
        ("dataset export pets --format coco --output folder", "file_unusable folder: is a folder"),
        ("dataset pull pets word.json", "is a file"),
        ("mine start pets --model m@1 --control nan", "invalid control: give a number"),
        ("mine queue 1 --min-score inf", "invalid min_score: give a number"),
        ("gc --grace nan", "invalid grace: give a number"),
        ("run start m --dataset pets --set recipe.learning_rate=NaN", "invalid config.recipe.learning_rate: give"),
        ("pipeline forecast p --target nan", "invalid target: give a number"),
        ("run start m --dataset pets@", "'pets@': wants a dataset"),
        ("run clone 1 --dataset @v3", "'@v3': wants a dataset"),
        ("mine start pets@ --model m@1", "'pets@': wants a dataset"),
        ("backtest start pets@ --model m@1", "'pets@': wants a dataset"),
        ("job list --limit -1", "Invalid value for '--limit'"),
        ("run list --limit -1", "Invalid value for '--limit'"),
        ("mine list --limit -1", "Invalid value for '--limit'"),
        ("mine picks 1 --limit -1", "Invalid value for '--limit'"),
        ("backtest list --limit -1", "Invalid value for '--limit'"),
        ("dataset log pets --limit -1", "Invalid value for '--limit'"),
        ("dataset diff pets 1 --limit -1", "Invalid value for '--limit'"),
    ],
)
def test_what_is_typed_wrongly_is_told_and_nothing_is_asked(
    server: CannedServer, tmp_path: Path, typed: str, told: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.json").write_text("[{")
    (tmp_path / "deep.json").write_text("[" * 200_000)
    (tmp_path / "word.json").write_text('"onnx"')
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "a.onnx").write_bytes(b"onnx")
    done = lode(server, *typed.split(), cwd=tmp_path)
    assert told in words(done.stderr)
    assert "Traceback" not in done.stderr
    assert done.returncode in {1, 2}
    assert server.asked == []


def test_a_folder_that_can_t_be_made_is_told_in_a_line(server: CannedServer) -> None:
    server.script["GET /datasets/pets"] = [Answer(200, {"name": "pets", "created": "2026-03-01T12:00:00Z"})]
    server.script["GET /datasets/pets/versions/head"] = [Answer(200, {"version": 1})]
    server.script["GET /datasets/pets/versions/1/manifest"] = [Answer(200, {"samples": 0})]
    done = lode(server, "dataset", "pull", "pets", "/proc/x")
    assert (done.returncode, words(done.stderr)) == (1, "file_unusable /proc/x: No such file or directory")


def test_a_job_that_has_ended_can_t_be_cancelled(server: CannedServer) -> None:
    ended = {"id": 3, "state": "succeeded"}
    server.script = {
        "GET /jobs/3": [Answer(200, ended)],
        "GET /runs/75": [Answer(200, {"id": 75, "job": ended | {"state": "failed"}})],
        "GET /mining/jobs/5": [Answer(200, {"id": 5, "job": ended | {"state": "cancelled"}})],
    }
    for typed, told in (
        ("job cancel 3", "job 3 has ended already: succeeded"),
        ("run cancel 75", "run 75 has ended already: failed"),
        ("mine cancel 5", "mining 5 has ended already: cancelled"),
    ):
        done = lode(server, *typed.split())
        assert (done.returncode, words(done.stderr)) == (1, f"job_ended {told}")
    assert {asked.method for asked in server.asked} == {"GET"}
