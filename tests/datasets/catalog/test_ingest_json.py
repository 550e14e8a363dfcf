"""POST /datasets/{id} with a JSON body."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import Post, data, jpeg, png, row_counts

from blobs.models import Blob
from blobs.store import BlobStore
from catalog.models import Dataset


def test_images_and_labels_become_a_version(post: Post, api: APIClient) -> None:
    answer = post(
        samples=[{"key": "a.png", "data": data(png(1)), "meta": {"camera": "front"}},
                 {"key": "b.jpg", "data": data(jpeg(2)), "split": "test", "label": {"class": "cat"}}],
        labels=[{"key": "a.png", "label": {"class": "dog"}}],
        message="first",
    )  # fmt: skip
    assert answer.status_code == 201
    assert answer.json() == {
        "version": 1, "parent": None, "added": 2, "updated": 0, "removed": 0, "labelled": 2, "unchanged": 0,
        "converted": 0, "corrected": 0, "likeness": None,
        "splits": [
            {"split": "train", "samples": 1, "reason": "default", "source": "", "why": "by default"},
            {"split": "test", "samples": 1, "reason": "request", "source": "", "why": "as asked"},
        ],
        "rejected": [], "recognised": None, "notes": [], "near_duplicates": [], "leaks": [],
        "incomplete": [], "passed_over": [], "held_out": None,
        "exact_duplicates": {"in_commit": 0, "in_dataset": 0, "pairs": []},
    }  # fmt: skip
    sample = api.get("/datasets/digits/samples/a.png").json()
    assert (sample["width"], sample["height"], sample["media_type"]) == (28, 28, "image/png")
    assert (sample["label"], sample["label_source"], sample["split"]) == ({"class": "dog"}, "import", "train")
    assert sample["meta"] == {"camera": "front"}


def test_bytes_that_are_known_are_not_stored_again(post: Post) -> None:
    post(samples=[{"key": "a", "data": data(png(1))}, {"key": "same", "data": data(png(1))}])
    stored = Blob.objects.get()
    post(samples=[{"key": "b", "data": data(png(1))}, {"key": "c", "data": data(png(2))}])
    assert Blob.objects.count() == 2
    assert Blob.objects.get(md5=stored.md5).key == stored.key


def test_small_images_share_a_pack_and_large_ones_lie_alone(post: Post, object_store: BlobStore) -> None:
    large = png(9, (1100, 1100))
    post(samples=[{"key": "a", "data": data(png(1))}, {"key": "b", "data": data(png(2))},
                  {"key": "c", "data": data(large)}])  # fmt: skip
    rows = {row.sample.key: row.blob for row in Dataset.objects.get().head.revisions.select_related("sample", "blob")}  # type: ignore[union-attr]  # it has a head
    assert rows["a"].key == rows["b"].key
    assert rows["a"].ref.packed
    assert not rows["c"].ref.packed
    assert object_store.get(rows["c"].ref) == large
    assert object_store.get(rows["b"].ref) == png(2)


def test_labels_and_removals_need_no_bytes(post: Post) -> None:
    post(samples=[{"key": "a", "data": data(png(1))}, {"key": "b", "data": data(png(2))}])
    answer = post(labels=[{"key": "a", "label": {"class": "3"}}], remove=["b"], parent=1).json()
    assert (answer["version"], answer["updated"], answer["removed"], answer["labelled"]) == (2, 1, 1, 1)


def test_the_rest_of_the_batch_is_taken(post: Post) -> None:
    answer = post(
        samples=[{"key": "good", "data": data(png(1))}, {"key": "text.png", "data": data(b"hello")},
                 {"key": "cut.jpg", "data": data(jpeg(1)[:300])}, {"key": "empty", "data": data(b"")[:0] or "===="},
                 {"key": "zebra", "data": data(png(2)), "label": {"class": "zebra"}},
                 {"key": "../up", "data": data(png(3))}, {"key": "umlaut", "data": "äöü"},
                 {"key": "  ", "data": data(png(4))}],
        labels=[{"key": "nobody", "label": {"class": "cat"}}],
    )  # fmt: skip
    assert answer.status_code == 201
    assert answer.json()["added"] == 1
    assert {item["key"]: item["code"] for item in answer.json()["rejected"]} == {
        "text.png": "not_an_image", "cut.jpg": "image_truncated", "empty": "data_malformed", "zebra": "unknown_class",
        "../up": "key_malformed", "nobody": "sample_unknown", "umlaut": "data_malformed",
        "  ": "key_malformed",
    }  # fmt: skip
    assert row_counts() == {"Blob": 1, "Dataset": 1, "Label": 0, "Revision": 1, "Sample": 1, "Version": 1}


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "empty_upload", "files"),
        ({"samples": []}, "empty_upload", "files"),
        ({"samples": "a"}, "invalid", "samples"),
        ({"samples": [{"data": "aa"}]}, "invalid", "samples.0.key"),
        ({"samples": [{"key": "a", "lable": {"class": "cat"}}]}, "invalid", "samples.0.lable"),
        ({"samples": [{"key": "a", "data": "", "split": "valley"}]}, "invalid", "samples.0"),
        ({"labels": [{"key": "a"}]}, "invalid", "labels.0.label"),
        ({"remove": [1.5, {}]}, "invalid", "remove"),
        ({"remove": ["a"], "parent": -1}, "invalid", "parent"),
        ({"remove": ["a"], "parent": 4}, "stale_parent", None),
        ({"remove": ["a"]}, "nothing_accepted", "a"),
        ({"labels": [{"key": "a", "label": {"class": "zebra"}}]}, "nothing_accepted", "a"),
    ],
)
def test_a_bad_body_is_refused_and_leaves_nothing(
    post: Post, body: dict[str, Any], code: str, field: str | None
) -> None:
    before = row_counts()
    answer = post(**body)
    assert answer.status_code == (409 if code == "stale_parent" else 400), answer.json()
    assert answer.json()["code"] == code
    assert field is None or any(name.startswith(field) for name in answer.json()["errors"]), answer.json()
    assert row_counts() == before


def test_when_nothing_is_accepted_the_answer_lists_why(post: Post) -> None:
    answer = post(samples=[{"key": "a", "data": data(png(1)), "label": {"class": "zebra"}}])
    assert answer.status_code == 400
    assert answer.json()["code"] == "nothing_accepted"
    assert answer.json()["rejected"][0]["code"] == "unknown_class"
    assert row_counts()["Blob"] == 0


@pytest.mark.usefixtures("dataset")
def test_a_body_of_another_kind_is_415(api: APIClient) -> None:
    assert api.post("/datasets/digits", "a,b", content_type="text/csv").status_code == 415
    assert api.post("/datasets/digits", "{", content_type="application/json").status_code == 400


@pytest.mark.usefixtures("dataset")
def test_a_chunked_body_is_411(api: APIClient) -> None:
    answer = api.post("/datasets/digits", {}, format="json", HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")
    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


@pytest.mark.usefixtures("object_store", "dataset")
def test_the_same_key_and_body_answer_the_first_response_again(api: APIClient) -> None:
    body = {"samples": [{"key": "a", "data": data(png(1))}]}
    first = api.post("/datasets/digits", body, format="json", HTTP_IDEMPOTENCY_KEY="k")
    again = api.post("/datasets/digits", body, format="json", HTTP_IDEMPOTENCY_KEY="k")
    other = api.post("/datasets/digits", body | {"message": "x"}, format="json", HTTP_IDEMPOTENCY_KEY="k")
    assert first.json() == again.json()
    assert first.json()["added"] == 1
    assert other.status_code == 422
    assert row_counts()["Version"] == 1
