"""The time between the last answer and the commit of a round: POST and DELETE /labeling/queues/{id}/hold."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models.functions import Now
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from labeling import grace
from labeling.models import Queue

pytestmark = pytest.mark.both


def waits(api: APIClient, queue: Queue) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/labeling/queues/{queue.name}").json()["auto_commit"]
    return found


def due(queue: Queue) -> bool:
    with transaction.atomic():
        return grace.is_due(queue.pk)


def pass_grace(queue: Queue) -> None:
    """The grace was over a second ago, by the database's clock."""
    assert Queue.objects.filter(pk=queue.pk, commit_at__isnull=False).update(commit_at=Now() - timedelta(seconds=1))


@pytest.fixture
def ended(api: APIClient, make_queue: MakeQueue) -> tuple[Queue, int]:
    """A queue with one task, answered, whose commit waits for a minute; and the id of that task."""
    queue = make_queue(size=1, commit_grace=60)
    assert not due(queue)
    (task,) = leased(api, queue)
    say(api, task)
    return queue, task["id"]


def test_the_grace_runs_from_the_last_answer_by_the_databases_clock(api: APIClient, ended: tuple[Queue, int]) -> None:
    queue, _ = ended
    told = waits(api, queue)
    assert (told["grace"], told["held"], told["held_by"]) == (60, None, None)
    assert 50 < told["seconds_left"] <= 60
    assert not due(queue)
    pass_grace(queue)
    assert due(queue)
    assert waits(api, queue)["seconds_left"] == 0


def test_an_answer_that_is_taken_back_stops_the_countdown_and_the_next_one_begins_it_anew(
    api: APIClient, ended: tuple[Queue, int]
) -> None:
    queue, task = ended
    pass_grace(queue)
    again = api.post(f"/labeling/tasks/{task}/undo", {}, format="json").json()
    assert waits(api, queue)["seconds_left"] is None
    assert not due(queue)
    say(api, again, "dog")
    assert waits(api, queue)["seconds_left"] > 50
    assert not due(queue)


def test_a_hold_stops_it_for_everybody_until_its_holder_or_a_reviewer_releases_it(
    api: APIClient, bobs_api: APIClient, ended: tuple[Queue, int]
) -> None:
    queue, _ = ended
    held = bobs_api.post(f"/labeling/queues/{queue.name}/hold")
    assert (held.status_code, held.json()["auto_commit"]["held_by"]) == (200, "bob")
    assert held.json()["auto_commit"]["seconds_left"] is None
    assert not due(queue)
    assert api.post(f"/labeling/queues/{queue.name}/hold").json()["auto_commit"]["held_by"] == "bob"
    released = api.delete(f"/labeling/queues/{queue.name}/hold")
    assert released.json()["auto_commit"]["held"] is None
    assert released.json()["auto_commit"]["seconds_left"] > 50


def test_an_annotator_neither_ends_nor_passes_over_the_hold_of_another(
    api: APIClient, bobs_api: APIClient, ended: tuple[Queue, int]
) -> None:
    queue, _ = ended
    api.post(f"/labeling/queues/{queue.name}/hold")
    released = bobs_api.delete(f"/labeling/queues/{queue.name}/hold")
    assert (released.status_code, released.json()["code"]) == (403, "hold_of_another")
    assert bobs_api.post(f"/labeling/queues/{queue.name}/commit", {}, format="json").status_code == 403
    assert not due(queue)


def test_a_queue_can_be_held_before_its_last_answer(api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(size=1, commit_grace=0)
    api.post(f"/labeling/queues/{queue.name}/hold")
    (task,) = leased(api, queue)
    say(api, task)
    assert not due(queue)
    api.delete(f"/labeling/queues/{queue.name}/hold")
    assert due(queue)


def test_commit_now_waits_for_nothing(api: APIClient, ended: tuple[Queue, int]) -> None:
    queue, _ = ended
    assert api.post(f"/labeling/queues/{queue.name}/commit", {}, format="json").status_code == 201
    assert due(queue)
    assert waits(api, queue) is None
    refused = api.post(f"/labeling/queues/{queue.name}/hold")
    assert (refused.status_code, refused.json()["code"]) == (409, "queue_committed")


def test_a_queue_that_no_pipeline_commits_has_nothing_to_hold(api: APIClient, queue: Queue) -> None:
    assert waits(api, queue) is None
    refused = api.post(f"/labeling/queues/{queue.name}/hold")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_commit_to_hold")


def test_a_review_that_opens_the_queue_stops_the_countdown(api: APIClient, ended: tuple[Queue, int]) -> None:
    queue, task = ended
    api.post(f"/labeling/tasks/{task}/flag", {"note": "blurred"}, format="json")
    queue.refresh_from_db()
    assert (queue.state, queue.commit_at) == ("open", None)
    assert not due(queue)
    api.delete(f"/labeling/tasks/{task}/flag")
    assert waits(api, queue)["seconds_left"] > 50


def test_a_queue_that_is_committed_while_it_is_looked_at_is_told_without_the_seconds_left(
    ended: tuple[Queue, int],
) -> None:
    queue = Queue.objects.get(pk=ended[0].pk)
    Queue.objects.filter(pk=queue.pk).update(commit_at=None)
    told = grace.auto_commits([queue])[queue.pk]
    assert told is not None
    assert (told["grace"], told["seconds_left"]) == (60, None)
