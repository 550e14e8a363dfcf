"""POST /labeling/tasks/{id}/answer."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, items_of, leased, run_out, say
from tests.threads import at_once

from accounts.models import Role, User
from accounts.services import create_user
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Sample
from catalog.versions.commit import commit
from labeling.leasing import next_tasks
from labeling.models import Answer, Queue, Task
from labeling.services import QueueItem, answer, commit_queue, create_queue, queue_completed

pytestmark = pytest.mark.both


def test_an_answer_ends_the_task(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    told = say(api, task, "dog").json()
    assert (told["task"], told["state"], told["queue"]["counts"]["done"]) == (task["id"], "done", 1)
    assert told["answer"] == {"id": Answer.objects.get().pk, "value": {"class": "dog"}, "opinion": False}
    kept = Answer.objects.get()
    assert (kept.seconds, kept.shown_suggestion, kept.author.username) == (1.5, True, "alice")


def test_the_same_key_gives_the_first_answer_again(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    first = say(api, task, headers={"Idempotency-Key": "k1"})
    again = say(api, task, headers={"Idempotency-Key": "k1"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert again["Idempotency-Replayed"] == "true"
    assert Answer.objects.count() == 1
    assert say(api, task, "dog", headers={"Idempotency-Key": "k1"}).status_code == 422


def test_the_same_answer_without_its_key_counts_once(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    first, again = say(api, task), say(api, task)
    assert (again.status_code, again.json()) == (200, first.json())
    assert Answer.objects.count() == 1


def test_another_answer_of_the_same_person_replaces_the_first(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    say(api, task)
    second = say(api, task, "dog")
    assert (second.status_code, second.json()["answer"]["opinion"], second.json()["state"]) == (200, False, "done")
    assert second.json()["queue"]["counts"]["done"] == 1
    assert Answer.objects.verdicts().get().value == {"class": "dog"}
    assert Answer.objects.get(withdrawn=True).value == {"class": "cat"}


def test_what_is_committed_is_not_replaced(api: APIClient, alice: User, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1)
    task = leased(api, queue)[0]
    say(api, task)
    commit_queue(queue, message="", author=alice)
    assert say(api, task, "dog").status_code == 409
    assert Answer.objects.verdicts().get().value == {"class": "cat"}


def test_a_late_answer_is_409_and_kept_as_an_opinion(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    mine = leased(api, queue)[0]
    run_out(mine["id"])
    bobs = leased(bobs_api, queue)[0]
    late = say(api, mine, "dog")
    assert (late.status_code, late.json()["code"]) == (409, "lease_lost")
    assert "bob" in late.json()["detail"]
    assert "opinion" in late.json()["detail"]
    assert Answer.objects.get().opinion
    assert say(bobs_api, bobs).json()["state"] == "done"
    assert Answer.objects.filter(opinion=False).get().value == {"class": "cat"}


def test_a_late_answer_said_twice_is_one_opinion(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    mine = leased(api, queue)[0]
    run_out(mine["id"])
    leased(bobs_api, queue)
    assert [say(api, mine).status_code for _ in range(2)] == [409, 409]
    assert Answer.objects.count() == 1


def test_a_lease_that_ran_out_still_counts_while_nobody_took_it(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    run_out(task["id"])
    assert say(api, task).json()["state"] == "done"


def test_who_never_held_the_task_gives_an_opinion(api: APIClient, queue: Queue) -> None:
    task = queue.tasks.get(position=0)
    response = say(api, {"id": task.pk, "lease_token": None})
    assert (response.status_code, response.json()["answer"]["opinion"]) == (409, True)
    task.refresh_from_db()
    assert task.state == "todo"


@pytest.mark.parametrize(
    ("value", "code"),
    [({"class": "horse"}, "unknown_class"), ({"boxes": []}, "unknown_class"), ("cat", "label_malformed")],
)
def test_a_wrong_label_names_the_field_and_leaves_the_lease(
    api: APIClient, queue: Queue, value: object, code: str
) -> None:
    task = leased(api, queue)[0]
    response = api.post(f"/labeling/tasks/{task['id']}/answer", {"value": value, "seconds": 1}, format="json")
    assert (response.status_code, response.json()["code"], list(response.json()["errors"])) == (400, code, ["value"])
    assert not Answer.objects.exists()
    assert Task.objects.get(pk=task["id"]).state == "leased"


def test_seconds_below_zero_name_the_field(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    body = {"value": {"class": "cat"}, "seconds": -1}
    response = api.post(f"/labeling/tasks/{task['id']}/answer", body, format="json")
    assert (response.status_code, list(response.json()["errors"])) == (400, ["seconds"])


def test_a_task_that_needs_two_answers_goes_on_to_another_person(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    assert say(api, leased(api, queue)[0]).json()["state"] == "todo"
    assert say(bobs_api, leased(bobs_api, queue)[0]).json()["state"] == "done"
    queue.refresh_from_db()
    assert queue.state == "complete"


def test_boxes_must_lie_in_the_image(api: APIClient, alice: User, detection: Dataset, pool: Dataset) -> None:
    blob = Sample.objects.filter(dataset=pool).first().revisions.get().blob  # type: ignore[union-attr]  # the fixture made it
    commit(detection, ChangeSet([SampleChange("d0", blob=blob)]), author=alice)
    queue = create_queue(detection, "boxes", items=[QueueItem(items_of(detection)[0].sample_id)], created_by=alice)
    task = leased(api, queue)[0]
    path = f"/labeling/tasks/{task['id']}/answer"
    wide, fits = ({"boxes": [{"class": "car", "box": [0, 0, right, 20]}]} for right in (40, 20))
    refused = api.post(path, {"value": wide, "seconds": 1}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["value"])
    assert api.post(path, {"value": fits, "seconds": 1}, format="json").json()["answer"]["value"] == fits


@pytest.mark.django_db(transaction=True)
def test_last_answers_at_the_same_moment_complete_the_queue_once(queue: Queue) -> None:
    people = [create_user(f"person-{number}", role=Role.ANNOTATOR)[0] for number in range(5)]
    held = [next_tasks(queue, person, count=1)[0] for person in people]
    heard: list[Queue] = []

    def hear(queue: Queue, **_: object) -> None:
        heard.append(queue)

    queue_completed.connect(hear)
    at_once(5, lambda at: answer(held[at].pk, people[at], value={"class": "cat"}, seconds=1, shown_suggestion=False))
    queue_completed.disconnect(hear)
    queue.refresh_from_db()
    assert (queue.state, len(heard)) == ("complete", 1)


def test_a_cycle_costs_a_handful_of_queries(
    api: APIClient, queue: Queue, django_assert_max_num_queries: object
) -> None:
    task = leased(api, queue)[0]
    with django_assert_max_num_queries(12):  # type: ignore[operator]  # pytest-django exports no type
        assert say(api, task).status_code == 200
