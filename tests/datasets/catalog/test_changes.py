"""Tags, aliases, diffs, forks and merges over the API."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import NO_MODEL, change

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]


@pytest.fixture
def grown(dataset: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    """Three versions of the dataset `animals`."""
    first = [change("a", blob_of(1), label={"class": "cat"}), change("b", blob_of(2)), change("c", blob_of(3))]
    commit(dataset, ChangeSet(first), author=alice)
    second = [change("a", label={"class": "dog"}), change("b", blob_of(4), split="val"), change("d", blob_of(5))]
    commit(dataset, ChangeSet(second, ["c"]), author=alice)
    commit(dataset, ChangeSet([change("b", meta={"time": "night"})]), author=alice)
    return dataset


@pytest.fixture
def boxes(alice: User, blob_of: BlobOf) -> Dataset:
    """A detection dataset whose boxes move."""
    made = create_dataset("streets", task="detection", classes=["car", "dog"], description="", author=alice)
    car, dog = {"class": "car", "box": [0, 0, 5, 5]}, {"class": "dog", "box": [1, 1, 9, 9]}
    commit(
        made, ChangeSet([change("1", blob_of(1), label={"boxes": [car, dog]}), change("2", blob_of(2))]), author=alice
    )
    moved = {"class": "car", "box": [0, 0, 6, 5]}
    commit(
        made, ChangeSet([change("1", label={"boxes": [moved, dog]}), change("2", label={"boxes": [dog]})]), author=alice
    )
    return made


def keys(answer: Any) -> list[str]:
    return [row["key"] for row in answer.json()["results"]]


def test_a_tag_stays_with_its_version(api: APIClient, grown: Dataset) -> None:
    address = f"/datasets/{grown.name}/tags"
    told = api.post(address, {"name": "gold", "version": "v1"}, format="json")
    assert (told.status_code, told.json()["version"], told.json()["by"]) == (201, 1, "alice")
    assert api.post(address, {"name": "gold", "version": "1"}, format="json").status_code == 201
    again = api.post(address, {"name": "gold", "version": "2"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    assert api.get(f"/datasets/{grown.name}/versions/gold").json()["version"] == 1
    assert api.get(f"/datasets/{grown.name}/versions/gold").json()["names"] == ["gold"]
    assert [row["name"] for row in api.get(address).json()["results"]] == ["gold"]
    assert api.delete(f"{address}/gold").status_code == 204
    assert api.get(f"/datasets/{grown.name}/versions/gold").json()["code"] == "version_unknown"


def test_a_name_that_could_mean_a_version_is_refused(api: APIClient, grown: Dataset, subtests: pytest.Subtests) -> None:
    for name in ["head", "v3", "17", "Gold", "a/b", ""]:
        with subtests.test(name=name):
            told = api.post(f"/datasets/{grown.name}/tags", {"name": name, "version": "1"}, format="json")
            assert told.status_code == 400
            assert "name" in told.json()["errors"]


def test_an_alias_that_can_be_no_branch_of_its_own_is_refused(
    api: APIClient, grown: Dataset, subtests: pytest.Subtests
) -> None:
    for alias in ["main", "x.lock", "a..b"]:
        with subtests.test(alias=alias):
            told = api.post(f"/datasets/{grown.name}/aliases", {"alias": alias, "version": "1"}, format="json")
            assert (told.status_code, list(told.json()["errors"])) == (400, ["alias"])


def test_an_alias_moves_and_a_protected_one_only_by_an_owner(
    api: APIClient, evas_api: APIClient, grown: Dataset
) -> None:
    address = f"/datasets/{grown.name}/aliases"
    assert evas_api.post(address, {"alias": "live", "version": "1"}, format="json").json()["version"] == 1
    assert evas_api.post(address, {"alias": "live", "version": "2"}, format="json").json()["version"] == 2
    assert api.post(address, {"alias": "live", "version": "3", "protected": True}, format="json").status_code == 200
    refused = evas_api.post(address, {"alias": "live", "version": "1"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "alias_protected")
    assert evas_api.delete(f"{address}/live").status_code == 403
    assert api.get(f"/datasets/{grown.name}/versions/live").json()["version"] == 3


def test_a_diff_counts_and_pages_each_kind(api: APIClient, grown: Dataset) -> None:
    told = api.get(f"/datasets/{grown.name}/diff?from=1&to=3").json()
    assert (told["from"], told["to"]) == (1, 3)
    assert told["counts"] == {
        "added": 1, "removed": 1, "changed": 1, "relabelled": 1, "boxes_moved": 0, "attributes_changed": 0,
        "split_moved": 1, "meta_changed": 1,
    }  # fmt: skip
    assert told["by_class"] == {"cat": -1, "dog": 1}
    assert told["by_split"] == {"pool": -1, "val": 1}
    expected = {"added": ["d"], "removed": ["c"], "changed": ["b"], "relabelled": ["a"], "split_moved": ["b"]}
    assert {kind: keys(api.get(told[kind])) for kind in expected} == expected
    moved = api.get(told["relabelled"]).json()["results"][0]
    assert (moved["before"]["label"], moved["after"]["label"]) == ({"class": "cat"}, {"class": "dog"})
    assert api.get(told["removed"]).json()["results"][0]["after"] is None


def test_a_diff_without_ends_is_that_of_the_head_with_its_parent(api: APIClient, grown: Dataset) -> None:
    told = api.get(f"/datasets/{grown.name}/diff").json()
    assert (told["from"], told["to"], told["counts"]["meta_changed"]) == (2, 3, 1)
    first = api.get(f"/datasets/{grown.name}/diff?to=1")
    assert (first.status_code, "from" in first.json()["errors"]) == (400, True)
    assert api.get(f"/datasets/{grown.name}/diff/nothing").json()["code"] == "kind_unknown"


def test_pages_of_a_diff_follow_each_other(api: APIClient, dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, ChangeSet([change("x", blob_of(1))]), author=alice)
    commit(dataset, ChangeSet([change(f"k{n}", blob_of(2)) for n in range(7)]), author=alice)
    found: list[list[str]] = []
    address = f"/datasets/{dataset.name}/diff/added?limit=3"
    while address:
        page = api.get(address)
        found.append(keys(page))
        address = page.json()["next"]
    assert [len(page) for page in found] == [3, 3, 1]
    assert [key for page in found for key in page] == [f"k{n}" for n in range(7)]


def test_boxes_that_move_are_told_from_other_boxes(api: APIClient, boxes: Dataset) -> None:
    counts = api.get(f"/datasets/{boxes.name}/diff").json()["counts"]
    assert (counts["boxes_moved"], counts["relabelled"], counts["split_moved"]) == (1, 1, 1)


def test_a_detection_dataset_is_filtered_by_the_classes_its_boxes_name(api: APIClient, boxes: Dataset) -> None:
    address = f"/datasets/{boxes.name}/versions/head"
    assert keys(api.get(f"{address}/samples?label=car")) == ["1"]
    assert keys(api.get(f"{address}/samples?label=dog")) == ["1", "2"]
    assert api.get(f"{address}/facets").json()["label"] == {"car": 1, "dog": 2}
    assert api.get(f"{address}/facets?label=car").json() == {
        "total": 1, "split": {"train": 1}, "label": {"car": 1, "dog": 2}, "labelled": {"true": 1, "false": 0},
        **NO_MODEL,
    }  # fmt: skip


@pytest.mark.usefixtures("object_store")
def test_a_fork_goes_its_own_way_and_comes_back(api: APIClient, grown: Dataset, alice: User, blob_of: BlobOf) -> None:
    told = api.post(f"/datasets/{grown.name}/forks", {"name": "night", "version": "2"}, format="json")
    assert told.status_code == 201
    assert told.json()["origin"] == {"dataset": grown.name, "version": 2}
    assert told.json()["counts"]["samples"] == 3
    label = {"labels": [{"key": "b", "label": {"class": "cat"}}], "remove": ["d"]}
    assert api.post("/datasets/night", label, format="json").json()["removed"] == 1
    assert keys(api.get("/datasets/night/versions/head/samples")) == ["a", "b"]
    assert keys(api.get(f"/datasets/{grown.name}/versions/head/samples")) == ["a", "b", "d"]
    between = api.get(f"/datasets/night/diff?from=3&from_dataset={grown.name}").json()["counts"]
    assert (between["removed"], between["relabelled"], between["meta_changed"]) == (1, 1, 1)
    merged = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json")
    assert merged.status_code == 409
    assert (merged.json()["code"], list(merged.json()["errors"])) == ("merge_conflict", ["b"])
    merged = api.post(f"/datasets/{grown.name}/merges", {"from": "night", "prefer": "ours"}, format="json").json()
    assert (merged["version"], merged["removed"], merged["updated"]) == (4, 1, 0)
    version = api.get(f"/datasets/{grown.name}/versions/4").json()
    assert version["merged"] == {"dataset": "night", "version": 2}


@pytest.mark.usefixtures("object_store")
def test_a_lineage_of_a_fork_begins_in_its_origin(api: APIClient, grown: Dataset) -> None:
    api.post(f"/datasets/{grown.name}/forks", {"name": "night"}, format="json")
    api.post("/datasets/night", {"labels": [{"key": "b", "label": {"class": "cat"}}]}, format="json")
    told = api.get("/datasets/night/samples/b/lineage").json()["revisions"]
    assert [(row["dataset"], row["since"]) for row in told] == [
        (grown.name, 1), (grown.name, 2), (grown.name, 3), ("night", 2),
    ]  # fmt: skip
    assert api.get(f"/datasets/{grown.name}/samples/b").json()["label"] is None


@pytest.mark.usefixtures("object_store")
def test_what_a_merge_has_settled_is_no_conflict_in_the_next_one(api: APIClient, grown: Dataset) -> None:
    api.post(f"/datasets/{grown.name}/forks", {"name": "night"}, format="json")
    for name, seen in (("night", 1), (grown.name, 2)):
        api.post(f"/datasets/{name}", {"samples": [{"key": "a", "meta": {"seen": seen}}]}, format="json")
    head = api.get(f"/datasets/{grown.name}").json()["head"]
    settled = api.post(f"/datasets/{grown.name}/merges", {"from": "night", "prefer": "ours"}, format="json").json()
    assert (settled["version"], settled["updated"]) == (head + 1, 0)
    version = api.get(f"/datasets/{grown.name}/versions/{head + 1}").json()
    assert version["merged"] == {"dataset": "night", "version": 2}
    again = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json")
    assert (again.status_code, again.json()["version"]) == (201, head + 1)

    api.post("/datasets/night", {"samples": [{"key": "b", "meta": {"seen": 3}}]}, format="json")
    merged = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json").json()
    assert (merged["version"], merged["updated"]) == (head + 2, 1), merged
    assert api.get(f"/datasets/{grown.name}/samples/a").json()["meta"]["seen"] == 2


@pytest.mark.usefixtures("object_store")
def test_what_both_sides_changed_alike_is_no_conflict_when_one_of_them_changes_it_again(
    api: APIClient, grown: Dataset
) -> None:
    api.post(f"/datasets/{grown.name}/forks", {"name": "night"}, format="json")
    for name in ("night", grown.name):
        api.post(f"/datasets/{name}", {"samples": [{"key": "a", "meta": {"seen": 1}}]}, format="json")
    head = api.get(f"/datasets/{grown.name}").json()["head"]
    merged = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json").json()
    assert (merged["updated"], merged["version"]) == (0, head + 1)
    api.post(f"/datasets/{grown.name}", {"samples": [{"key": "a", "meta": {"seen": 2}}]}, format="json")
    again = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json")
    assert again.status_code == 201, again.json()
    assert api.get(f"/datasets/{grown.name}/samples/a").json()["meta"]["seen"] == 2


@pytest.mark.usefixtures("object_store")
def test_a_merge_counts_labels_that_it_changes_alone(api: APIClient, grown: Dataset) -> None:
    label = {"labels": [{"key": "b", "label": {"class": "cat"}}]}
    api.post(f"/datasets/{grown.name}", label, format="json")
    api.post(f"/datasets/{grown.name}/forks", {"name": "night"}, format="json")
    api.post("/datasets/night", {"samples": [{"key": "b", "meta": {"seen": 1}}]}, format="json")
    merged = api.post(f"/datasets/{grown.name}/merges", {"from": "night"}, format="json").json()
    assert (merged["updated"], merged["labelled"]) == (1, 0)


def test_strangers_are_not_compared_nor_merged(api: APIClient, grown: Dataset, boxes: Dataset) -> None:
    diff = api.get(f"/datasets/{grown.name}/diff?from=1&from_dataset={boxes.name}")
    merge = api.post(f"/datasets/{grown.name}/merges", {"from": boxes.name}, format="json")
    for told in (diff, merge):
        assert (told.status_code, told.json()["code"]) == (400, "unrelated_versions")
    itself = api.post(f"/datasets/{grown.name}/merges", {"from": grown.name}, format="json")
    assert "from" in itself.json()["errors"]
