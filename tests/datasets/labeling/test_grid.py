"""POST /labeling/queues/{id}/next of a grid: one cluster on a page."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import SUGGESTION, items_of, leased, say

from accounts.models import User
from catalog.models import Dataset
from labeling.models import Queue
from labeling.services import QueueItem, create_queue


@pytest.fixture
def grid(alice: User, pool: Dataset) -> Queue:
    """`p0` and `p3` look like cats, `p1` like a dog, `p2` too but blind; nothing is suggested for `p4`."""
    names = ["cat", "dog", "dog", "cat", None]
    items = [
        QueueItem(item.sample_id, None if name is None else SUGGESTION | {"class": name})
        for item, name in zip(items_of(pool), names, strict=True)
    ]
    queue = create_queue(pool, "grid", items=items, created_by=alice, terms={"kind": "grid", "blind_share": 0.0})
    queue.tasks.filter(position=2).update(blind=True, cluster="")
    return queue


def page(api: APIClient, **body: Any) -> dict[str, Any]:
    told = api.post("/labeling/queues/grid/next", {"count": 200} | body, format="json")
    assert told.status_code == 200
    document: dict[str, Any] = told.json()
    return document


def keys(document: dict[str, Any]) -> list[str]:
    return [task["sample"]["key"] for task in document["tasks"]]


def test_a_page_is_one_cluster_and_clusters_say_what_is_to_do(api: APIClient, grid: Queue) -> None:
    first = page(api)
    assert first["clusters"] == [{"name": "", "todo": 2}, {"name": "cat", "todo": 2}, {"name": "dog", "todo": 1}]
    assert keys(page(api, cluster="cat")) == ["p0", "p3"]
    assert {task["cluster"] for task in page(api, cluster="cat")["tasks"]} == {"cat"}


def test_blind_tasks_stand_with_those_that_have_no_suggestion(api: APIClient, grid: Queue) -> None:
    assert keys(page(api, cluster="")) == ["p2", "p4"]
    assert keys(page(api, cluster="dog")) == ["p1"]


def test_without_a_wish_the_greatest_cluster_comes_and_what_i_hold_before_it(
    api: APIClient, bobs_api: APIClient, grid: Queue
) -> None:
    held = page(api, cluster="dog")
    assert keys(page(api)) == keys(held) == ["p1"]
    assert {"name": "dog", "todo": 1} in page(api)["clusters"]
    assert {"name": "dog", "todo": 1} not in page(bobs_api)["clusters"]


def test_the_next_cluster_follows_when_one_is_done(api: APIClient, grid: Queue) -> None:
    seen = []
    while (told := api.post("/labeling/queues/grid/next", {"count": 200}, format="json")).status_code == 200:
        seen.append(keys(told.json()))
        for task in told.json()["tasks"]:
            assert say(api, task).status_code == 200
    assert seen == [["p2", "p4"], ["p0", "p3"], ["p1"]]


def test_a_queue_of_another_kind_has_no_pages(api: APIClient, queue: Queue) -> None:
    assert len(leased(api, queue, 5)) == 5
    told = api.post(f"/labeling/queues/{queue.name}/next", {"count": 5}, format="json").json()
    assert "clusters" not in told
    assert {task["cluster"] for task in told["tasks"]} == {"cat"}
