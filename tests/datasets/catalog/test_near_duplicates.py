"""Near-duplicates of test samples are reported and kept out of train, whichever of the two comes first."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rest_framework.test import APIClient
from sklearn.datasets import load_sample_images
from tests.datasets.conftest import data, sent

from accounts.models import User
from blobs.models import Blob
from catalog import hash_pages
from catalog.changes import ChangeSet, SampleChange
from catalog.forks import fork
from catalog.models import Dataset, HashPage, NearDuplicate
from catalog.services import commit, find_dataset, find_version

PHOTO = Image.fromarray(load_sample_images().images[0])
TILES = [PHOTO.crop((x, y, x + 160, y + 120)) for x in (0, 160, 320) for y in (0, 120, 240)]
CAT = {"class": "cat"}
Post = Callable[..., Any]


def file(tile: int, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    TILES[tile].save(out, kind, **options)
    return out.getvalue()


def sample(key: str, tile: int, kind: str = "PNG", **given: Any) -> dict[str, Any]:
    quality = {"quality": 60} if kind == "JPEG" else {}
    return {"key": key, "data": data(file(tile, kind, **quality))} | given


def splits(dataset: Dataset) -> dict[str, str]:
    return dict(find_version(find_dataset(dataset.name), "head").revisions.values_list("sample__key", "split"))


@pytest.fixture
def tested(post: Post, dataset: Dataset) -> Dataset:
    """A dataset with three photographs in test."""
    post(samples=[sample(f"test/{tile}", tile, split="test", label=CAT) for tile in range(3)])
    dataset.refresh_from_db()
    return dataset


def test_a_near_duplicate_is_reported_and_kept_out_of_train(tested: Dataset, post: Post) -> None:
    answer = post(samples=[sample("new", 1, "JPEG", label=CAT), sample("other", 5, label=CAT)]).json()
    assert [(row["key"], row["of"], row["split"]) for row in answer["near_duplicates"]] == [("new", "test/1", "pool")]
    assert 0 <= answer["near_duplicates"][0]["distance"] <= 6
    assert (answer["added"], answer["labelled"], answer["leaks"]) == (2, 2, [])
    assert splits(tested) == {"test/0": "test", "test/1": "test", "test/2": "test", "new": "pool", "other": "train"}


def test_a_named_train_is_no_way_around_it(tested: Dataset, post: Post) -> None:
    post(samples=[sample("new", 1, "JPEG", split="train")])
    assert splits(tested)["new"] == "pool"
    again = post(samples=[{"key": "new", "split": "train"}]).json()
    assert (again["unchanged"], [row["of"] for row in again["near_duplicates"]]) == (1, ["test/1"])
    assert splits(tested)["new"] == "pool"


def test_a_later_label_does_not_take_it_to_train(tested: Dataset, post: Post) -> None:
    assert [row["key"] for row in post(samples=[sample("new", 1, "JPEG")]).json()["near_duplicates"]] == ["new"]
    answer = post(labels=[{"key": "new", "label": CAT}]).json()
    assert answer["labelled"] == 1
    assert [(row["key"], row["of"], row["split"]) for row in answer["near_duplicates"]] == [("new", "test/1", "pool")]
    assert splits(tested)["new"] == "pool"


def test_told_otherwise_it_goes_to_train(tested: Dataset, post: Post) -> None:
    answer = post(samples=[sample("new", 1, "JPEG", label=CAT)], near_duplicates="allow").json()
    assert [(row["key"], row["split"]) for row in answer["near_duplicates"]] == [("new", "train")]
    assert NearDuplicate.objects.get().allowed
    post(samples=[sample("kept", 2, "JPEG", label=CAT)])
    assert splits(tested)["kept"] == "pool"
    post(samples=[{"key": "kept", "split": "train"}], near_duplicates="allow")
    assert splits(tested)["kept"] == "train"
    assert not NearDuplicate.objects.filter(allowed=False).exists()


def test_the_form_of_an_upload_may_say_so_too(tested: Dataset, api: APIClient) -> None:
    for name, terms in (("a.jpg", {}), ("b.jpg", {"near_duplicates": "allow"})):
        body = {"files": [sent(name, file(0, "JPEG"))], "split": "train"} | terms
        assert api.post(f"/datasets/{tested.name}", body, format="multipart").status_code == 201
    assert (splits(tested)["a.jpg"], splits(tested)["b.jpg"]) == ("pool", "train")
    wrong = api.post(f"/datasets/{tested.name}", {"near_duplicates": "maybe"}, format="multipart")
    assert "near_duplicates" in wrong.json()["errors"]


def test_both_in_one_commit_are_told_apart(post: Post, dataset: Dataset) -> None:
    samples = [sample("a", 1, "JPEG", split="train"), sample("b", 1, split="test"), sample("c", 2, split="train")]
    answer = post(samples=samples).json()
    assert [(row["key"], row["of"]) for row in answer["near_duplicates"]] == [("a", "b")]
    assert splits(dataset) == {"a": "pool", "b": "test", "c": "train"}


def test_a_test_sample_that_resembles_what_is_trained_on_is_a_leak(post: Post, dataset: Dataset) -> None:
    post(samples=[sample("a", 1, split="train"), sample("b", 2, split="pool"), sample("c", 3, split="train")])
    answer = post(samples=[sample(f"t{tile}", tile, "JPEG", split="test") for tile in (1, 2)]).json()
    assert [(row["key"], row["of"], row["split"]) for row in answer["leaks"]] == [("a", "t1", "train")]
    assert splits(dataset)["a"] == "train"
    post(labels=[{"key": "b", "label": CAT}])
    assert splits(dataset)["b"] == "pool"


def test_a_pool_sample_that_is_sent_to_test_finds_its_like_in_train(post: Post, dataset: Dataset) -> None:
    post(samples=[sample("a", 1, split="train"), sample("b", 1, "JPEG", split="pool")])
    answer = post(samples=[{"key": "b", "split": "test"}]).json()
    assert [(row["key"], row["of"]) for row in answer["leaks"]] == [("a", "b")]


def test_another_image_under_the_same_key_is_free(tested: Dataset, post: Post) -> None:
    post(samples=[sample("new", 1, "JPEG")])
    answer = post(samples=[sample("new", 5, label=CAT)]).json()
    assert answer["near_duplicates"] == []
    assert splits(tested)["new"] == "train"
    assert not NearDuplicate.objects.exists()


def test_a_test_sample_that_left_keeps_nobody_out(tested: Dataset, post: Post) -> None:
    post(remove=["test/1"])
    assert post(samples=[sample("new", 1, "JPEG", label=CAT)]).json()["near_duplicates"] == []
    assert splits(tested)["new"] == "train"


def test_a_fork_knows_the_tests_of_its_origin(tested: Dataset, api: APIClient, alice: User) -> None:
    forked = fork(find_version(tested, "head"), "forked", description="", author=alice)
    answer = api.post("/datasets/forked", {"samples": [sample("new", 1, "JPEG", label=CAT)]}, format="json").json()
    assert [row["of"] for row in answer["near_duplicates"]] == ["test/1"]
    assert splits(forked)["new"] == "pool"


def test_what_is_known_can_be_listed(tested: Dataset, post: Post, api: APIClient) -> None:
    post(samples=[sample("a", 0, "JPEG"), sample("b", 1, "JPEG", split="train")], near_duplicates="allow")
    post(samples=[sample("c", 2, "JPEG")])
    rows = api.get(f"/datasets/{tested.name}/near-duplicates").json()["results"]
    assert [(row["key"], row["of"], row["split"], row["allowed"], row["found_by"]) for row in rows] == [
        ("c", "test/2", "pool", False, "pixels"), ("b", "test/1", "train", True, "pixels"),
        ("a", "test/0", "pool", True, "pixels"),
    ]  # fmt: skip
    assert rows[0]["since"] == 3


def test_many_small_commits_leave_few_pages(
    dataset: Dataset, alice: User, blob_of: Callable[[int], Blob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hash_pages, "SMALL_PAGES", 4)
    rng = np.random.default_rng(0)
    ids, values = [], []
    for number in range(23):
        blob = blob_of(number)
        blob.phash, blob.sketch = int(rng.integers(-(2**63), 2**63)), rng.integers(0, 256, 256, np.uint8).tobytes()
        result = commit(dataset, ChangeSet([SampleChange(str(number), blob=blob)]), author=alice)
        values.append(blob.phash)
        assert result.version is not None
        ids.append(result.version.revisions.get(sample__key=str(number)).sample_id)
    assert HashPage.objects.count() <= 5
    found = hash_pages.read_pages(find_version(dataset, "head"), test=False)
    assert dict(zip(*(column.astype(np.int64).tolist() for column in found), strict=True)) == dict(
        zip(ids, values, strict=True)
    )
