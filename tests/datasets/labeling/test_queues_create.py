"""POST /labeling/queues and PATCH of one."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import SUGGESTION, MakeQueue, items_of, leased, say

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.versions.commit import commit
from labeling.blinding import is_blind
from labeling.models import Queue, Task
from labeling.services import QueueItem, create_queue


def create(api: APIClient, **body: Any) -> Any:
    return api.post("/labeling/queues", {"name": "q", "dataset": "digits"} | body, format="json")


def keys(api: APIClient, name: str = "q") -> list[str]:
    return [task["sample"]["key"] for task in api.get(f"/labeling/queues/{name}/tasks").json()["results"]]


def test_samples_come_in_the_order_they_were_named(api: APIClient, pool: Dataset) -> None:
    told = create(api, samples=["p3", "p0", "p3"])
    assert told.status_code == 201
    document = told.json()
    assert (document["kind"], document["counts"]["todo"], document["blind_share"]) == ("classify", 2, 0.05)
    assert document["skip_reasons"] == ["unclear", "not in the classes", "bad image"]
    assert (document["gold_share"], document["review_share"], document["accept_threshold"]) == (0, 0, None)
    idle = ("today", "total", "rate_per_hour", "waiting", "held", "reviews")
    assert document["mine"] == dict.fromkeys(idle, 0)
    assert keys(api) == ["p3", "p0"]


def test_a_filter_picks_and_without_one_all_unlabelled_come(api: APIClient, alice: User, pool: Dataset) -> None:
    commit(pool, ChangeSet([SampleChange("p1", label={"class": "cat"}, split="train")]), author=alice)
    assert create(api).json()["counts"]["total"] == 4
    assert create(api, name="night", filter={"meta": {"at": {">=": 3}}}).status_code == 201
    assert sorted(keys(api, "night")) == ["p3", "p4"]
    api.post("/datasets/digits/slices", {"name": "late", "filter": {"q": "p4"}}, format="json")
    assert create(api, name="sliced", filter={"slice": "late"}).json()["counts"]["total"] == 1


def test_a_detection_dataset_gets_boxes_and_may_have_polygons(
    api: APIClient, alice: User, detection: Dataset, pool: Dataset
) -> None:
    blob = pool.samples.first().revisions.get().blob  # type: ignore[union-attr]  # the fixture made it
    commit(detection, ChangeSet([SampleChange("d0", blob=blob)]), author=alice)
    assert create(api, dataset="roads").json()["kind"] == "boxes"
    assert create(api, dataset="roads", name="p", kind="polygons").json()["kind"] == "polygons"


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("name", {"name": "Not A Name"}),
        ("samples", {"samples": ["p0", "nowhere"]}),
        ("samples", {"samples": []}),
        ("samples.1", {"samples": ["p0", True]}),
        ("samples.0", {"samples": ["", "p0"]}),
        ("samples.0", {"samples": ["p" * 501]}),
        ("samples.1", {"samples": ["p0", "p\0"]}),
        ("samples", {"samples": ["p0"], "filter": {"labelled": False}}),
        ("filter", {"filter": {"q": "nothing like it"}}),
        ("filter.q", {"filter": {"q": 1}}),
        ("filter", {"filter": [1]}),
        ("filter", {"filter": "late"}),
        ("filter", {"filter": 0}),
        ("kind", {"kind": "boxes"}),
        ("kind", {"kind": "drawing"}),
        ("blind_share", {"blind_share": 0.6}),
        ("answers_per_task", {"answers_per_task": 0}),
    ],
)
def test_what_cannot_be_a_queue_names_the_field(
    api: APIClient, pool: Dataset, field: str, body: dict[str, object]
) -> None:
    told = create(api, **body)
    assert (told.status_code, list(told.json()["errors"])) == (400, [field])
    assert not Queue.objects.exists()


def test_a_key_is_taken_letter_by_letter(
    api: APIClient, alice: User, pool: Dataset, blob_of: Callable[[int], Blob]
) -> None:
    blobs = [blob_of(number) for number in (901, 902)]
    sent = zip((" p0", "\u00e9 .png"), blobs, strict=True)
    commit(pool, ChangeSet([SampleChange(key, blob=blob) for key, blob in sent]), author=alice)
    assert create(api, samples=["e\u0301 .png", " p0", "p0"]).status_code == 201  # the same letter, written in two ways
    assert keys(api) == ["\u00e9 .png", " p0", "p0"]


def test_a_name_that_is_taken_is_a_conflict(api: APIClient, queue: Queue) -> None:
    told = create(api, name=queue.name)
    assert (told.status_code, told.json()["code"]) == (409, "name_taken")


def test_the_terms_change_and_the_rest_stays(api: APIClient, queue: Queue) -> None:
    body = {"kind": "grid", "review_share": 0.1, "accept_threshold": 0.9, "skip_reasons": ["dark"]}
    told = api.patch(f"/labeling/queues/{queue.name}", body, format="json").json()
    assert {name: told[name] for name in body} == body
    assert told["gold_share"] == 0
    wrong = api.patch(f"/labeling/queues/{queue.name}", {"kind": "boxes"}, format="json")
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["kind"])


def test_a_limit_draws_at_random_and_says_of_how_many(api: APIClient, pool: Dataset) -> None:
    told = create(api, limit=2).json()
    assert (told["counts"]["total"], told["passing"]) == (2, 5)
    assert create(api, name="again", limit=2).status_code == 201
    assert keys(api) == keys(api, "again"), "equal seeds, equal draws"
    drawn = {tuple(keys(api, f"q{seed}")) for seed in range(8) if create(api, name=f"q{seed}", limit=2, seed=seed)}
    assert len(drawn) > 1
    assert create(api, name="all", limit=9).json()["counts"]["total"] == 5
    for field, body in (("limit", {"limit": 0}), ("limit", {"limit": 2, "samples": ["p0"]})):
        refused = create(api, name="never", **body)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])


def test_a_queue_is_for_those_it_is_assigned_to(
    api: APIClient, bobs_api: APIClient, ritas_api: APIClient, pool: Dataset
) -> None:
    told = create(api, assignees=["bob"], priority="high", due="2026-12-01T12:00:00Z").json()
    assert (told["assignees"], told["for_me"], told["priority"]) == (["bob"], False, "high")
    assert told["due"].startswith("2026-12-01T12:00:00")
    (task,) = bobs_api.post("/labeling/queues/q/next").json()["tasks"]
    assert bobs_api.get("/labeling/queues/q").json()["for_me"]
    refused = ritas_api.post("/labeling/queues/q/next")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_assigned")
    assert "assigned to bob" in refused.json()["detail"]

    changed = ritas_api.patch("/labeling/queues/q", {"assignees": ["rita"], "due": None}, format="json").json()
    assert (changed["assignees"], changed["due"], changed["priority"]) == (["rita"], None, "high")
    assert bobs_api.post("/labeling/queues/q/next").status_code == 403
    assert say(bobs_api, task, "cat").status_code == 200, "what they hold they may end"
    assert ritas_api.post("/labeling/queues/q/next").status_code == 200
    assert ritas_api.patch("/labeling/queues/q", {"assignees": []}, format="json").json()["for_me"]
    assert bobs_api.post("/labeling/queues/q/next").status_code == 200


def test_who_cannot_label_is_assigned_nothing(api: APIClient, bob: User, pool: Dataset) -> None:
    refused = create(api, assignees=["bob", "nobody"])
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["assignees.1"])
    bob.is_active = False
    bob.save()
    refused = create(api, assignees=["bob"])
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["assignees.0"])
    assert not Queue.objects.exists()
    for body in ({"priority": "urgent"}, {"due": "soon"}, {"due": "2026-13-01"}):
        assert list(create(api, **body).json()["errors"]) == list(body)


def test_an_annotator_changes_no_terms(bobs_api: APIClient, queue: Queue) -> None:
    refused = bobs_api.patch(f"/labeling/queues/{queue.name}", {"review_share": 1.0}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "reviewers_only")
    queue.refresh_from_db()
    assert queue.review_share == 0


def test_a_hidden_suggestion_is_hidden_wherever_the_annotator_looks(api: APIClient, make_queue: MakeQueue) -> None:
    queue = make_queue(blind_share=1.0)
    task = leased(api, queue)[0]
    assert (task["suggestion"], task["cluster"], task["why"]["reason"]) == (None, None, "")
    assert "blind" not in task
    assert "cat" not in str(task)
    listed = api.get(f"/labeling/queues/{queue.name}/tasks").json()["results"][0]
    assert (listed["suggestion"], "cat" in str(listed)) == (None, False)
    say(api, task, "dog")
    kept = Task.objects.get(pk=task["id"]).answers.get()
    assert (kept.shown_suggestion, kept.changed) == (False, True)


def test_a_share_of_tasks_is_blind_and_a_greater_one_keeps_them(queue: Queue) -> None:
    few = {at for at in range(4000) if is_blind(queue.pk, at, 0.05)}
    more = {at for at in range(4000) if is_blind(queue.pk, at, 0.1)}
    assert few < more
    assert 140 < len(few) < 260
    assert not any(is_blind(queue.pk, at, 0.0) for at in few)


def test_a_changed_share_holds_for_tasks_nobody_has_seen(api: APIClient, queue: Queue) -> None:
    seen = leased(api, queue)[0]
    api.patch(f"/labeling/queues/{queue.name}", {"blind_share": 0.5}, format="json")
    blind = dict(queue.tasks.values_list("pk", "blind"))
    assert not blind.pop(seen["id"])
    queue.refresh_from_db()
    api.patch(f"/labeling/queues/{queue.name}", {"blind_share": 0}, format="json")
    assert set(queue.tasks.values_list("blind", "cluster")) == {(False, "cat")}


def test_what_the_client_does_not_say_of_a_change_is_worked_out(api: APIClient, queue: Queue) -> None:
    first, second, third = leased(api, queue, 3)
    say(api, first, "cat")
    say(api, second, "dog")
    body = {"value": {"class": "dog"}, "seconds": 1, "changed": False}
    api.post(f"/labeling/tasks/{third['id']}/answer", body, format="json")
    changed = dict(queue.tasks.filter(answers__isnull=False).values_list("pk", "answers__changed"))
    assert [changed[task["id"]] for task in (first, second, third)] == [False, True, False]


def test_without_a_suggestion_nothing_is_blind(alice: User, pool: Dataset) -> None:
    items = [QueueItem(item.sample_id) for item in items_of(pool)]
    queue = create_queue(pool, "plain", items=items, created_by=alice, terms={"blind_share": 1.0})
    assert set(queue.tasks.values_list("blind", flat=True)) == {False}
    assert SUGGESTION["class"] not in set(queue.tasks.values_list("cluster", flat=True))


def add(api: APIClient, queue: str = "q", chosen: Any = "labelled or not labelled") -> Any:
    return api.post(f"/labeling/queues/{queue}/samples", {"filter": chosen}, format="json")


@pytest.mark.both
def test_more_samples_come_behind_those_of_a_queue_once(api: APIClient, pool: Dataset) -> None:
    create(api, samples=["p3", "p0"])
    none = {"left_out": 0, "copies": {"same_bytes": 0, "labelled": 0}}
    assert add(api, chosen="key = p1 or key = p0").json() == {"added": 1, "already": 1} | none
    assert add(api).json() == {"added": 2, "already": 3} | none
    assert keys(api)[:3] == ["p3", "p0", "p1"]
    assert sorted(keys(api)[3:]) == ["p2", "p4"]
    assert api.get("/labeling/queues/q").json()["counts"]["todo"] == 5


@pytest.mark.both
def test_a_complete_queue_is_open_again_with_more_samples(api: APIClient, alice: User, pool: Dataset) -> None:
    queue = create_queue(pool, "q", items=items_of(pool)[:1], created_by=alice)
    say(api, leased(api, queue)[0])
    assert api.get("/labeling/queues/q").json()["state"] == "complete"
    add(api, chosen="key = p1")
    told = api.get("/labeling/queues/q").json()
    assert (told["state"], told["counts"]["todo"], told["counts"]["done"]) == ("open", 1, 1)


@pytest.mark.both
def test_a_committed_queue_and_one_of_a_round_take_no_more(
    api: APIClient, ritas_api: APIClient, alice: User, pool: Dataset
) -> None:
    queue = create_queue(pool, "q", items=items_of(pool)[:1], created_by=alice)
    Queue.objects.filter(pk=queue.pk).update(commit_grace=30)
    assert (add(ritas_api).status_code, add(ritas_api).json()["code"]) == (409, "queue_of_round")
    Queue.objects.filter(pk=queue.pk).update(commit_grace=None, state=Queue.State.COMMITTED)
    assert add(api).json()["code"] == "queue_committed"
    assert queue.tasks.count() == 1
    Queue.objects.filter(pk=queue.pk).update(state=Queue.State.OPEN)
    nothing = add(api, chosen="key = nowhere")
    assert (nothing.status_code, nothing.json()["code"]) == (400, "queue_empty")


@pytest.fixture
def many(alice: User, dataset: Dataset, blob_of: Callable[[int], Blob]) -> Dataset:
    """60 unlabelled images `s00` to `s59`, of which the last ten have the bytes of the first ten; `s20` has the bytes
    of the labelled `t`, which is in val."""
    blobs = [blob_of(number) for number in range(50)]
    Blob.objects.bulk_create(blobs)
    samples = [SampleChange(f"s{at:02}", blob=blobs[at % 50], split="pool") for at in range(60)]
    samples.append(SampleChange("t", blob=blobs[20], split="val", label={"class": "cat"}))
    commit(dataset, ChangeSet(samples), author=alice)
    return dataset


def test_a_queue_that_is_not_named_is_served_by_chance_and_the_same_seed_serves_the_same(
    api: APIClient, many: Dataset
) -> None:
    orders = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert create(api, name=name, limit=30, seed=seed).status_code == 201
        orders.append(keys(api, name))
    assert orders[0] == orders[1] != orders[2]
    assert all(order != sorted(order) and len(order) == 30 for order in orders)
    ids = list(Task.objects.filter(queue__name="a").order_by("position").values_list("pk", flat=True))
    assert ids == sorted(ids)


@pytest.mark.parametrize("chosen", [{}, {"filter": {"split": "pool"}}, {"samples": [f"s{at:02}" for at in range(60)]}])
def test_no_queue_asks_about_the_same_bytes_twice_or_about_labelled_ones(
    api: APIClient, many: Dataset, chosen: dict[str, Any]
) -> None:
    document = create(api, **chosen).json()
    assert document["copies"] == {"same_bytes": 10, "labelled": 1}
    assert document["counts"]["total"] == 49
    md5s = list(Task.objects.values_list("sample__revisions__blob__md5", flat=True))
    assert len(set(md5s)) == 49
    assert "s20" not in keys(api)


def test_samples_that_are_added_to_a_queue_are_no_copies_of_what_is_in_it(api: APIClient, many: Dataset) -> None:
    create(api, samples=["s00", "s01"])
    told = api.post("/labeling/queues/q/samples", {"filter": {"split": "pool"}}, format="json").json()
    assert told == {"added": 47, "already": 2, "left_out": 0, "copies": {"same_bytes": 10, "labelled": 1}}


def test_a_queue_of_labelled_samples_asks_about_their_own_labels(api: APIClient, many: Dataset) -> None:
    assert create(api, samples=["t"]).json()["counts"]["total"] == 1


def test_a_queue_of_copies_of_labelled_samples_alone_is_refused_with_the_fix(api: APIClient, many: Dataset) -> None:
    refused = create(api, samples=["s20"])
    assert refused.status_code == 400
    assert refused.json()["code"] == "queue_empty"
    assert "take over their labels" in refused.json()["errors"]["samples"][0]
