"""POST /labeling/tasks/{id}/renew."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import leased, run_out

from labeling.models import Queue

pytestmark = pytest.mark.both


def test_a_lease_is_kept_under_its_token(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    renewed = api.post(f"/labeling/tasks/{task['id']}/renew").json()
    assert renewed["lease_token"] == task["lease_token"]
    assert renewed["lease_until"] >= task["lease_until"]


def test_a_lease_that_ran_out_lives_again_while_nobody_took_it(
    api: APIClient, bobs_api: APIClient, queue: Queue
) -> None:
    task = leased(api, queue)[0]
    run_out(task["id"])
    assert api.post(f"/labeling/tasks/{task['id']}/renew").status_code == 200
    assert leased(bobs_api, queue)[0]["id"] != task["id"]


def test_a_lease_that_went_to_bob_is_lost(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    run_out(task["id"])
    leased(bobs_api, queue)
    response = api.post(f"/labeling/tasks/{task['id']}/renew")
    assert (response.status_code, response.json()["code"]) == (409, "lease_lost")
    assert "bob" in response.json()["detail"]


def test_an_older_token_renews_nothing(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    run_out(task["id"])
    leased(api, queue)
    body = {"lease_token": task["lease_token"]}
    assert api.post(f"/labeling/tasks/{task['id']}/renew", body, format="json").status_code == 409


def test_what_somebody_who_was_taken_off_held_is_free_at_once(
    api: APIClient, bobs_api: APIClient, queue: Queue
) -> None:
    held = leased(bobs_api, queue)[0]
    assert leased(api, queue)[0]["id"] != held["id"]
    assert api.patch("/people/bob", {"active": False}, format="json").status_code == 200
    assert held["id"] in {task["id"] for task in leased(api, queue, 10)}


def test_nothing_of_a_committed_queue_is_kept(api: APIClient, queue: Queue) -> None:
    answered, held = leased(api, queue, 2)
    body = {
        "value": {"class": "cat"},
        "seconds": 1.0,
        "shown_suggestion": False,
        "lease_token": answered["lease_token"],
    }
    assert api.post(f"/labeling/tasks/{answered['id']}/answer", body, format="json").status_code == 200
    committed = api.post(f"/labeling/queues/{queue.pk}/commit", {"partial": True}, format="json")
    assert committed.status_code == 201
    response = api.post(f"/labeling/tasks/{held['id']}/renew")
    assert (response.status_code, response.json()["code"]) == (409, "lease_lost")
