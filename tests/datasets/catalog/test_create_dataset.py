"""POST /datasets, GET /datasets, GET /datasets/{id}."""

import pytest
from rest_framework.test import APIClient

from catalog.models import Dataset

GOOD = {"name": "digits", "task": "classification", "classes": ["0", "1"]}


@pytest.mark.usefixtures("alice")
def test_a_new_dataset_is_empty_and_has_no_head(api: APIClient) -> None:
    answer = api.post("/datasets", GOOD, format="json")
    assert answer.status_code == 201
    assert answer.json()["head"] is None
    assert answer.json()["counts"] == {"samples": 0, "labelled": 0, "by_split": {}, "by_class": {}}


def test_id_and_name_find_the_same_dataset(api: APIClient, dataset: Dataset) -> None:
    assert api.get(f"/datasets/{dataset.pk}").json() == api.get("/datasets/digits").json()


@pytest.mark.usefixtures("dataset")
def test_a_taken_name_is_a_conflict(api: APIClient) -> None:
    answer = api.post("/datasets", GOOD, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Digits"), ("name", "../etc"), ("name", "12"), ("name", ""), ("name", "a/b"), ("name", "x" * 101),
        ("task", "keypoints"), ("classes", []), ("classes", ["a", "a"]), ("classes", [""]), ("classes", "ab"),
        ("classes", ["x" * 201]), ("classes", ["a\u0000b"]),
    ],
)  # fmt: skip
def test_a_bad_field_is_named(api: APIClient, field: str, value: object) -> None:
    answer = api.post("/datasets", GOOD | {field: value}, format="json")
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert next(iter(answer.json()["errors"])).startswith(field)
    assert not Dataset.objects.exists()


def test_the_class_that_cannot_be_is_named_among_the_others(api: APIClient) -> None:
    answer = api.post("/datasets", GOOD | {"classes": ["bolt", "n\tut"]}, format="json")
    assert answer.json()["errors"]["classes"] == ["number 2, 'n\\tut', must have 1 to 200 printable characters"]


@pytest.mark.parametrize("path", ["", "/versions", "/versions/head", "/versions/head/samples", "/samples/a"])
def test_an_unknown_dataset_is_a_404(api: APIClient, path: str) -> None:
    answer = api.get(f"/datasets/nothing{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "dataset_unknown")


@pytest.mark.usefixtures("alice")
def test_the_list_turns_pages_from_the_newest(api: APIClient) -> None:
    for number in range(3):
        api.post("/datasets", GOOD | {"name": f"d{number}"}, format="json")
    page = api.get("/datasets?limit=2").json()
    assert [row["name"] for row in page["results"]] == ["d2", "d1"]
    assert [row["name"] for row in api.get(page["next"]).json()["results"]] == ["d0"]


@pytest.mark.usefixtures("dataset")
def test_strangers_get_nothing() -> None:
    stranger = APIClient()
    for path in ("/datasets", "/datasets/digits", "/datasets/digits/versions", f"/blobs/{'0' * 32}", "/thumbs/x"):
        assert stranger.get(path).status_code == 401
    assert stranger.post("/datasets", GOOD, format="json").status_code == 401


def test_two_classes_that_look_the_same_are_refused(api: APIClient) -> None:
    pair = ["dog", "caf\u00e9", "cafe\u0301"]
    answer = api.post("/datasets", GOOD | {"classes": pair}, format="json")
    assert answer.status_code == 400
    assert answer.json()["errors"]["classes"][0].startswith("numbers 2 and 3 are 'cafe\u0301' in two Unicode forms")
    assert api.post("/datasets", GOOD | {"classes": pair[:2]}, format="json").status_code == 201


@pytest.mark.usefixtures("alice")
@pytest.mark.parametrize(
    ("name", "offered"), [("KITTI", "kitti"), ("Held-A", "held-a"), ("Bäume (2)", "baume-2"), ("-x_", "x")]
)
def test_a_name_that_cannot_be_is_refused_with_the_nearest_that_can(api: APIClient, name: str, offered: str) -> None:
    answer = api.post("/datasets", GOOD | {"name": name}, format="json")
    assert answer.json()["errors"]["name"][0].endswith(f": use {offered}")
    assert api.post("/datasets", GOOD | {"name": offered}, format="json").status_code == 201


@pytest.mark.usefixtures("alice")
def test_classes_are_in_composed_form_whatever_was_sent(api: APIClient) -> None:
    made = api.post("/datasets", GOOD | {"classes": ["Ba\u0308ume", "b"]}, format="json").json()
    assert made["classes"] == ["Bäume", "b"]
    schema = {
        "parent": 1,
        "classes": [{"name": "Ba\u0308ume", "guideline": "wood"}, {"name": "b"}, {"name": "e\u0301"}],
    }
    changed = api.put("/datasets/digits/schema", schema, format="json")
    assert [one["name"] for one in changed.json()["classes"]] == ["Bäume", "b", "é"], changed.json()
    assert changed.json()["classes"][0]["guideline"] == "wood"
