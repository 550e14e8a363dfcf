"""Each task of a dataset from its creation to its labels: what is asked, by which editor, and what formats hold it."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png

from tasktypes import names, task_type

pytestmark = [pytest.mark.django_db, pytest.mark.production, pytest.mark.usefixtures("object_store")]
OUTLINES = [{"class": "dog", "points": [[1.0, 1.0], [20.0, 1.0], [20.0, 20.0]]}]
LABELS: dict[str, dict[str, Any]] = {
    "classification": {"class": "cat"},
    "multilabel": {"classes": ["cat", "dog"]},
    "detection": {"boxes": [{"class": "cat", "box": [1.0, 1.0, 9.0, 9.0]}], "polygons": OUTLINES},
    "segmentation": {"boxes": [], "polygons": OUTLINES},
}


@pytest.mark.parametrize("task", LABELS)
def test_a_dataset_is_labelled_in_the_form_of_its_task(api: APIClient, task: str) -> None:
    made = api.post("/datasets", {"name": "pets", "task": task, "classes": ["cat", "dog"]}, format="json").json()
    assert (made["task"], made["label_kind"]) == (task, task)
    body = {"samples": [{"key": "a.png", "data": data(png(1, (64, 48))), "split": "pool"}]}
    assert api.post("/datasets/pets", body, format="json").status_code == 201
    queue = api.post("/labeling/queues", {"name": "q", "dataset": "pets"}, format="json").json()
    assert queue["kind"] == task_type(task).labels.editors[0]
    (leased,) = api.post("/labeling/queues/q/next", {}, format="json").json()["tasks"]
    wrong = LABELS["detection" if task == "classification" else "classification"]
    place = f"/labeling/tasks/{leased['id']}/answer"
    if task != "multilabel":  # one class is a way to say several
        assert list(api.post(place, {"value": wrong, "seconds": 1}, format="json").json()["errors"]) == ["value"]
    assert api.post(place, {"value": LABELS[task], "seconds": 1}, format="json").status_code == 200
    assert api.post("/labeling/queues/q/commit", {}, format="json").json()["labelled"] == 1
    assert api.get("/datasets/pets/samples/a.png").json()["label"] == LABELS[task]
    assert (api.get("/datasets/pets/versions/head/statistics").json()["objects"] is None) == (
        not task_type(task).labels.has_objects
    )
    filtered = api.get("/datasets/pets/versions/head/samples", {"filter": "polygons(class = dog) >= 1"})
    assert (filtered.status_code == 200) == task_type(task).labels.has_objects
    if not task_type(task).labels.has_objects:
        assert "its labels have no polygons" in filtered.json()["detail"]


def test_a_queue_refuses_the_editor_of_another_task(api: APIClient) -> None:
    api.post("/datasets", {"name": "pets", "task": "segmentation", "classes": ["cat"]}, format="json")
    body = {"samples": [{"key": "a.png", "data": data(png(1)), "split": "pool"}]}
    api.post("/datasets/pets", body, format="json")
    answer = api.post("/labeling/queues", {"name": "q", "dataset": "pets", "kind": "grid"}, format="json")
    assert answer.status_code == 400
    assert "a segmentation dataset is labelled by polygons or boxes" in answer.json()["detail"]


def test_formats_name_the_tasks_whose_labels_they_hold(api: APIClient) -> None:
    tasks = {one["name"]: one["tasks"] for one in api.get("/formats").json()["results"]}
    assert tasks["jsonl"] == names()
    assert tasks["image_folder"] == ["classification"]
    assert tasks["kitti"] == ["detection", "segmentation"]
