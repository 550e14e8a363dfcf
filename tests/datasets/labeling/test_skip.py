"""POST /labeling/tasks/{id}/skip."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, run_out, say

from labeling.models import Answer, Queue

pytestmark = pytest.mark.both


def test_a_skip_keeps_its_reason_and_ends_the_task(api: APIClient, queue: Queue) -> None:
    task = leased(api, queue)[0]
    told = api.post(f"/labeling/tasks/{task['id']}/skip", {"reason": "blurred"}, format="json").json()
    assert (told["state"], told["answer"]["value"], told["queue"]["counts"]["skipped"]) == ("skipped", None, 1)
    assert Answer.objects.get().reason == "blurred"


def test_a_skip_of_one_of_two_people_leaves_the_task_to_others(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue(size=1, answers_per_task=2)
    task = leased(api, queue)[0]
    assert api.post(f"/labeling/tasks/{task['id']}/skip", {}, format="json").json()["state"] == "todo"
    told = say(bobs_api, leased(bobs_api, queue)[0]).json()
    assert (told["state"], told["queue"]["state"]) == ("skipped", "complete")


def test_a_late_skip_is_409_and_ends_nothing(api: APIClient, bobs_api: APIClient, queue: Queue) -> None:
    mine = leased(api, queue)[0]
    run_out(mine["id"])
    bobs = leased(bobs_api, queue)[0]
    body = {"lease_token": mine["lease_token"]}
    assert api.post(f"/labeling/tasks/{mine['id']}/skip", body, format="json").json()["code"] == "lease_lost"
    assert say(bobs_api, bobs).status_code == 200
