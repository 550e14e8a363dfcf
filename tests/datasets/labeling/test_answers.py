"""POST /labeling/queues/{id}/answers: many at once, each by itself."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, run_out

from accounts.models import User
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Sample
from catalog.versions.commit import commit
from labeling.models import Answer, Queue
from labeling.services import QueueItem, create_queue

pytestmark = pytest.mark.both


def said(task: dict[str, Any], name: str | None = "cat", **more: Any) -> dict[str, Any]:
    value = None if name is None else {"class": name}
    return {"task": task["id"], "value": value, "seconds": 1, "lease_token": task.get("lease_token")} | more


def send(api: APIClient, queue: Queue, answers: list[dict[str, Any]], **more: Any) -> Any:
    return api.post(f"/labeling/queues/{queue.name}/answers", {"answers": answers}, format="json", **more)


def test_a_page_of_answers_and_skips_is_saved_at_once(api: APIClient, queue: Queue) -> None:
    tasks = leased(api, queue, 5)
    page = [said(tasks[0], "dog", shown_suggestion=True), said(tasks[1], None, reason="bad image"), said(tasks[2])]
    told = send(api, queue, page)
    assert told.status_code == 200
    results = told.json()["results"]
    assert [(one["task"], one["status"], one["receipt"]["state"]) for one in results] == [
        (tasks[0]["id"], "saved", "done"), (tasks[1]["id"], "saved", "skipped"), (tasks[2]["id"], "saved", "done"),
    ]  # fmt: skip
    counts = {"total": 5, "todo": 0, "leased": 2, "done": 2, "skipped": 1}
    assert [one["receipt"]["queue"]["counts"] for one in results] == [counts] * 3
    assert api.get(f"/labeling/queues/{queue.name}").json()["counts"] == counts
    first = Answer.objects.get(task=tasks[0]["id"])
    assert (first.shown_suggestion, first.changed, first.author.username) == (True, True, "alice")
    assert Answer.objects.get(task=tasks[1]["id"]).reason == "bad image"


def test_what_is_wrong_with_one_leaves_the_others_be(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    lost, wrong, good = leased(api, queue, 3)
    run_out(lost["id"])
    bobs = leased(bobs_api, queue)[0]
    assert bobs["id"] == lost["id"]
    page = [said(lost, "dog"), said(wrong, "horse"), said(good), said({"id": 10**9})]
    results = send(api, queue, page).json()["results"]
    assert [one["status"] for one in results] == ["lease_lost", "refused", "saved", "refused"]
    assert [one.get("problem", {}).get("code") for one in results] == [
        "lease_lost",
        "unknown_class",
        None,
        "task_unknown",
    ]
    assert (results[0]["receipt"]["answer"]["opinion"], list(results[1]["problem"]["errors"])) == (True, ["value"])
    assert results[0]["receipt"]["answer"]["id"] == Answer.objects.get(opinion=True).pk
    assert queue.tasks.get(pk=wrong["id"]).state == "leased"
    assert send(bobs_api, queue, [said(bobs)]).json()["results"][0]["status"] == "saved"


def test_a_number_that_is_no_id_is_refused_by_its_place(api: APIClient, queue: Queue) -> None:
    [task] = leased(api, queue)
    told = send(api, queue, [said(task), said({"id": 2**63})])
    assert (told.status_code, list(told.json()["errors"])) == (400, ["answers.1.task"])
    for what, body in (
        ("answer", {"value": {"class": "cat"}, "seconds": 1}),
        ("skip", {}),
        ("undo", {}),
        ("renew", {}),
    ):
        answer = api.post(f"/labeling/tasks/{2**63}/{what}", body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (404, "task_unknown")


def test_a_page_sent_again_is_saved_once(api: APIClient, queue: Queue) -> None:
    tasks = leased(api, queue, 3)
    page = [said(task) for task in tasks]
    first = send(api, queue, page, headers={"Idempotency-Key": "page-1"})
    same_key = send(api, queue, page, headers={"Idempotency-Key": "page-1"})
    assert same_key.json() == first.json()
    without = send(api, queue, page)
    assert without.json() == first.json()
    assert Answer.objects.count() == 3


def test_a_task_twice_on_a_page_counts_once_as_it_was_said_last(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    results = send(api, queue, [said(task), said(task), said(task, "dog")]).json()["results"]
    assert [one["status"] for one in results] == ["saved", "saved", "saved"]
    assert Answer.objects.verdicts().get().value == {"class": "dog"}
    assert results[-1]["receipt"]["queue"]["counts"]["done"] == 1


def test_a_page_may_correct_what_another_person_is_at(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    mine = leased(api, queue)[0]
    send(api, queue, [said(mine)])
    bobs = leased(bobs_api, queue)[0]
    (corrected,) = send(api, queue, [said(mine, "dog")]).json()["results"]
    assert (corrected["status"], corrected["receipt"]["state"]) == ("saved", "leased")
    assert corrected["receipt"]["queue"]["counts"]["leased"] == 1
    assert send(bobs_api, queue, [said(bobs, "dog")]).json()["results"][0]["receipt"]["state"] == "done"
    assert [one.value for one in Answer.objects.verdicts()] == [{"class": "dog"}] * 2


def test_an_older_lease_is_fenced_off(api: APIClient, queue: Queue) -> None:
    old = leased(api, queue)[0]
    run_out(old["id"])
    leased(api, queue)
    assert send(api, queue, [said(old)]).json()["results"][0]["status"] == "lease_lost"
    assert not Answer.objects.verdicts().exists()


def test_tasks_of_another_queue_are_unknown_here(api: APIClient, make_queue: MakeQueue) -> None:
    here, there = make_queue("here"), make_queue("there")
    task = leased(api, there)[0]
    assert send(api, here, [said(task)]).json()["results"][0]["problem"]["code"] == "task_unknown"


def test_the_last_page_completes_the_queue(api: APIClient, queue: Queue) -> None:
    results = send(api, queue, [said(task) for task in leased(api, queue, 5)]).json()["results"]
    assert results[0]["receipt"]["queue"]["state"] == "complete"
    queue.refresh_from_db()
    assert (queue.state, queue.done) == ("complete", 5)


def test_a_page_is_1_to_200_answers(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    for page in ([], [said(task)] * 201):
        assert list(send(api, queue, page).json()["errors"]) == ["answers"]


def test_a_page_costs_as_many_queries_as_one_answer(
    api: APIClient, queue: Queue, django_assert_max_num_queries: object
) -> None:
    page = [said(task) for task in leased(api, queue, 5)]
    with django_assert_max_num_queries(13):  # type: ignore[operator]  # pytest-django exports no type
        assert send(api, queue, page).status_code == 200


def test_boxes_are_held_against_their_own_images(
    api: APIClient, alice: User, detection: Dataset, pool: Dataset
) -> None:
    blob = Sample.objects.filter(dataset=pool).first().revisions.get().blob  # type: ignore[union-attr]  # the fixture made it
    commit(detection, ChangeSet([SampleChange("d0", blob=blob), SampleChange("d1", blob=blob)]), author=alice)
    ids = Sample.objects.filter(dataset=detection).order_by("key").values_list("pk", flat=True)
    queue = create_queue(detection, "boxes", items=[QueueItem(pk) for pk in ids], created_by=alice)
    boxes = [{"boxes": [{"class": "car", "box": [0, 0, right, 20]}]} for right in (40, 20)]
    page = [said(task, value=value) for task, value in zip(leased(api, queue, 2), boxes, strict=True)]
    assert [one["status"] for one in send(api, queue, page).json()["results"]] == ["refused", "saved"]
