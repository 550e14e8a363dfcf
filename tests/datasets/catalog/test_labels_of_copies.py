"""GET and POST /datasets/{id}/copies: labels for unlabelled samples whose bytes are labelled."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.versions.commit import commit

pytestmark = pytest.mark.both


@pytest.fixture
def copied(alice: User, dataset: Dataset, blob_of: Callable[[int], Blob]) -> Dataset:
    """Pool samples with the bytes of labelled ones: of one in train, of two that differ, of one in test, of one in val,
    and one of no labelled sample."""
    blobs = [blob_of(number) for number in range(6)]
    Blob.objects.bulk_create(blobs)

    def labelled(key: str, at: int, split: str, name: str) -> SampleChange:
        return SampleChange(key, blob=blobs[at], split=split, label={"class": name})

    samples = [
        labelled("train/a", 0, "train", "cat"),
        labelled("train/b", 1, "train", "cat"),
        labelled("train/c", 1, "train", "dog"),
        labelled("test/d", 2, "test", "dog"),
        labelled("val/e", 3, "val", "cat"),
        *(SampleChange(f"pool/{at}", blob=blobs[at], split="pool") for at in range(5)),
        SampleChange("pool/0 again", blob=blobs[0], split="pool"),
    ]
    commit(dataset, ChangeSet(samples), author=alice)
    return dataset


def take_over(api: APIClient, **body: Any) -> Any:
    return api.post("/datasets/digits/copies", body, format="json")


def state_of(api: APIClient) -> dict[str, tuple[str, Any]]:
    rows = api.get("/datasets/digits/versions/head/samples").json()["results"]
    return {row["key"]: (row["split"], row["label"]) for row in rows}


def test_the_offer_counts_copies_by_what_can_be_done(api: APIClient, copied: Dataset) -> None:
    document = api.get("/datasets/digits/copies").json()
    counts = {"conflicting": 1, "in_test": 1, "in_val": 1}
    assert (document["version"], document["samples"], document["ready"], document["left_out"]) == (1, 5, 2, counts)
    reasons = {row["key"]: (row["of"], row["reason"]) for row in document["results"]}
    assert reasons == {
        "pool/0": ("train/a", None), "pool/0 again": ("train/a", None), "pool/1": ("train/b", "conflicting"),
        "pool/2": ("test/d", "in_test"), "pool/3": ("val/e", "in_val"),
    }  # fmt: skip


def test_all_labels_are_taken_over_in_one_commit_and_none_that_must_not_be(api: APIClient, copied: Dataset) -> None:
    done = take_over(api, all=True)
    assert done.status_code == 201
    document = done.json()
    assert (document["version"], document["labelled"], document["updated"]) == (2, 2, 2)
    assert document["left_out"] == {"conflicting": 1, "in_test": 1, "in_val": 1}
    now = state_of(api)
    for key in ("pool/0", "pool/0 again"):
        assert now[key][0] == "train"
        assert now[key][1]["class"] == "cat"
    for at in range(1, 5):
        assert now[f"pool/{at}"] == ("pool", None)
    assert api.get("/datasets/digits/copies").json()["ready"] == 0
    again = take_over(api, all=True)
    assert (again.status_code, again.json()["code"]) == (400, "nothing_chosen")
    assert "different labels" in again.json()["errors"]["keys"][0]


@pytest.mark.parametrize(
    ("key", "words"),
    [("pool/1", "different labels"), ("pool/2", "in test"), ("pool/3", "in val"), ("pool/4", "no unlabelled sample")],
)
def test_a_named_copy_that_can_not_be_labelled_is_refused_with_the_reason(
    api: APIClient, copied: Dataset, key: str, words: str
) -> None:
    refused = take_over(api, keys=["pool/0", key])
    assert refused.status_code == 400
    assert words in refused.json()["errors"]["keys"][0]
    assert state_of(api)["pool/0"] == ("pool", None)


def test_a_version_that_is_not_the_head_is_refused(api: APIClient, copied: Dataset) -> None:
    assert take_over(api, all=True, parent=7).json()["code"] == "stale_parent"
    assert take_over(api, keys=["pool/0"], parent=1).status_code == 201


def test_an_annotator_may_not_take_over_labels(api_of: Callable[[User], APIClient], copied: Dataset, bob: User) -> None:
    assert take_over(api_of(bob), all=True).status_code in {403, 404}
