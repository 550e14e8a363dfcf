"""GET /labeling/queues/{id}/answers: all that was said, a JSON object a line."""

import json
from typing import Any

from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from labeling.models import Queue


def lines(api: APIClient, queue: Queue, query: str = "") -> list[dict[str, Any]]:
    response: Any = api.get(f"/labeling/queues/{queue.name}/answers{query}")
    assert (response.status_code, response["Content-Type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in response.getvalue().splitlines()]


def test_every_task_is_a_line_with_its_answers(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    mine, bobs = leased(api, queue)[0], leased(bobs_api, queue)[0]
    say(api, mine, "dog")
    bobs_api.post(f"/labeling/tasks/{bobs['id']}/skip", {"reason": "unclear"}, format="json")
    rows = lines(api, queue)
    assert [(row["key"], row["state"]) for row in rows] == [
        ("p0", "done"), ("p1", "skipped"), ("p2", "todo"), ("p3", "todo"), ("p4", "todo"),
    ]  # fmt: skip
    (answer,), (skip,) = rows[0]["answers"], rows[1]["answers"]
    assert answer.pop("created").endswith("Z")
    assert answer == {
        "author": "alice", "value": {"class": "dog"}, "reason": "", "seconds": 1.5, "shown_suggestion": True,
        "changed": True, "verification": None, "opinion": False,
    }  # fmt: skip
    assert (skip["author"], skip["value"], skip["reason"]) == ("bob", None, "unclear")
    assert [row["key"] for row in lines(api, queue, "?state=done,skipped")] == ["p0", "p1"]


def test_an_annotator_gets_their_own_answers_alone(api: APIClient, bobs_api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    say(api, leased(api, queue)[0], "dog")
    assert lines(bobs_api, queue)[0]["answers"] == []
    assert len(lines(api, queue)[0]["answers"]) == 1
