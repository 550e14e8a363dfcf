"""`lode queue`, as it is typed."""

import json
from pathlib import Path

from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

from motherlode import Motherlode

COUNTS = {"total": 3, "todo": 1, "leased": 0, "done": 1, "skipped": 1}
QUEUE = {"id": 1, "name": "night", "dataset": "cats", "dataset_id": 1, "task": "classification", "kind": "grid",
         "mode": "label", "classes": ["cat"], "state": "open", "counts": COUNTS,
         "mine": {"today": 0, "total": 0, "rate_per_hour": 0, "waiting": 0},
         "flagged": 2, "reviews_open": 4, "labels": 1, "auto_commit": None,
         "answers_per_task": 2, "blind_share": 0.1, "gold_share": 0.0,
         "review_share": 0.0, "accept_threshold": None, "skip_reasons": [], "committed_version": None,
         "priority": "high", "due": "2026-12-01T12:00:00Z", "assignees": ["bob"], "for_me": False,
         "passing": 3}  # fmt: skip


def test_a_queue_is_made_of_a_slice(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /labeling/queues"] = [Answer(201, QUEUE)]
    words = ("--slice", "dark", "--kind", "grid", "--answers", "2", "--blind", "0.1", "--gold-share", "0.05")
    done = lode(server, "queue", "create", "night", "cats", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 samples of cats wait in night" in done.stdout.replace("\n", " ")
    assert server.asked[0].document == {
        "name": "night", "dataset": "cats", "filter": {"slice": "dark"}, "kind": "grid", "answers_per_task": 2,
        "blind_share": 0.1, "gold_share": 0.05,
    }  # fmt: skip


def test_a_queue_is_made_of_keys_in_their_order(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /labeling/queues"] = [Answer(201, QUEUE)]
    lode(server, "queue", "create", "night", "cats", "--sample", "b.png", "--sample", "a.png", cwd=tmp_path)
    assert server.asked[0].document["samples"] == ["b.png", "a.png"]


def test_a_queue_says_how_far_it_is(server: CannedServer, tmp_path: Path) -> None:
    server.script["GET /labeling/queues/night"] = [Answer(200, QUEUE), Answer(200, QUEUE)]
    told = lode(server, "queue", "show", "night", cwd=tmp_path).stdout
    assert [line.split() for line in told.splitlines() if line.startswith(("kind", "todo", "reviews"))] == [
        ["kind", "grid"], ["todo", "1"], ["reviews", "open", "4"],
    ]  # fmt: skip
    assert json.loads(lode(server, "queue", "show", "night", "--json", cwd=tmp_path).stdout) == QUEUE


def test_suggestions_are_verified_and_the_seconds_told(server: CannedServer, tmp_path: Path) -> None:
    counts = {"asked": 8, "kept": 5, "moved": 1, "reclassed": 1, "removed": 1, "median_seconds": 1.25}
    told = {"mode": "verify", "answers": 2, "verified": 2, "objects": counts, "by_class": [
                {"class": "cat", "missing": 3, "drawn": 3} | counts],
            "missing": {"asked": 2, "found": 1, "median_seconds": 2.0},
            "drawn": {"objects": 3, "median_seconds": None}}  # fmt: skip
    server.script["PATCH /labeling/queues/night"] = [Answer(200, QUEUE | {"mode": "verify"})]
    server.script["GET /labeling/queues/night/statistics"] = [Answer(200, told)]
    assert "night: mode verify" in lode(server, "queue", "change", "night", "--mode", "verify", cwd=tmp_path).stdout
    assert server.asked[0].document == {"mode": "verify"}
    done = lode(server, "queue", "statistics", "night", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("cat", "all"))]
    assert rows == [[name, "8", "5", "1", "1", "1", "3", "1.25"] for name in ("cat", "all")]
    assert "missing in 1 of 2 images (asking took 2.0 s)" in " ".join(done.stdout.split())


def test_a_queue_is_placed_among_others_and_assigned(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /labeling/queues"] = [Answer(201, QUEUE | {"passing": 7000})]
    words = ("--limit", "3", "--priority", "high", "--assign", "bob", "--assign", "ann", "--due", "2026-12-01")
    done = lode(server, "queue", "create", "night", "cats", *words, cwd=tmp_path)
    assert "3 samples of 7,000 that were chosen of cats wait in night" in done.stdout.replace("\n", " "), done.stderr
    sent = server.asked[0].document
    assert {name: sent[name] for name in ("limit", "seed", "priority", "assignees")} == {
        "limit": 3, "seed": 0, "priority": "high", "assignees": ["bob", "ann"],
    }  # fmt: skip
    assert sent["due"].startswith("2026-12-01T00:00:00")
    server.script["PATCH /labeling/queues/night"] = [Answer(200, QUEUE | {"assignees": [], "due": None})]
    done = lode(server, "queue", "change", "night", "--everybody", "--no-due", "--priority", "high", cwd=tmp_path)
    assert "night: priority high; due none; assignees everybody" in done.stdout
    assert server.asked[1].document == {"priority": "high", "due": None, "assignees": []}
    unclear: list[tuple[str, ...]] = [(), ("--everybody", "--assign", "bob"), ("--no-due", "--due", "2026-12-01")]
    for said in unclear:
        assert lode(server, "queue", "change", "night", *said, cwd=tmp_path).returncode == 2
    server.script["GET /labeling/queues"] = [Answer(200, {"results": [QUEUE], "next": None, "previous": None})]
    assert "bob" in lode(server, "queue", "list", cwd=tmp_path).stdout


def test_skipped_tasks_are_brought_back(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /labeling/queues/night/requeue"] = [Answer(200, {"requeued": 1, "counts": COUNTS})] * 2
    assert "1 task waits again" in lode(server, "queue", "requeue", "night", cwd=tmp_path).stdout
    lode(server, "queue", "requeue", "night", "--task", "7", cwd=tmp_path)
    assert [asked.document for asked in server.asked] == [{"skipped": True}, {"tasks": [7]}]


def test_answers_are_written_to_a_file(server: CannedServer, tmp_path: Path) -> None:
    row = {"task": 1, "key": "a", "position": 0, "state": "done", "answers": []}
    server.script["GET /labeling/queues/night/answers"] = [Answer(200, row)]
    done = lode(server, "queue", "export", "night", "--to", "out.jsonl", "--state", "done", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.jsonl").read_text()) == row
    assert server.asked[0].path.endswith("?state=done")


def test_many_answers_go_in_one_call(server: CannedServer, client: Motherlode) -> None:
    results = [{"task": 1, "status": "saved", "receipt": {"state": "done"}}]
    server.script["POST /labeling/queues/night/answers"] = [Answer(200, {"results": results})]
    answer = {"task": 1, "value": None, "seconds": 1.0, "lease_token": 3, "reason": "unclear"}
    assert client.queues.answer_many("night", [answer], key="k") == results  # type: ignore[list-item]  # a plain dict
    assert server.asked[0].document == {"answers": [answer]}


def test_a_commit_is_held_and_released(server: CannedServer, tmp_path: Path) -> None:
    held = {"grace": 30, "seconds_left": None, "held": "2026-11-22T20:00:00Z", "held_by": "bob"}
    runs = {"grace": 30, "seconds_left": 29.6, "held": None, "held_by": None}
    server.script["POST /labeling/queues/night/hold"] = [Answer(200, QUEUE | {"auto_commit": held})]
    server.script["DELETE /labeling/queues/night/hold"] = [Answer(200, {})]
    server.script["GET /labeling/queues/night"] = [Answer(200, QUEUE | {"auto_commit": runs})]
    assert "held by bob" in lode(server, "queue", "hold", "night", cwd=tmp_path).stdout
    assert "committed in 30 s" in lode(server, "queue", "release", "night", cwd=tmp_path).stdout


def test_open_comments_are_listed(server: CannedServer, tmp_path: Path) -> None:
    comment = {"id": 7, "task": 3, "author": {"id": 1, "username": "bob"}, "text": "Is the left one a cat, @ana?",
               "x": 0.25, "y": 0.5, "mentions": ["ana"], "created": "2026-11-26T06:00:00Z", "resolved_by": None,
               "resolved_at": None, "deletable": False, "queue": "night", "queue_id": 1, "dataset": "cats",
               "sample": {"id": 2, "key": "a.png"}, "url": "/blobs/0", "review": None}  # fmt: skip
    page = {"results": [comment], "next": None}
    server.script["GET /labeling/comments"] = [Answer(200, page), Answer(200, page)]
    told = lode(server, "queue", "comments", "night", cwd=tmp_path).stdout
    assert ("a.png" in told, "bob" in told) == (True, True)
    assert server.asked[0].path.partition("?")[2] == "queue=night&open=true"
    assert json.loads(lode(server, "queue", "comments", "night", "--json", cwd=tmp_path).stdout) == [comment]


def test_what_waits_is_listed_with_whether_the_pace_reaches_the_time(server: CannedServer, tmp_path: Path) -> None:
    pace = {"answers": 120, "days": 2, "per_hour": 2.5, "answers_left": 100, "hours_left": 40.0, "in_time": False}
    row = {"id": 1, "name": "night", "dataset": "cats", "project": "default", "state": "open", "priority": "high",
           "due": "2026-11-27T06:00:00Z", "assignees": ["ana"], "total": 220, "todo": 97, "leased": 3, "skipped": 4,
           "reviews": 8, "disputed": 6, "flagged": 2, "comments": 5, "labels": 110, "since": "2026-11-20T06:00:00Z",
           "pace": pace}  # fmt: skip
    new = row | {"name": "new", "assignees": [], "pace": pace | {"per_hour": None, "hours_left": None, "in_time": None}}
    done = row | {"name": "done", "pace": pace | {"answers_left": 0, "hours_left": 0.0, "in_time": None}}
    server.script["GET /labeling/waiting"] = [Answer(200, {"results": [row, new, done], "next": None})]
    told = lode(server, "queue", "waiting", "--project", "default", cwd=tmp_path).stdout
    told = " ".join(told.split())
    assert "night 100 3 8 6 2 4 5 110" in told
    assert ("40 h at 2.5/h, too late" in told, "no pace yet" in told, "answered" in told) == (True, True, True), told
    assert server.asked[0].path == "/labeling/waiting?project=default"
    shown = lode(server, "queue", "waiting", "--json", cwd=tmp_path).stdout
    assert json.loads(shown) == [row, new, done]
