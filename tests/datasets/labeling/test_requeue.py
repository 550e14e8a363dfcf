"""POST /labeling/queues/{id}/requeue: skipped tasks come back."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from accounts.models import User
from labeling.models import Answer, Queue
from labeling.services import commit_queue

pytestmark = pytest.mark.both


def requeue(api: APIClient, queue: Queue, **body: Any) -> Any:
    return api.post(f"/labeling/queues/{queue.name}/requeue", body, format="json")


def skip_all(api: APIClient, queue: Queue) -> list[int]:
    tasks = leased(api, queue, 5)
    for task in tasks:
        api.post(f"/labeling/tasks/{task['id']}/skip", {"reason": "unclear"}, format="json")
    return [task["id"] for task in tasks]


def test_skipped_tasks_come_back_to_who_skipped_them_too(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=2)
    skipped = skip_all(bobs_api, queue)
    told = requeue(api, queue, skipped=True)
    assert (told.status_code, told.json()["requeued"], told.json()["counts"]["todo"]) == (200, 2, 2)
    queue.refresh_from_db()
    assert (queue.state, Answer.objects.verdicts().count(), Answer.objects.count()) == ("open", 0, 2)
    again = leased(bobs_api, queue, 2)
    assert [task["id"] for task in again] == skipped
    assert say(bobs_api, again[0]).json()["state"] == "done"


def test_named_tasks_come_back_alone_and_once(api: APIClient, queue: Queue) -> None:
    first, second, *_ = skip_all(api, queue)
    assert requeue(api, queue, tasks=[first]).json()["requeued"] == 1
    assert requeue(api, queue, tasks=[first]).json()["requeued"] == 0
    assert queue.tasks.get(pk=second).state == "skipped"


def test_labels_that_were_given_stay(api: APIClient, bobs_api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    say(api, leased(api, queue)[0], "dog")
    skip_all(bobs_api, queue)
    assert requeue(api, queue, skipped=True).json()["requeued"] == 1
    assert Answer.objects.verdicts().get().value == {"class": "dog"}
    assert say(bobs_api, leased(bobs_api, queue)[0], "dog").json()["state"] == "done"


def test_what_cannot_come_back_is_named(
    api: APIClient, bobs_api: APIClient, alice: User, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=1)
    task = leased(api, queue)[0]
    say(api, task)
    for body in ({"tasks": [task["id"]]}, {"tasks": [10**9]}, {}, {"tasks": [task["id"]], "skipped": True}):
        assert list(requeue(api, queue, **body).json()["errors"]) == ["tasks"]
    assert (requeue(bobs_api, queue, skipped=True).status_code, queue.tasks.get().state) == (403, "done")
    commit_queue(queue, message="", author=alice)
    assert requeue(api, queue, skipped=True).json()["code"] == "queue_committed"
