"""The answer of a commit counts all that it did not take; an empty list says that it took everything."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import multipart, png

from catalog.models import Dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("object_store")]


def coco(*names: str, **annotation: Any) -> bytes:
    images = [{"id": number, "file_name": name} for number, name in enumerate(names)]
    box = {"category_id": 1, "bbox": [1, 1, 5, 5]} | annotation
    rows = [{"id": number, "image_id": number} | box for number in range(len(names))]
    return json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "car"}]}).encode()


def push(api: APIClient, *files: tuple[str, bytes]) -> Any:
    return api.post("/datasets/roads", **multipart([("files", name, data) for name, data in files])).json()


def test_nothing_is_passed_over_where_all_is_taken(api: APIClient, detection: Dataset) -> None:
    answer = push(api, ("a.png", png(1)), ("a.json", coco("a.png")))
    assert (answer["labelled"], answer["passed_over"], answer["notes"]) == (1, [], [])


def test_what_is_only_written_in_another_way_is_a_note_and_no_loss(api: APIClient, detection: Dataset) -> None:
    answer = push(api, ("a.png", png(1)), ("a.json", coco("a.png", bbox=[1, 1, 500, 5])))
    assert (answer["labelled"], answer["passed_over"]) == (1, [])
    assert "were cut to it (1; the first: a.png)" in answer["notes"][0]


def test_each_kind_of_loss_has_a_code_a_number_and_its_first_place(api: APIClient, detection: Dataset) -> None:
    files = [("a.png", png(1)), ("b.png", b"no image"), ("film.mp4", b"\0\0\0\x18ftypmp42"), (".hidden.png", png(2))]
    answer = push(api, *files, ("captions_a.json", coco("a.png", "gone.png")), ("c.csv", b"a,b\n1,2"))
    assert [(row["code"], row["count"], row["first"]) for row in answer["passed_over"]] == [
        ("item_refused", 3, "b.png"),
        ("file_left_out", 1, "captions_a.json"),
    ]
    flat = coco("d.png", "gone.png", "gone2.png", licence="x", bbox=[1, 1, 0, 5])
    answer = push(api, ("d.png", png(3)), ("d.json", flat))
    assert [(row["code"], row["count"], row["first"]) for row in answer["passed_over"]] == [
        ("object_unheld", 1, "d.png"),
        ("field_left_out", 1, "d.png"),
        ("image_missing", 2, "gone.png"),
    ]
    answer = push(api, ("e.png", png(4)), ("e.json", coco("e.png", caption="beside a box")))
    assert (answer["labelled"], [row["code"] for row in answer["passed_over"]]) == (1, ["field_left_out"])
    assert all(row["what"] for row in answer["passed_over"])
