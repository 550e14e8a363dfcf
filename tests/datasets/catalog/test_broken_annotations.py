"""Annotation files that can't be read: each is listed with its place, the others are taken, or nothing if asked."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import zip_of
from tests.datasets.conftest import multipart, png, sent
from tests.datasets.formats.layouts import KITTI, SIZE, XML, coco, task
from tests.working import work_on

from catalog.models import Dataset

pytestmark = [pytest.mark.usefixtures("object_store"), pytest.mark.django_db(transaction=True)]

IMAGES = {f"{name}.png": png(number, SIZE) for number, name in enumerate("abc")}
LINE = '{"key": "a.png", "label": {"boxes": [{"class": "car", "box": [1, 1, 5, 5]}]}}'
TASKS = json.dumps([task("a.png"), {"data": {"image": "b.png"}, "annotations": 7}])
ODD_BOX = coco("a.png", "b.png").replace("[10, 5, 20, 20]", '["x"]', 1)
# Of each format: documents of which one, or one entry, is broken; that document; what is said of it.
BROKEN: dict[str, tuple[dict[str, str], str, str]] = {
    "voc": ({"a.xml": XML.replace("a.jpg", "a.png"), "b.xml": "<annotation>\n<object>"}, "b.xml", "b.xml, line 2: "),
    "kitti": ({"a.txt": KITTI, "b.txt": KITTI + "car 1 2\n"}, "b.txt", "b.txt, line 2: 3 values instead of 15"),
    "yolo": ({"a.txt": "0 0.2 0.3 0.2 0.4", "b.txt": "9 0.2 0.3 0.2 0.4"}, "b.txt", "b.txt, line 1: '9' is not a num"),
    "coco": ({"x.json": coco("a.png"), "y.json": '{"images": [,'}, "y.json", "y.json, line 1, column 13: not JSON"),
    "jsonl": ({"x.jsonl": LINE + "\n{oops"}, "x.jsonl", "x.jsonl, line 2, line 1, column 2: not JSON"),
    "label_studio": ({"x.json": TASKS}, "x.json", "x.json, task 1, annotations: must be a list, not a number"),
    "coco, one entry": ({"x.json": ODD_BOX}, "x.json", "x.json, annotations[0].bbox: must be [x, y, width, height]"),
}  # fmt: skip


def push(api: APIClient, documents: dict[str, str], **more: Any) -> Any:
    members = IMAGES | {path: text.encode() for path, text in documents.items()}
    return api.post("/datasets/roads", {"archive": sent("a.zip", zip_of(members)), **more})


@pytest.mark.parametrize("name", BROKEN)
def test_the_rest_is_committed_and_what_is_broken_is_listed(api: APIClient, detection: Dataset, name: str) -> None:
    documents, broken, words = BROKEN[name]
    answer = push(api, documents)
    assert answer.status_code == 201, answer.json()
    document = answer.json()
    assert (document["added"], document["labelled"]) == (3, 1)
    assert [(item["key"], item["code"]) for item in document["rejected"]] == [(broken, "annotations_unreadable")]
    assert document["rejected"][0]["detail"].startswith(words)


@pytest.mark.parametrize("name", BROKEN)
def test_strict_takes_nothing_and_lists_what_is_broken(api: APIClient, detection: Dataset, name: str) -> None:
    documents, broken, _ = BROKEN[name]
    answer = push(api, documents, strict="true")
    assert (answer.status_code, answer.json()["code"]) == (400, "not_all_accepted")
    assert [item["key"] for item in answer.json()["rejected"]] == [broken]
    detection.refresh_from_db()
    assert detection.head is None


def test_every_broken_file_is_listed_not_the_first_alone(api: APIClient, detection: Dataset) -> None:
    answer = push(api, {"a.txt": "9 1 1 1 1", "b.txt": "x", "c.txt": "0 0.2 0.3 0.2 0.4"}).json()
    assert [item["key"] for item in answer["rejected"]] == ["a.txt", "b.txt"]
    assert answer["labelled"] == 1


def test_of_one_file_with_very_many_faults_the_first_are_listed_and_the_others_counted(
    api: APIClient, detection: Dataset
) -> None:
    answer = push(api, {"x.jsonl": LINE + "\n{" * 1000}).json()
    assert len(answer["rejected"]) == 21
    assert answer["rejected"][-1]["detail"] == "x.jsonl: 980 more faults are not listed"
    assert [(row["code"], row["count"]) for row in answer["passed_over"]] == [("item_refused", 1000)]


def test_without_its_list_of_classes_no_label_of_yolo_is_guessed(api: APIClient, detection: Dataset) -> None:
    """Numbers were positions in the dataset's list then, and so perhaps other classes."""
    answer = push(api, {"data.yaml": "names: [dog, car", "a.txt": "0 0.2 0.3 0.2 0.4"}).json()
    assert (answer["added"], answer["labelled"]) == (3, 0)
    assert [item["key"] for item in answer["rejected"]] == ["data.yaml"]
    (row,) = [row for row in answer["passed_over"] if row["code"] == "file_left_out"]
    assert ("label files were not read" in row["what"], row["count"]) == (True, 1)


def test_an_image_that_is_told_of_twice_gets_neither_label(api: APIClient, detection: Dataset) -> None:
    answer = push(api, {"x.jsonl": LINE + "\n" + LINE.replace("[1, 1, 5, 5]", "[2, 2, 6, 6]")}).json()
    assert (answer["labelled"], answer["rejected"][0]["code"]) == (0, "annotations_ambiguous")


def test_images_sent_with_one_broken_annotation_file_are_kept(api: APIClient, detection: Dataset) -> None:
    files = [("files", key, image) for key, image in IMAGES.items()]
    answer = api.post("/datasets/roads", **multipart([*files, ("annotations", "x.json", b'{"images": [')]))
    assert (answer.status_code, answer.json()["added"]) == (201, 3)
    assert [item["key"] for item in answer.json()["rejected"]] == ["x.json"]


def test_broken_annotations_that_come_alone_leave_nothing_to_take(api: APIClient, detection: Dataset) -> None:
    push(api, {})
    alone = {"annotations": sent("b.xml", b"<annotation>\n<object>"), "format": "voc"}
    answer = api.post("/datasets/roads", alone)
    assert (answer.status_code, answer.json()["code"]) == (400, "nothing_accepted")
    assert answer.json()["rejected"][0]["detail"].startswith("b.xml, line 2: ")


def test_a_job_says_the_same(api: APIClient, detection: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("catalog.intake.archives.AT_ONCE_MEMBERS", 1)
    documents, broken, _ = BROKEN["yolo"]
    job = push(api, documents).json()["job"]["id"]
    assert work_on(job)
    result = api.get(f"/jobs/{job}").json()["result"]
    assert ([item["key"] for item in result["rejected"]], result["labelled"]) == ([broken], 1)
    job = push(api, documents, strict="true").json()["job"]["id"]
    work_on(job)
    error = api.get(f"/jobs/{job}").json()["error"]
    assert error["code"] == "not_all_accepted"
    assert "b.txt, line 1: '9' is not a number" in error["detail"]
