"""POST /labeling/tasks/{id}/undo."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from accounts.models import User
from labeling.models import Answer, Queue
from labeling.services import commit_queue

pytestmark = pytest.mark.both


@pytest.mark.parametrize("verb", ["answer", "skip"])
def test_an_undone_verdict_is_withdrawn_and_the_task_is_mine_again(api: APIClient, queue: Queue, verb: str) -> None:
    task = leased(api, queue)[0]
    body = {"value": {"class": "dog"}, "seconds": 1} if verb == "answer" else {}
    assert api.post(f"/labeling/tasks/{task['id']}/{verb}", body, format="json").status_code == 200
    again = api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json")
    assert again.status_code == 200
    assert again.json()["counts"] == {"total": 5, "todo": 4, "leased": 1, "done": 0, "skipped": 0}
    assert (again.json()["id"], again.json()["lease_token"]) == (task["id"], task["lease_token"] + 1)
    assert Answer.objects.get().withdrawn
    assert say(api, again.json(), "cat").json()["state"] == "done"
    assert Answer.objects.filter(withdrawn=False).get().value == {"class": "cat"}


def test_undo_opens_a_complete_queue_again(api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1)
    task = leased(api, queue)[0]
    assert say(api, task).json()["queue"]["state"] == "complete"
    api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json")
    queue.refresh_from_db()
    assert queue.state == "open"


def test_undo_asked_twice_is_the_same_lease(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    say(api, task)
    first, again = (api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json") for _ in range(2))
    assert (again.status_code, again.json()["lease_token"]) == (200, first.json()["lease_token"])


def test_what_bob_said_is_not_mine_to_take_back(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    task = leased(bobs_api, queue)[0]
    say(bobs_api, task)
    response = api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json")
    assert (response.status_code, response.json()["code"]) == (409, "nothing_to_undo")
    assert not Answer.objects.get().withdrawn


def test_undo_waits_while_somebody_else_is_at_the_task(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    task = leased(api, queue)[0]
    say(api, task)
    leased(bobs_api, queue)
    response = api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json")
    assert (response.status_code, response.json()["code"]) == (409, "task_leased")
    assert not Answer.objects.get().withdrawn


def test_a_committed_queue_takes_nothing_back(api: APIClient, alice: User, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1)
    task = leased(api, queue)[0]
    say(api, task)
    commit_queue(queue, message="", author=alice)
    response = api.post(f"/labeling/tasks/{task['id']}/undo", {}, format="json")
    assert (response.status_code, response.json()["code"]) == (409, "queue_committed")
