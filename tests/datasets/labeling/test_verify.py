"""Queues that ask of each suggested object whether it is right, and of each image whether one is missing."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png

from accounts.models import User
from catalog.models import Dataset, Sample
from labeling.models import Answer, Queue
from labeling.services import QueueItem, create_queue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("object_store")]
SUGGESTED = [
    {"class": "car", "box": [1.0, 1.0, 9.0, 9.0], "score": 0.9},
    {"class": "car", "box": [20.0, 1.0, 30.0, 9.0], "score": 0.6},
    {"class": "bus", "box": [1.0, 20.0, 9.0, 30.0], "score": 0.5},
    {"class": "bus", "box": [20.0, 20.0, 30.0, 30.0], "score": 0.4},
]
KEPT, MOVED, RECLASSED, DRAWN = (
    {"class": "car", "box": [1.0, 1.0, 9.0, 9.0]},
    {"class": "car", "box": [21.0, 1.0, 30.0, 9.0]},
    {"class": "car", "box": [2.0, 20.0, 9.0, 30.0]},
    {"class": "bus", "box": [40.0, 40.0, 50.0, 50.0]},
)
VALUE = {"boxes": [KEPT, MOVED, RECLASSED, DRAWN]}
TOLD: dict[str, Any] = {
    "objects": [{"at": at, "seconds": seconds} for at, seconds in ((0, 1.0), (1, 6.0), (2, 2.0), (None, 1.5))],
    "missing": {"found": True, "seconds": 2.5},
    "drawing_seconds": 8.0,
}
ALL_RIGHT = {"objects": [{"at": at, "seconds": 1.0} for at in range(4)], "missing": {"found": False, "seconds": 2.0}}
AS_SUGGESTED = {"boxes": [{name: box[name] for name in ("class", "box")} for box in SUGGESTED]}


@pytest.fixture
def items(api: APIClient) -> list[QueueItem]:
    """Three images, of which the model says four boxes each."""
    api.post("/datasets", {"name": "roads", "task": "detection", "classes": ["car", "bus", "bike"]}, format="json")
    samples = [{"key": f"{at}.png", "data": data(png(at, (64, 64))), "split": "pool"} for at in range(3)]
    assert api.post("/datasets/roads", {"samples": samples}, format="json").status_code == 201
    ids = Sample.objects.filter(dataset__name="roads").order_by("key").values_list("pk", flat=True)
    return [QueueItem(pk, {"boxes": SUGGESTED, "model": "roads@1"}) for pk in ids]


def make(items: list[QueueItem], author: User, **terms: Any) -> Queue:
    """A queue `q` that is verified, with nothing hidden unless the terms say so."""
    told = {"mode": "verify", "blind_share": 0.0} | terms
    roads = Dataset.objects.get(name="roads")
    return create_queue(roads, "q", items=items, created_by=author, terms=told)


def leased(api: APIClient, count: int = 1) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = api.post("/labeling/queues/q/next", {"count": count}, format="json").json()["tasks"]
    return tasks


def say(api: APIClient, task: dict[str, Any], value: Any, verification: Any, **more: Any) -> Any:
    body = {"value": value, "seconds": 21.0, "shown_suggestion": True, "lease_token": task["lease_token"]}
    body["verification"] = verification
    return api.post(f"/labeling/tasks/{task['id']}/answer", body, format="json", **more)


def statistics(api: APIClient) -> dict[str, Any]:
    document: dict[str, Any] = api.get("/labeling/queues/q/statistics").json()
    return document


def test_what_became_of_each_object_is_worked_out_and_the_label_is_an_ordinary_one(
    api: APIClient, alice: User, items: list[QueueItem]
) -> None:
    make(items, alice)
    (task,) = leased(api)
    assert len(task["suggestion"]["boxes"]) == 4
    assert say(api, task, VALUE, TOLD).json()["state"] == "done"
    kept = Answer.objects.get()
    assert kept.verification == {
        "objects": [
            {"class": "car", "outcome": "kept", "seconds": 1.0},
            {"class": "car", "outcome": "moved", "seconds": 6.0},
            {"class": "bus", "outcome": "reclassed", "seconds": 2.0},
            {"class": "bus", "outcome": "removed", "seconds": 1.5},
        ],
        "missing": {"found": True, "seconds": 2.5},
        "drawn": {"counts": {"bus": 1}, "seconds": 8.0},
    }
    assert (kept.shown_suggestion, kept.changed, kept.seconds) == (True, True, 21.0)
    assert api.post("/labeling/queues/q/commit", {"partial": True}, format="json").json()["labelled"] == 1
    assert api.get("/datasets/roads/samples/0.png").json()["label"] == VALUE


def test_the_lead_sees_seconds_and_counts_in_all_and_by_class(
    api: APIClient, bobs_api: APIClient, alice: User, items: list[QueueItem]
) -> None:
    make(items, alice)
    first, second, third = leased(api, 3)
    say(api, first, VALUE, TOLD)
    say(api, second, AS_SUGGESTED, ALL_RIGHT)
    say(api, third, AS_SUGGESTED, None)  # in one go: a client that asks no questions
    found = statistics(api)
    assert (found["mode"], found["answers"], found["verified"]) == ("verify", 3, 2)
    assert found["objects"] == {
        "asked": 8, "kept": 5, "moved": 1, "reclassed": 1, "removed": 1, "median_seconds": 1.0
    }  # fmt: skip
    assert found["missing"] == {"asked": 2, "found": 1, "median_seconds": 2.25}
    assert found["drawn"] == {"objects": 1, "median_seconds": 8.0}
    assert found["by_class"] == [
        {"class": "car", "asked": 4, "kept": 3, "moved": 1, "reclassed": 0, "removed": 0, "median_seconds": 1.0,
         "missing": 0, "drawn": 0},
        {"class": "bus", "asked": 4, "kept": 2, "moved": 0, "reclassed": 1, "removed": 1, "median_seconds": 1.25,
         "missing": 1, "drawn": 1},
    ]  # fmt: skip
    assert bobs_api.get("/labeling/queues/q/statistics").status_code == 403


def test_what_is_drawn_without_a_suggestion_costs_seconds_and_was_not_missed_by_the_model(
    api: APIClient, alice: User, items: list[QueueItem]
) -> None:
    queue = make(items, alice, blind_share=1.0)
    first, second, third = leased(api, 3)
    assert first["suggestion"] is None
    drawn = {"objects": [], "missing": {"found": True, "seconds": 1.0}, "drawing_seconds": 18.0}
    assert say(api, first, {"boxes": [KEPT, MOVED, DRAWN]}, drawn).status_code == 200
    api.patch("/labeling/queues/q", {"mode": "label"}, format="json")
    say(api, second, {"boxes": [KEPT, DRAWN]}, None)  # 21 seconds for two
    say(api, third, {"boxes": []}, None)
    found = statistics(api)
    assert found["drawn"] == {"objects": 5, "median_seconds": 6.0}
    assert (found["objects"]["asked"], found["missing"]["asked"]) == (0, 0)
    assert {(one["class"], one["drawn"], one["missing"]) for one in found["by_class"]} == {("car", 3, 0), ("bus", 2, 0)}
    assert set(queue.tasks.values_list("answers__shown_suggestion", flat=True)) == {False}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("verification.objects", VALUE, TOLD | {"objects": TOLD["objects"][:3]}),
        ("verification.objects", VALUE, TOLD | {"objects": [{"at": 0, "seconds": 1.0}] * 4}),
        ("verification.objects", VALUE, TOLD | {"objects": [{"at": at, "seconds": 1.0} for at in (0, 1, 2, 4)]}),
        ("verification.missing", VALUE, TOLD | {"missing": {"found": False, "seconds": 1.0}}),
        ("verification.objects.0.at", VALUE, TOLD | {"objects": [{"at": -1, "seconds": 1.0}]}),
        ("verification.missing", VALUE, {"objects": TOLD["objects"]}),
        ("value", {"boxes": [{"class": "plane", "box": [1, 1, 2, 2]}]}, TOLD),
    ],
)
def test_a_half_verified_image_is_no_answer(
    api: APIClient, alice: User, items: list[QueueItem], field: str, value: Any, told: Any
) -> None:
    make(items, alice)
    (task,) = leased(api)
    refused = say(api, task, value, told)
    assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])
    (outcome,) = api.post(
        "/labeling/queues/q/answers",
        {"answers": [{"task": task["id"], "value": VALUE, "verification": TOLD | {"objects": []}}]},
        format="json",
    ).json()["results"]
    assert (outcome["status"], list(outcome["problem"]["errors"])) == ("refused", ["verification.objects"])
    assert not Answer.objects.exists()


def test_undo_gives_the_task_back_and_a_repeated_answer_counts_once(
    api: APIClient, alice: User, items: list[QueueItem]
) -> None:
    make(items, alice)
    (task,) = leased(api)
    for _ in range(2):
        assert say(api, task, VALUE, TOLD, headers={"Idempotency-Key": "0123456789abcdef"}).status_code == 200
    assert statistics(api)["verified"] == 1
    again = api.post(f"/labeling/tasks/{task['id']}/undo", format="json").json()
    assert len(again["suggestion"]["boxes"]) == 4
    assert statistics(api)["verified"] == 0
    body = {"task": task["id"], "value": AS_SUGGESTED, "verification": ALL_RIGHT, "lease_token": again["lease_token"]}
    (saved,) = api.post("/labeling/queues/q/answers", {"answers": [body]}, format="json").json()["results"]
    assert saved["status"] == "saved"
    assert (statistics(api)["verified"], statistics(api)["objects"]["kept"]) == (1, 4)
    exported = api.get("/labeling/queues/q/answers")
    assert b'"outcome":"kept"' in b"".join(exported.streaming_content)  # type: ignore[attr-defined]


def test_what_cannot_be_verified_names_the_mode(api: APIClient, alice: User, items: list[QueueItem]) -> None:
    create = {"name": "plain", "dataset": "roads", "mode": "verify"}
    refused = api.post("/labeling/queues", create, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["mode"])
    assert "none of these samples has any" in refused.json()["detail"]
    made = api.post("/labeling/queues", create | {"mode": "label"}, format="json")
    assert made.json()["mode"] == "label"
    refused = api.patch("/labeling/queues/plain", {"mode": "verify"}, format="json")
    assert list(refused.json()["errors"]) == ["mode"]
    make(items, alice, mode="label")
    assert api.patch("/labeling/queues/q", {"mode": "verify"}, format="json").json()["mode"] == "verify"


def test_labels_that_are_there_are_verified(api: APIClient, items: list[QueueItem]) -> None:
    ignored = {"class": "glare", "box": [0, 0, 5, 5]}
    label = AS_SUGGESTED | {"ignore": [ignored]}
    assert api.post("/datasets/roads", {"labels": [{"key": "1.png", "label": label}]}, format="json").status_code == 201
    create = {"name": "q", "dataset": "roads", "mode": "verify", "filter": {"labelled": True}, "blind_share": 0}
    assert api.post("/labeling/queues", create, format="json").status_code == 201
    (task,) = leased(api)
    assert task["suggestion"] == label | {"model": "roads v2"}
    assert say(api, task, label, ALL_RIGHT | {"drawing_seconds": 0}).status_code in (200, 201)
    assert statistics(api)["objects"]["kept"] == 4


def test_classes_cannot_be_verified(api: APIClient, pool: Dataset, make_queue: Any) -> None:
    make_queue("classes")
    refused = api.patch("/labeling/queues/classes", {"mode": "verify"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["mode"])
    assert "no objects" in refused.json()["detail"]
    (task,) = api.post("/labeling/queues/classes/next", {}, format="json").json()["tasks"]
    refused = say(api, task, {"class": "cat"}, ALL_RIGHT)
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["verification.objects"])


def test_two_people_verify_and_disagree_and_a_review_decides(
    api: APIClient, bobs_api: APIClient, alice: User, items: list[QueueItem]
) -> None:
    roads = Dataset.objects.get(name="roads")
    terms = {"mode": "verify", "blind_share": 0.0}
    create_queue(roads, "q", items=items[:1], answers_per_task=2, created_by=alice, terms=terms)
    (mine,) = leased(api)
    assert say(api, mine, AS_SUGGESTED, ALL_RIGHT).json()["state"] == "todo"
    (theirs,) = leased(bobs_api)
    assert say(bobs_api, theirs, VALUE, TOLD).json()["state"] == "done"
    (review,) = api.get("/labeling/reviews", {"queue": "q"}).json()["results"]
    assert review["reason"] == "disagreement"
    body = {"value": VALUE, "answer": review["answers"][1]["id"]}
    assert api.post(f"/labeling/reviews/{review['id']}/decide", body, format="json").status_code == 200
    assert statistics(api)["objects"]["asked"] == 8
    assert api.get("/labeling/queues/q/agreement").json()["pairs"][0]["both"] == 1
    assert api.post("/labeling/queues/q/commit", {}, format="json").json()["labelled"] == 1
