"""The stand-in annotator."""

import json
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, Asked, CannedServer, problem

from motherlode import Motherlode, MotherlodeError
from motherlode.annotator import annotate, read_truth


def task(number: int) -> dict[str, object]:
    return {"id": number, "sample": {"key": f"{number}.png"}, "suggestion": None, "lease_token": number * 10}


def taken(asked: Asked) -> Answer:
    return Answer(200, {"state": "done", "answer": {"id": 1, "value": asked.document["value"], "opinion": False}})


def test_it_answers_what_it_knows_skips_the_rest_and_counts_lost_leases(
    server: CannedServer, client: Motherlode
) -> None:
    nothing = Answer(204, headers={"X-Queue-Leased": "0"})
    batches = [Answer(200, {"tasks": [task(1), task(2)]}), Answer(200, {"tasks": [task(3)]}), nothing]
    server.script = {
        "POST /labeling/queues/q/next": [*batches],
        "POST /labeling/tasks/1/answer": [taken],
        "POST /labeling/tasks/2/skip": [Answer(200, {"state": "skipped"})],
        "POST /labeling/tasks/3/answer": [problem(409, "lease_lost")],
    }
    tally = annotate(client, "q", truth={"1.png": {"class": "a"}, "3.png": {"class": "b"}})
    assert (tally.answered, tally.skipped, tally.opinions) == (1, 1, 1)
    answer = next(asked for asked in server.asked if asked.path.endswith("/1/answer")).document
    assert answer["value"] == {"class": "a"}
    assert answer["lease_token"] == 10
    assert answer["shown_suggestion"] is False
    assert answer["seconds"] > 0


def test_a_truth_without_any_key_of_the_queue_is_told(server: CannedServer, client: Motherlode) -> None:
    server.script = {
        "POST /labeling/queues/q/next": [Answer(200, {"tasks": [task(1), task(2)]}), Answer(204)],
        "POST /labeling/tasks/1/skip": [Answer(200, {"state": "skipped"})],
        "POST /labeling/tasks/2/skip": [Answer(200, {"state": "skipped"})],
    }
    with pytest.raises(MotherlodeError, match="all 2 tasks were skipped") as caught:
        annotate(client, "q", truth={"./1.png": {"class": "a"}})
    assert caught.value.code == "truth_unfit"
    for words in ("'2.png'", "'./1.png'", "lode queue requeue q"):
        assert words in caught.value.detail


def test_an_empty_queue_is_nobodys_fault(server: CannedServer, client: Motherlode) -> None:
    server.script = {"POST /labeling/queues/q/next": [Answer(204)]}
    assert annotate(client, "q", truth={"z.png": {"class": "a"}}).skipped == 0


def test_it_waits_for_what_others_hold(server: CannedServer, client: Motherlode) -> None:
    held = Answer(204, headers={"X-Queue-Leased": "1", "X-Queue-Next-Frees": "0.1"})
    server.script = {
        "POST /labeling/queues/q/next": [held, Answer(200, {"tasks": [task(1)]}), Answer(204)],
        "POST /labeling/tasks/1/answer": [taken],
    }
    waits: list[tuple[int, float]] = []
    tally = annotate(client, "q", truth={"1.png": {"class": "a"}}, on_wait=lambda *told: waits.append(told))
    assert (tally.answered, waits) == (1, [(1, 0.1)])


def test_other_refusals_are_not_swallowed(server: CannedServer, client: Motherlode) -> None:
    server.script = {
        "POST /labeling/queues/q/next": [Answer(200, {"tasks": [task(1)]})],
        "POST /labeling/tasks/1/answer": [problem(400, "class_unknown")],
    }
    with pytest.raises(MotherlodeError, match="class_unknown"):
        annotate(client, "q", truth={"1.png": {"class": "z"}})


def test_recorded_truth_that_cannot_be_read_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text(json.dumps({"key": "a", "label": {"class": "x"}}) + '\n{"key": "b"}\n')
    with pytest.raises(MotherlodeError, match="line 2"):
        read_truth(path)
