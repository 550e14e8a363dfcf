"""Metadata in a commit merges into what is there, by whatever way it comes; a null removes a name."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import zip_of
from tests.datasets.conftest import change, changes, data, png, sent

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import SampleChange
from catalog.models import Dataset, Revision
from catalog.splits.groups import set_split_rule
from catalog.versions import diffs
from catalog.versions.commit import commit
from catalog.versions.datasets import find_dataset, find_version
from catalog.versions.forks import fork, merge

pytestmark = [pytest.mark.usefixtures("object_store"), pytest.mark.both]
BlobOf = Callable[[int], Blob]
BEFORE = {"drive": "d0", "camera": {"id": 1, "make": "x"}, "night": True}

VALUES = (
    st.none() | st.integers(-3, 3) | st.dictionaries(st.sampled_from("ab"), st.integers(0, 1) | st.none(), max_size=2)
)
METAS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault
@given(before=METAS, patch=METAS)
def test_a_patch_sets_what_it_names_removes_its_nulls_and_leaves_the_rest(
    before: dict[str, Any], patch: dict[str, Any]
) -> None:
    after = SampleChange("k", meta=patch).meta_on(before)
    for name in before.keys() | patch.keys():
        if name not in patch:
            assert after[name] == before[name]
        elif patch[name] is None:
            assert name not in after
        else:
            assert after[name] == patch[name]
    assert after.keys() <= before.keys() | patch.keys()
    assert SampleChange("k", meta=patch).meta_on(after) == after, "said twice is said once"
    assert SampleChange("k", meta=before, exact=True).meta_on(after) == before
    assert SampleChange("k", exact=True).meta_on(after) == {}
    assert SampleChange("k").meta_on(after) == after


def nested(levels: int) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for _ in range(levels - 1):
        meta = {"a": meta}
    return meta


@pytest.mark.parametrize(
    ("meta", "words"),
    [(nested(21), "more than 20 levels deep"), ({"a": "x" * 70_000}, "at most 65,536 are kept")],
    ids=["deep", "large"],
)
@pytest.mark.parametrize("way", ["json", "lines", "commit"])
def test_metadata_has_its_bounds_by_whatever_way_it_comes(
    api: APIClient, filled: Dataset, alice: User, way: str, meta: dict[str, Any], words: str
) -> None:
    row = {"key": "a.png", "meta": meta}
    if way == "commit":
        rejected = [commit(filled, changes(SampleChange("a.png", meta=meta)), author=alice).rejected[0].document()]
    elif way == "json":
        rejected = api.post("/datasets/digits", {"samples": [row]}, format="json").json()["rejected"]
    else:
        lines = {"samples": sent("s.jsonl", json.dumps(row).encode())}
        rejected = api.post("/datasets/digits", lines).json()["rejected"]
    assert [(one["key"], one["code"]) for one in rejected] == [("a.png", "meta_refused")]
    assert words in rejected[0]["detail"]
    assert metas(filled)["a.png"] == BEFORE
    good = {"samples": [{"key": "a.png", "meta": nested(20)}]}
    assert api.post("/datasets/digits", good, format="json").json()["rejected"] == []


def test_metadata_from_before_there_were_bounds_is_read_all_the_same(api: APIClient, filled: Dataset) -> None:
    deep = nested(254)
    Revision.objects.filter(sample__key="a.png").update(meta=deep)
    rows = {row["key"]: row for row in api.get("/datasets/digits/versions/1/samples").json()["results"]}
    assert rows["a.png"]["meta"] == deep
    listing: Any = api.get("/datasets/digits/versions/1/manifest")
    lines = [json.loads(line) for line in b"".join(listing.streaming_content).splitlines()]
    assert [line.get("meta") for line in lines] == [deep, {}, None]
    assert lines[-1] == {"samples": 2}


@pytest.fixture
def filled(dataset: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    commit(dataset, changes(change("a.png", blob_of(1), meta=BEFORE), change("b.png", blob_of(2))), author=alice)
    return dataset


def metas(dataset: Dataset) -> dict[str, Any]:
    """Metadata at the head by key."""
    return dict(find_version(find_dataset(dataset.name), "head").revisions.values_list("sample__key", "meta"))


@pytest.mark.django_db
def test_a_json_commit_changes_the_names_it_gives(api: APIClient, filled: Dataset) -> None:
    body: dict[str, Any] = {"samples": [{"key": "a.png", "meta": {"drive": "d1", "night": None, "new": None}}]}
    answer = api.post("/datasets/digits", body, format="json")
    assert (answer.status_code, answer.json()["updated"]) == (201, 1)
    assert metas(filled)["a.png"] == {"drive": "d1", "camera": BEFORE["camera"]}
    assert api.post("/datasets/digits", body, format="json").json()["unchanged"] == 1
    empty = {"samples": [{"key": "a.png", "meta": {}}]}
    assert api.post("/datasets/digits", empty, format="json").json()["unchanged"] == 1


@pytest.mark.django_db
def test_whoever_wants_it_replaced_says_so(api: APIClient, filled: Dataset) -> None:
    body = {"samples": [{"key": "a.png", "meta": {"drive": "d1", "x": None}}], "metadata": "replace"}
    assert api.post("/datasets/digits", body, format="json").json()["updated"] == 1
    assert metas(filled)["a.png"] == {"drive": "d1"}
    refused = api.post("/datasets/digits", body | {"metadata": "exact"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["metadata"])


@pytest.mark.django_db
@pytest.mark.parametrize("replace", ["merge", "replace"])
def test_archives_annotations_and_listings_do_the_same(api: APIClient, dataset: Dataset, replace: str) -> None:
    first = [{"key": "a.png", "data": data(png(1)), "meta": BEFORE}, {"key": "b.png", "data": data(png(2))}]
    assert api.post("/datasets/digits", {"samples": first}, format="json").json()["added"] == 2
    line = json.dumps({"key": "a.png", "meta": {"drive": "d1", "night": None}}).encode()
    for sending in (
        {"archive": sent("a.zip", zip_of({"a.png": png(1), "notes.jsonl": line}))},
        {"annotations": sent("notes.jsonl", line)},
        {"samples": sent("samples.jsonl", line)},
    ):
        reset = {"samples": [{"key": "a.png", "meta": BEFORE}], "metadata": "replace"}
        api.post("/datasets/digits", reset, format="json")
        answer = api.post("/datasets/digits", sending | {"metadata": replace})
        assert answer.json()["updated"] == 1, answer.json()
        rest = {"camera": BEFORE["camera"]} if replace == "merge" else {}
        assert metas(dataset)["a.png"] == {"drive": "d1"} | rest, list(sending)
    both = {"samples": sent("s.jsonl", json.dumps({"key": "a.png", "meta": {"speed": 3}}).encode()),
            "annotations": sent("notes.jsonl", line)}  # fmt: skip
    api.post("/datasets/digits", both)
    assert metas(dataset)["a.png"]["speed"] == 3
    assert metas(dataset)["a.png"]["drive"] == "d1", "what the line does not name, the annotations still say"


@pytest.mark.django_db
def test_a_merge_of_a_fork_takes_the_metadata_as_it_is_there(filled: Dataset, alice: User) -> None:
    forked = fork(find_version(filled, "head"), "mine", description="", author=alice)
    commit(forked, changes(change("a.png", meta={"night": None, "drive": "d1"})), author=alice)
    merge(filled, find_version(forked, "head"), prefer=None, message="", author=alice)
    assert metas(filled)["a.png"] == {"drive": "d1", "camera": BEFORE["camera"]} == metas(forked)["a.png"]


@pytest.mark.django_db
def test_a_sample_stays_with_its_group_when_other_metadata_comes(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    set_split_rule(dataset, {"group": "meta.drive", "fractions": {"train": 0.5, "test": 0.5}}, author=alice)
    rows = [
        change(f"{n}.png", blob_of(n), split="train" if n < 2 else "test", meta={"drive": f"d{n // 2}"})
        for n in range(4)
    ]
    commit(dataset, changes(*rows), author=alice)
    result = commit(dataset, changes(*(change(f"{n}.png", meta={"night": True}) for n in range(4))), author=alice)
    assert (result.updated, result.rejected) == (4, [])
    assert metas(dataset)["3.png"] == {"drive": "d1", "night": True}


@pytest.mark.django_db
def test_a_change_of_metadata_is_a_difference(filled: Dataset, alice: User) -> None:
    old = find_version(filled, "head")
    commit(filled, changes(change("a.png", meta={"night": None})), author=alice)
    assert diffs.summary(old, find_version(filled, "head")) == dict.fromkeys(diffs.KINDS, 0) | {"meta_changed": 1}
