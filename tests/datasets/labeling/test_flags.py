"""POST and DELETE /labeling/tasks/{id}/flag, and looking back over a queue."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from labeling.models import Flag, Queue


def flag(api: APIClient, task: dict[str, Any], note: str = "odd") -> Any:
    return api.post(f"/labeling/tasks/{task['id']}/flag", {"note": note}, format="json")


def listed(api: APIClient, queue: Queue, query: str = "") -> list[dict[str, Any]]:
    response = api.get(f"/labeling/queues/{queue.name}/tasks{query}")
    assert response.status_code == 200, response.content
    results: list[dict[str, Any]] = response.json()["results"]
    return results


def test_a_flag_is_on_the_task_until_it_is_taken_away(bobs_api: APIClient, queue: Queue) -> None:
    task = leased(bobs_api, queue)[0]
    assert flag(bobs_api, task).json() == {"task": task["id"], "flag": {"note": "odd"}}
    assert flag(bobs_api, task, "two animals").status_code == 200
    assert leased(bobs_api, queue)[0]["flag"] == {"note": "two animals"}
    assert bobs_api.get(f"/labeling/queues/{queue.name}").json()["flagged"] == 1
    assert bobs_api.delete(f"/labeling/tasks/{task['id']}/flag").status_code == 204
    assert (leased(bobs_api, queue)[0]["flag"], Flag.objects.count()) == (None, 0)


def test_a_flag_is_shown_to_leads_and_not_to_other_annotators(
    api: APIClient, bobs_api: APIClient, queue: Queue
) -> None:
    mine, bobs = leased(api, queue)[0], leased(bobs_api, queue)[0]
    flag(api, mine, "from alice")
    flag(bobs_api, bobs, "from bob")
    assert [task["flags"][0]["note"] for task in listed(api, queue, "?flagged=true")] == ["from alice", "from bob"]
    assert [task["flags"][0]["note"] for task in listed(bobs_api, queue, "?flagged=true")] == ["from bob"]
    assert len(listed(bobs_api, queue, "?flagged=false")) == 4
    assert bobs_api.delete(f"/labeling/tasks/{mine['id']}/flag").status_code == 204
    assert Flag.objects.count() == 2
    api.delete(f"/labeling/tasks/{bobs['id']}/flag")
    assert Flag.objects.count() == 1


def test_looking_back_shows_my_answers_latest_first(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    first, second = leased(api, queue, 2)
    say(bobs_api, leased(bobs_api, queue)[0])
    say(api, second, "dog")
    say(api, first, "cat")
    mine = listed(api, queue, "?author=me")
    assert [(task["id"], task["answered"], task["state"]) for task in mine] == [
        (first["id"], {"value": {"class": "cat"}}, "done"), (second["id"], {"value": {"class": "dog"}}, "done"),
    ]  # fmt: skip
    page = api.get(f"/labeling/queues/{queue.name}/tasks?author=me&limit=1").json()
    assert [task["id"] for task in api.get(page["next"]).json()["results"]] == [second["id"]]


def test_what_others_answered_is_not_told(api: APIClient, bobs_api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    before = listed(api, queue)
    say(bobs_api, leased(bobs_api, queue)[0], "dog")
    assert listed(api, queue) == before
    assert leased(api, queue)[0]["answered"] is None


def test_skips_are_listed_with_their_reasons_for_leads(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    task = leased(bobs_api, queue)[0]
    bobs_api.post(f"/labeling/tasks/{task['id']}/skip", {"reason": "bad image"}, format="json")
    (skipped,) = listed(api, queue, "?skipped=true")
    assert [(one["author"], one["reason"]) for one in skipped["skips"]] == [("bob", "bad image")]
    assert [one["id"] for one in listed(api, queue, "?state=skipped")] == [task["id"]]
    (own,) = listed(bobs_api, queue, "?skipped=true")
    assert own["answered"] == {"value": None}


@pytest.mark.parametrize("query", ["state=lost", "flagged=perhaps", "author=alice", "cursor=x"])
def test_a_wrong_parameter_is_named(api: APIClient, queue: Queue, query: str) -> None:
    response = api.get(f"/labeling/queues/{queue.name}/tasks?{query}")
    assert (response.status_code, list(response.json()["errors"])) == (400, [query.split("=")[0]])


def test_a_long_page_costs_as_many_queries_as_a_short_one(
    api: APIClient, queue: Queue, django_assert_max_num_queries: object
) -> None:
    for task in leased(api, queue, 5):
        say(api, task)
        flag(api, task)
    with django_assert_max_num_queries(6):  # type: ignore[operator]  # pytest-django exports no type
        assert len(listed(api, queue)) == 5
