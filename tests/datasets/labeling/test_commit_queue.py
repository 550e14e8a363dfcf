"""POST /labeling/queues/{id}/commit: labels become a version."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say
from tests.threads import at_once

from accounts.models import Role, User
from accounts.services import create_user
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Revision
from catalog.versions.commit import commit
from catalog.versions.datasets import find_dataset, find_version
from core.errors import Conflict
from labeling.leasing import next_tasks
from labeling.models import Queue
from labeling.services import answer, commit_queue, skip

pytestmark = pytest.mark.both


def commit_call(api: APIClient, queue: Queue, **body: Any) -> Any:
    return api.post(f"/labeling/queues/{queue.name}/commit", body, format="json")


def in_head(dataset: Dataset, key: str) -> Revision:
    head = find_version(find_dataset(dataset.name), "head")
    return head.revisions.select_related("label").get(sample__key=key)


def test_labels_become_a_version_and_the_pool_moves_to_train(
    api: APIClient, make_queue: MakeQueue, pool: Dataset
) -> None:
    queue = make_queue(size=2)
    for task, name in zip(leased(api, queue, 2), ("cat", "dog"), strict=True):
        say(api, task, name)
    told = commit_call(api, queue, message="round 1")
    assert told.status_code == 201
    assert {name: told.json()[name] for name in ("version", "parent", "updated", "labelled", "rejected")} == {
        "version": 2, "parent": 1, "updated": 2, "labelled": 2, "rejected": [],
    }  # fmt: skip
    row = in_head(pool, "p1")
    assert row.label is not None
    assert (row.split, row.class_name, row.label.source, row.label.seconds) == ("train", "dog", "human", 1.5)
    assert row.label.author is not None
    assert row.label.author.username == "alice"
    assert in_head(pool, "p4").split == "pool"
    assert pool.versions.get(number=2).message == "round 1"
    shown = api.get(f"/labeling/queues/{queue.name}").json()
    assert (shown["state"], shown["committed_version"]) == ("committed", 2)


def test_a_second_commit_is_the_same_version(api: APIClient, make_queue: MakeQueue, pool: Dataset) -> None:
    queue = make_queue(size=1)
    say(api, leased(api, queue)[0])
    first, again = commit_call(api, queue), commit_call(api, queue)
    assert (again.status_code, again.json()) == (201, first.json())
    assert pool.versions.count() == 2


def test_an_incomplete_queue_is_a_conflict_that_writes_nothing(api: APIClient, queue: Queue, pool: Dataset) -> None:
    say(api, leased(api, queue)[0])
    response = commit_call(api, queue)
    assert (response.status_code, response.json()["code"]) == (409, "queue_incomplete")
    assert response.json()["counts"]["todo"] == 4
    assert pool.versions.count() == 1


def test_a_partial_commit_takes_what_is_done_and_calls_leases_back(
    api: APIClient, bobs_api: APIClient, queue: Queue, pool: Dataset
) -> None:
    say(api, leased(api, queue)[0])
    bobs = leased(bobs_api, queue)[0]
    assert commit_call(api, queue, partial=True).json()["labelled"] == 1
    assert in_head(pool, "p1").label is None
    assert say(bobs_api, bobs).json()["code"] == "lease_lost"
    assert api.post(f"/labeling/queues/{queue.name}/next", {}, format="json").status_code == 204


def test_samples_of_val_and_test_keep_their_split(
    api: APIClient, alice: User, make_queue: MakeQueue, pool: Dataset
) -> None:
    commit(pool, ChangeSet([SampleChange("p0", split="val"), SampleChange("p1", split="test")]), author=alice)
    queue = make_queue(size=2)
    for task in leased(api, queue, 2):
        say(api, task)
    assert commit_call(api, queue).json()["labelled"] == 2
    assert (in_head(pool, "p0").split, in_head(pool, "p1").split) == ("val", "test")


def test_skipped_tasks_stay_unlabelled(alice: User, make_queue: MakeQueue, pool: Dataset) -> None:
    queue = make_queue(size=1)
    skip(next_tasks(queue, alice, count=1)[0].pk, alice)
    assert commit_queue(queue, message="", author=alice).labelled == 0
    assert (in_head(pool, "p0").split, in_head(pool, "p0").label) == ("pool", None)
    queue.refresh_from_db()
    assert (queue.state, pool.versions.count()) == ("committed", 1)


def test_a_sample_removed_meanwhile_is_rejected_and_the_rest_committed(
    api: APIClient, alice: User, make_queue: MakeQueue, pool: Dataset
) -> None:
    queue = make_queue(size=2)
    for task in leased(api, queue, 2):
        say(api, task)
    commit(pool, ChangeSet(remove=["p0"]), author=alice)
    told = commit_call(api, queue).json()
    assert ([item["key"] for item in told["rejected"]], told["labelled"]) == (["p0"], 1)


def test_what_people_disagree_on_waits_for_a_reviewer(make_queue: MakeQueue, pool: Dataset, alice: User) -> None:
    queue = make_queue(size=2, answers_per_task=3)
    for number, (first, second) in enumerate((("cat", "cat"), ("dog", "cat"), ("dog", "cat"))):
        person = create_user(f"person-{number}", role=Role.ANNOTATOR)[0]
        for task, name in zip(next_tasks(queue, person, count=2), (first, second), strict=True):
            answer(task.pk, person, value={"class": name}, seconds=1, shown_suggestion=False)
    with pytest.raises(Conflict) as caught:
        commit_queue(queue, message="", author=alice)
    assert (caught.value.code, caught.value.extra["reviews_open"]) == ("queue_incomplete", 1)
    commit_queue(queue, message="", author=alice, partial=True)
    assert (in_head(pool, "p0").label, in_head(pool, "p1").class_name) == (None, "cat")


@pytest.mark.django_db(transaction=True)
def test_commits_at_the_same_moment_make_one_version(make_queue: MakeQueue, pool: Dataset, alice: User) -> None:
    queue = make_queue(size=1)
    answer(next_tasks(queue, alice, count=1)[0].pk, alice, value={"class": "cat"}, seconds=1, shown_suggestion=False)
    results = at_once(4, lambda _: commit_queue(queue, message="", author=alice))
    assert {result.version.number for result in results if result.version} == {2}
    assert pool.versions.count() == 2
