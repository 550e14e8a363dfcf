"""A queue over five images of the pool, with what the model said and why each was picked."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from rest_framework.test import APIClient

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Sample
from catalog.versions.commit import commit
from labeling.models import Queue, Task
from labeling.services import QueueItem, create_queue

SUGGESTION = {"class": "cat", "probability": 0.6, "probabilities": {"cat": 0.6, "dog": 0.4}, "model": "digits@1"}
WHY = {"strategy": "margin", "score": 0.2, "rank": 1, "of": 5, "reason": "cat 60 % vs dog 40 %", "control": False,
       "neighbours": []}  # fmt: skip


def items_of(dataset: Dataset) -> list[QueueItem]:
    """Every sample of the dataset, in the order of their keys."""
    ids = Sample.objects.filter(dataset=dataset).order_by("key").values_list("pk", flat=True)
    return [QueueItem(pk, SUGGESTION, WHY) for pk in ids]


def run_out(task_id: int) -> None:
    """The lease ran out a second ago, by the database's clock."""
    assert Task.objects.filter(pk=task_id).update(lease_until=Now() - timedelta(seconds=1))


def leased(api: APIClient, queue: Queue, count: int = 1) -> list[dict[str, Any]]:
    """The tasks that `next` leases to a client."""
    response = api.post(f"/labeling/queues/{queue.name}/next", {"count": count}, format="json")
    assert response.status_code == 200, response.content
    tasks: list[dict[str, Any]] = response.json()["tasks"]
    return tasks


def say(api: APIClient, task: dict[str, Any], name: str = "cat", **more: Any) -> Any:
    """Answer a leased task with a class."""
    body = {"value": {"class": name}, "seconds": 1.5, "shown_suggestion": True, "lease_token": task["lease_token"]}
    return api.post(f"/labeling/tasks/{task['id']}/answer", body, format="json", **more)


@pytest.fixture
def pool(alice: User, dataset: Dataset, blob_of: Callable[[int], Blob]) -> Dataset:
    """The dataset with five unlabelled images `p0` to `p4` in its pool."""
    blobs = [blob_of(number) for number in range(5)]
    Blob.objects.bulk_create(blobs)
    samples = [SampleChange(f"p{at}", blob=blob, split="pool", meta={"at": at}) for at, blob in enumerate(blobs)]
    commit(dataset, ChangeSet(samples), author=alice)
    return dataset


MakeQueue = Callable[..., Queue]


@pytest.fixture
def make_queue(alice: User, pool: Dataset) -> MakeQueue:
    """A queue over the first `size` images."""

    def make(name: str = "mine-1", *, size: int = 5, answers_per_task: int = 1, **terms: Any) -> Queue:
        items, terms = items_of(pool)[:size], {"blind_share": 0.0} | terms
        return create_queue(pool, name, items=items, answers_per_task=answers_per_task, created_by=alice, terms=terms)

    return make


@pytest.fixture
def queue(make_queue: MakeQueue) -> Queue:
    """Five tasks, one answer each."""
    return make_queue()
