"""A pool of forty images and a cast to label it: ann and ben are careful, mal errs, rita and rob review."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import CLASSES

from accounts.models import User
from accounts.services import create_user
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Sample
from catalog.versions.commit import commit
from labeling.models import Queue, Task
from labeling.services import QueueItem, create_queue

POOL, KNOWN = 40, 10


def truth(key: str) -> str:
    """What an image really shows."""
    return CLASSES[int(key[1:]) % 3]


def wrong(key: str) -> str:
    """Another class."""
    return CLASSES[(int(key[1:]) + 1) % 3]


class Person:
    """One of the cast, with the calls of their page."""

    def __init__(self, name: str, role: str, api_of: Callable[[User], APIClient]) -> None:
        self.user = create_user(name, role=role)[0]
        self.api = api_of(self.user)

    def get(self, path: str) -> Any:
        return self.api.get(path)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.api.patch(path, body, format="json")

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self.api.post(path, body or {}, format="json")

    def label(self, queue: Queue, say: Callable[[str], Any], *, seconds: float = 2.0) -> int:
        """Answer whatever the queue has for this person: by key, the class or label that they say. How many."""
        count = 0
        while (page := self.post(f"/labeling/queues/{queue.pk}/next", {"count": 50})).status_code == 200:
            for task in page.json()["tasks"]:
                said = say(_key_of(task["id"]))  # of gold queues annotators see no keys
                value = said if isinstance(said, dict) else {"class": said}
                body = {"value": value, "seconds": seconds, "lease_token": task["lease_token"]}
                body["shown_suggestion"] = task["suggestion"] is not None
                told = self.post(f"/labeling/tasks/{task['id']}/answer", body)
                assert told.status_code == 200, told.content
                count += 1
        return count


def _key_of(task: int) -> str:
    return Task.objects.values_list("sample__key", flat=True).get(pk=task)


Cast = Callable[[str], Person]


@pytest.fixture
def cast(db: None, api_of: Callable[[User], APIClient]) -> Cast:
    """Somebody by name, made when first asked for."""
    people: dict[str, Person] = {}

    def one(name: str) -> Person:
        role = "reviewer" if name in {"rita", "rob"} else "annotator"
        return people.setdefault(name, people.get(name) or Person(name, role, api_of))

    return one


@pytest.fixture
def wide(alice: User, dataset: Dataset, blob_of: Callable[[int], Blob]) -> Dataset:
    """Forty unlabelled images `p0` .. in the pool, ten labelled ones `k100` .. in train."""
    blobs = [blob_of(number) for number in range(POOL + KNOWN)]
    Blob.objects.bulk_create(blobs)
    samples = [SampleChange(f"p{at}", blob=blobs[at], split="pool") for at in range(POOL)]
    samples += [
        SampleChange(f"k{100 + at}", blob=blobs[POOL + at], split="train", label={"class": truth(f"k{100 + at}")})
        for at in range(KNOWN)
    ]
    commit(dataset, ChangeSet(samples), author=alice)
    return dataset


def suggestion(name: str) -> dict[str, Any]:
    """What a model says that takes an image for this class."""
    return {"class": name, "probability": 0.7, "probabilities": {name: 0.7}, "model": "digits@1"}


MakeWide = Callable[..., Queue]


@pytest.fixture
def make_wide(alice: User, wide: Dataset) -> MakeWide:
    """A queue over the first `size` images of the pool; the model suggests what `suggest` says of a key."""

    def make(
        *, size: int = POOL, answers: int = 1, suggest: Callable[[str], str] = truth, name: str = "q", **terms: Any
    ) -> Queue:
        rows = Sample.objects.filter(dataset=wide, key__startswith="p").order_by("pk")[:size]
        items = [QueueItem(row.pk, suggestion(suggest(row.key))) for row in rows]
        return create_queue(wide, name, items=items, answers_per_task=answers, created_by=alice, terms=terms)

    return make
