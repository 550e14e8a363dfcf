"""Boxes and several classes to an image: what people agree on, and what their answers come to."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.quality.conftest import Cast

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Sample
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from labeling.models import Queue
from labeling.services import QueueItem, create_queue

MakeQueue = Callable[[Dataset], Queue]


def boxes(*corners: list[float]) -> dict[str, Any]:
    return {"boxes": [{"class": "car", "box": box} for box in corners]}


@pytest.fixture
def three(alice: User, blob_of: Callable[[int], Blob]) -> MakeQueue:
    """A queue `q` over two images of a dataset, three answers to each."""

    def make(dataset: Dataset) -> Queue:
        blobs = [blob_of(number) for number in range(2)]
        Blob.objects.bulk_create(blobs)
        samples = [SampleChange(f"p{at}", blob=blob, split="pool") for at, blob in enumerate(blobs)]
        commit(dataset, ChangeSet(samples), author=alice)
        ids = Sample.objects.filter(dataset=dataset).order_by("key").values_list("pk", flat=True)
        return create_queue(dataset, "q", items=[QueueItem(pk) for pk in ids], answers_per_task=3, created_by=alice)

    return make


def test_boxes_become_their_median_and_a_stray_one_goes_to_review(
    api: APIClient, cast: Cast, detection: Dataset, three: MakeQueue
) -> None:
    queue = three(detection)
    said = {
        "ann": {"p0": boxes([0, 0, 10, 10]), "p1": boxes()},
        "ben": {"p0": boxes([1, 0, 11, 10]), "p1": boxes()},
        "mal": {"p0": boxes([2, 0, 12, 10]), "p1": boxes([5, 5, 9, 9])},
    }
    for name, labels in said.items():
        cast(name).label(queue, labels.__getitem__)
    (review,) = cast("rita").get("/labeling/reviews?state=open").json()["results"]
    assert (review["sample"]["key"], review["reason"]) == ("p1", "disagreement")
    assert review["consensus"] == {"value": boxes(), "confidence": 0.6667, "tied": False}
    assert [one["iou"] for one in review["iou"]] == [None, None, None]
    told = cast("rita").get("/labeling/queues/q/agreement").json()
    ann, ben, mal = (cast(name).user.pk for name in said)
    pairs = {(pair["a"], pair["b"]): (pair["both"], pair["agree"], pair["mean_iou"]) for pair in told["pairs"]}
    assert pairs == {(ann, ben): (2, 2, 0.8182), (ann, mal): (2, 1, 0.6667), (ben, mal): (2, 1, 0.8182)}
    assert (told["kind"], told["fleiss"], told["consensus"]["method"]) == ("boxes", None, "majority")
    # six boxes of p0 are compared and match, two comparisons of p1's find nothing: 6 of 8 sides
    assert told["by_class"] == [{"class": "car", "answers": 4, "agreement": 0.75}]
    cast("rita").post(f"/labeling/reviews/{review['id']}/decide", {"value": boxes()})
    assert api.post("/labeling/queues/q/commit", {}, format="json").status_code == 201
    first = api.get(f"/datasets/{detection.name}/samples/p0").json()
    assert first["label"] == boxes([1, 0, 11, 10])
    assert first["label_facts"] == {"review_state": "agreed", "answers": 3, "agreement": 1.0, "confidence": 1.0}
    summary = api.get(f"/datasets/{detection.name}/versions/2").json()["labelling"]
    assert (summary["agreement"], summary["reviewed"], summary["overruled"]) == (0.7677, 1, 0)


def test_of_several_classes_each_is_voted_on(api: APIClient, cast: Cast, alice: User, three: MakeQueue) -> None:
    classes = ["rain", "night", "fog"]
    dataset = create_dataset("scenes", task="multilabel", classes=classes, description="", author=alice)
    queue = three(dataset)
    said = {"ann": ["rain", "night"], "ben": ["rain"], "mal": ["rain", "night", "fog"]}
    for name, named in said.items():
        answers = {"p0": {"classes": named}, "p1": {"classes": list[str]()}}
        cast(name).label(queue, answers.__getitem__)
    (review,) = cast("rita").get("/labeling/reviews").json()["results"]
    assert review["consensus"]["value"] == {"classes": ["rain", "night"]}
    assert api.post("/labeling/queues/q/commit", {"partial": True}, format="json").json()["labelled"] == 1
    assert api.get("/datasets/scenes/samples/p1").json()["label"] == {"classes": []}


def test_people_are_compared_over_queues_of_both_kinds(
    cast: Cast, alice: User, detection: Dataset, dataset: Dataset, three: MakeQueue, blob_of: Callable[[int], Blob]
) -> None:
    boxed = three(detection)
    commit(dataset, ChangeSet([SampleChange("c", blob=blob_of(0), split="pool")]), author=alice)
    sample = Sample.objects.get(dataset=dataset)
    classed = create_queue(dataset, "c", items=[QueueItem(sample.pk)], answers_per_task=2, created_by=alice)
    for name, word in (("ann", "cat"), ("ben", "dog")):
        cast(name).label(boxed, lambda _: boxes([0, 0, 10, 10]))
        cast(name).label(classed, {"c": word}.__getitem__)
    rows = cast("rita").get("/labeling/people").json()["results"]
    assert [(row["answers"], row["agreement"]) for row in rows] == [(3, 0.6667), (3, 0.6667)]
