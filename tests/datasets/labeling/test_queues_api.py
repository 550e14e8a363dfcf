"""GET /labeling/queues and one of them."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, run_out, say

from labeling.models import Answer, Queue

pytestmark = pytest.mark.both


def test_a_queue_is_found_by_id_and_by_name(api: APIClient, queue: Queue) -> None:
    by_name = api.get(f"/labeling/queues/{queue.name}").json()
    assert api.get(f"/labeling/queues/{queue.pk}").json() == by_name
    assert by_name["counts"] == {"total": 5, "todo": 5, "leased": 0, "done": 0, "skipped": 0}
    assert (by_name["dataset"], by_name["classes"], by_name["state"]) == ("digits", ["cat", "dog", "3"], "open")
    assert (by_name["committed_version"], by_name["rate_per_hour"]) == (None, 0)


def test_counts_follow_the_tasks(api: APIClient, queue: Queue) -> None:
    first, second, third = leased(api, queue, 3)
    assert say(api, first).status_code == 200
    assert api.post(f"/labeling/tasks/{second['id']}/skip", {}, format="json").status_code == 200
    mine = api.get(f"/labeling/queues/{queue.name}").json()
    assert mine["counts"] == {"total": 5, "todo": 2, "leased": 1, "done": 1, "skipped": 1}
    run_out(third["id"])
    assert api.get(f"/labeling/queues/{queue.name}").json()["counts"]["todo"] == 3


def test_the_rate_is_the_askers_own_over_the_time_they_took(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    def rates() -> list[int]:
        return [one.get(f"/labeling/queues/{queue.name}").json()["rate_per_hour"] for one in (api, bobs_api)]

    *first, last = leased(api, queue, 5)
    for task in first:
        say(api, task)
    assert rates() == [0, 0]  # too few to tell
    say(api, last)
    assert rates() == [5 * 60, 0]  # as if they had taken a minute
    Answer.objects.filter(task=first[0]["id"]).update(created=Now() - timedelta(minutes=3))
    assert rates() == [pytest.approx(5 * 20, abs=1), 0]


def test_what_waits_for_others_is_told(api: APIClient, bobs_api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=2, answers_per_task=2)
    first, second = leased(api, queue, 2)
    say(api, first)
    api.post(f"/labeling/tasks/{second['id']}/skip", {}, format="json")
    assert api.get(f"/labeling/queues/{queue.name}").json()["mine"]["waiting"] == 2
    say(bobs_api, leased(bobs_api, queue)[0])
    waiting = [one.get(f"/labeling/queues/{queue.name}").json()["mine"]["waiting"] for one in (api, bobs_api)]
    assert waiting == [1, 0]


def test_what_others_hold_is_told_of_what_is_left_to_me(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=4, answers_per_task=2)
    say(api, leased(api, queue)[0])
    theirs = leased(bobs_api, queue, 3)

    def held() -> list[int]:
        return [one.get(f"/labeling/queues/{queue.name}").json()["mine"]["held"] for one in (api, bobs_api)]

    assert len({task["id"] for task in theirs}) == 3
    assert held() == [2, 0], "one of the three I have answered already"
    run_out(theirs[2]["id"])
    assert held() == [1, 0]


def test_the_list_shows_the_newest_first_and_filters(api: APIClient, make_queue: MakeQueue) -> None:
    make_queue("one")
    make_queue("two", size=0)

    def names(query: str) -> list[str]:
        return [row["name"] for row in api.get(f"/labeling/queues{query}").json()["results"]]

    assert names("") == ["two", "one"]
    assert names("?state=complete") == ["two"]
    assert names("?dataset=none") == []
    assert api.get("/labeling/queues?state=shut").json()["errors"].keys() == {"state"}


def test_a_long_list_costs_as_many_queries_as_a_short_one(
    api: APIClient, make_queue: MakeQueue, django_assert_max_num_queries: object
) -> None:
    for number in range(6):
        make_queue(f"q{number}")
    with django_assert_max_num_queries(13):  # type: ignore[operator]  # pytest-django exports no type
        assert len(api.get("/labeling/queues").json()["results"]) == 6


def test_an_unknown_queue_is_404(api: APIClient) -> None:
    response = api.get("/labeling/queues/none")
    assert (response.status_code, response.json()["code"]) == (404, "queue_unknown")


@pytest.mark.parametrize("path", ["queues", "queues/mine-1"])
def test_charlie_without_a_token_reads_nothing(client: Client, queue: Queue, path: str) -> None:
    assert client.get(f"/labeling/{path}").status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "queues/mine-1/next",
        "queues/mine-1/commit",
        *(f"tasks/1/{verb}" for verb in ("answer", "skip", "undo", "renew")),
    ],
)
def test_charlie_without_a_token_changes_nothing(client: Client, queue: Queue, path: str) -> None:
    assert client.post(f"/labeling/{path}", {}, content_type="application/json").status_code == 401
    assert set(queue.tasks.values_list("state", flat=True)) == {"todo"}
