"""`--json`: the platform's document alone on standard output."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

COMMIT: dict[str, Any] = {"version": 2, "parent": 1, "rejected": [], "added": 0}
TAGGED = {"name": "gold", "version": 1}
DONE = {
    "id": 7, "kind": "collect", "title": "Collect", "state": "succeeded", "error": None, "missing": None,
    "waiting": None,
    "points": [], "log": [], "next": 0, "progress": {"done": 1, "total": 1, "rate": None, "eta": None, "unit": "rows"},
    "result": {"blobs": 1},
}  # fmt: skip
EMBEDDED = {"job": None, "embedded": 1, "samples": 1, "missing": 0, "version": 1, "by": "features", "unreadable": 0}
LIST = Answer(200, {"results": [{"name": "one"}], "next": None})
LIST_OF_NONE = Answer(200, {"results": [], "next": None})
JOB = Answer(202, {"job": {"id": 7}})
CASES: list[tuple[str, dict[str, Answer], object]] = [
    ("gc", {"POST /gc": JOB, "GET /jobs/7": Answer(200, DONE)}, {"blobs": 1}),
    ("model gates m", {"GET /models/m": Answer(200, {"gates": [{"metric": "accuracy"}]})}, [{"metric": "accuracy"}]),
    ("dataset count d boxes>1", {"POST /datasets/d/filters": Answer(200, {"count": 1})}, {"count": 1}),
    ("dataset formats", {"GET /formats": LIST}, [{"name": "one"}]),
    ("dataset sources", {"GET /sources": LIST}, [{"name": "one"}]),
    ("dataset edit d --filter boxes>1 --remove", {"POST /datasets/d/edits": Answer(200, COMMIT)}, COMMIT),
    ("dataset fork d e", {"POST /datasets/d/forks": Answer(201, {"name": "e"})}, {"name": "e"}),
    ("dataset tag d gold", {"POST /datasets/d/tags": Answer(201, TAGGED)}, TAGGED),
    ("dataset alias d gold", {"POST /datasets/d/aliases": Answer(200, TAGGED)}, TAGGED),
    ("dataset embed d", {"POST /datasets/d/versions/head/embeddings": Answer(200, EMBEDDED)}, EMBEDDED),
    ("dataset erase d a.png --reason asked --yes",
     {"POST /datasets/d/erasures": JOB, "GET /jobs/7": Answer(200, DONE)}, {"blobs": 1}),
    ("dataset import s3://b/p d --source s",
     {"POST /datasets/d/imports": JOB, "GET /jobs/7": Answer(200, DONE | {"result": COMMIT})}, COMMIT),
    ("queue commit q", {"GET /labeling/queues/q": Answer(200, {"dataset": "d"}),
                        "POST /labeling/queues/q/commit": Answer(200, COMMIT)}, COMMIT),
    ("run snapshots 3", {"GET /runs/3/snapshots": LIST}, [{"name": "one"}]),
    ("lake remove d 4", {"DELETE /datasets/d/lake/parts/4": Answer(204)}, {"dataset": "d", "part": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "script", "document"), CASES, ids=[case[0] for case in CASES])
def test_a_command_prints_its_document_alone(
    server: CannedServer, words: str, script: dict[str, Answer], document: object
) -> None:
    server.script |= {path: [answer] for path, answer in script.items()}
    done = lode(server, *words.split(), "--json")
    assert done.returncode == 0, done.stderr + str([(one.method, one.path) for one in server.asked])
    assert json.loads(done.stdout) == document


def test_the_state_of_the_platform_is_a_document(server: CannedServer) -> None:
    server.script["GET /health/ready"] = [Answer(200, {"status": "ready", "database": "ok"})]
    server.script["GET /session"] = [Answer(200, {"user": {"username": "ann", "role": "owner"}})]
    server.script["GET /jobs"] = [Answer(200, {"results": [], "next": None})]
    told = json.loads(lode(server, "status", "--json").stdout)
    assert (told["health"]["database"], told["user"]["username"], told["jobs"]) == ("ok", "ann", [])


def test_what_a_stand_in_annotator_did_is_a_document(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_text('{"key": "a.png", "label": {"class": "cat"}}')
    server.script["GET /labeling/queues/q"] = [Answer(200, {"counts": {"todo": 0, "leased": 0}})]
    server.script["POST /labeling/queues/q/next"] = [Answer(200, {"tasks": [], "leased": 0, "next_frees": 0})]
    done = lode(server, "annotate", "q", "--truth", "truth.jsonl", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"answered": 0, "skipped": 0, "opinions": 0}


def test_where_a_snapshot_was_written_is_a_document(server: CannedServer, tmp_path: Path) -> None:
    server.script["GET /runs/3/snapshots/5"] = [Answer(200, "weights")]
    done = lode(server, "run", "snapshots", "3", "--step", "5", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"file": "run-3-5.safetensors", "bytes": 9}


def test_an_export_that_was_erased_meanwhile_is_said_to_be(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/d/exports"] = [Answer(202, {"id": 3, "job": {"id": 7}})]
    server.script["GET /jobs/7"] = [Answer(200, DONE)]
    server.script["GET /datasets/d/exports"] = [LIST_OF_NONE]
    done = lode(server, "dataset", "export", "d", "--format", "coco", cwd=tmp_path)
    assert (done.returncode, "export_erased" in done.stderr, "Traceback" in done.stderr) == (1, True, False)
