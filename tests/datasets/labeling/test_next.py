"""POST /labeling/queues/{id}/next: leases."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db.models.functions import Now
from django.utils import timezone
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import SUGGESTION, WHY, MakeQueue, leased, run_out, say
from tests.threads import at_once

from accounts.models import Role, User
from accounts.services import create_user
from labeling.leasing import next_tasks
from labeling.models import Queue, Task

pytestmark = pytest.mark.both


def test_a_task_says_all_that_is_needed_to_label_it(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    digest = f"{0:032x}"
    assert task["sample"] == {
        "id": queue.tasks.get(position=0).sample_id, "key": "p0", "digest": digest, "width": 28, "height": 28,
        "thumb": f"/thumbs/{digest}", "meta": {"at": 0},
    }  # fmt: skip
    assert (task["url"], task["suggestion"], task["why"]) == (f"/blobs/{digest}", SUGGESTION, WHY)
    assert (task["lease_token"], task["lease_until"][-1]) == (1, "Z")


def test_two_people_get_different_tasks_in_order(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    mine, bobs = leased(api, queue, 2), leased(bobs_api, queue, 2)
    assert [task["sample"]["key"] for task in mine + bobs] == ["p0", "p1", "p2", "p3"]


def test_asking_again_gives_my_own_leases_first_under_the_same_token(api: APIClient, queue: Queue) -> None:
    first = leased(api, queue, 2)
    again = leased(api, queue, 3)
    assert [task["sample"]["key"] for task in again] == ["p0", "p1", "p2"]
    assert [task["lease_token"] for task in again[:2]] == [task["lease_token"] for task in first]


def test_a_lease_that_ran_out_is_leased_to_the_next_under_a_higher_token(
    api: APIClient, bobs_api: APIClient, queue: Queue
) -> None:
    mine = leased(api, queue)[0]
    run_out(mine["id"])
    bobs = leased(bobs_api, queue)[0]
    assert (bobs["id"], bobs["lease_token"]) == (mine["id"], mine["lease_token"] + 1)


def test_a_lease_ends_by_the_databases_clock(queue: Queue, alice: User, settings: LazySettings) -> None:
    settings.LABEL_LEASE_SECONDS = 90
    task = next_tasks(queue, alice, count=1)[0]
    rows = Task.objects.filter(pk=task.pk)
    assert rows.filter(lease_until__gt=Now() + timedelta(seconds=80)).exists()
    assert rows.filter(lease_until__lte=Now() + timedelta(seconds=90)).exists()


def test_this_machines_clock_decides_nothing(
    queue: Queue, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_tasks(queue, alice, count=5)
    ahead = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr("django.utils.timezone.now", lambda: ahead)
    assert next_tasks(queue, bob, count=5) == []
    assert {task.token for task in next_tasks(queue, alice, count=5)} == {1}


def test_what_i_answered_or_skipped_never_comes_back(api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=3, answers_per_task=2)
    first, second = leased(api, queue, 2)
    say(api, first)
    api.post(f"/labeling/tasks/{second['id']}/skip", {}, format="json")
    assert [task["sample"]["key"] for task in leased(api, queue, 3)] == ["p2"]


def test_nothing_left_is_204_and_says_who_holds_what(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    leased(api, queue, 5)
    response = bobs_api.post(f"/labeling/queues/{queue.name}/next", {}, format="json")
    assert (response.status_code, response.content, response["X-Queue-Leased"]) == (204, b"", "5")
    assert 590 < int(response["X-Queue-Next-Frees"]) <= 600


def test_a_finished_queue_is_204_without_a_promise(api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1)
    say(api, leased(api, queue)[0])
    response = api.post(f"/labeling/queues/{queue.name}/next", {}, format="json")
    assert response.status_code == 204
    assert "X-Queue-Leased" not in response


@pytest.mark.parametrize("count", [0, 201, "many"])
def test_a_count_out_of_bounds_names_the_field(api: APIClient, queue: Queue, count: object) -> None:
    response = api.post(f"/labeling/queues/{queue.name}/next", {"count": count}, format="json")
    assert (response.status_code, list(response.json()["errors"])) == (400, ["count"])


def test_ten_tasks_cost_a_handful_of_queries(
    api: APIClient, queue: Queue, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(11):  # type: ignore[operator]  # pytest-django exports no type
        assert len(leased(api, queue, 10)) == 5


@pytest.mark.django_db(transaction=True)
def test_eight_people_at_once_never_share_a_task(queue: Queue) -> None:
    people = [create_user(f"person-{number}", role=Role.ANNOTATOR)[0] for number in range(8)]
    got = at_once(8, lambda number: [task.pk for task in next_tasks(queue, people[number], count=2)])
    taken = [pk for tasks in got for pk in tasks]
    assert sorted(taken) == sorted(queue.tasks.values_list("pk", flat=True))
    holders = dict(queue.tasks.values_list("pk", "holder"))
    assert all(holders[pk] == people[number].pk for number, tasks in enumerate(got) for pk in tasks)


def test_leases_that_ran_out_count_among_those_asked_for(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=4)
    lapsed = [task["id"] for task in leased(bobs_api, queue, 2)]
    for task in lapsed:
        run_out(task)
    assert [task["id"] for task in leased(api, queue, 1)] == lapsed[:1]
    assert [task["id"] for task in leased(api, queue, 3)][:2] == lapsed
