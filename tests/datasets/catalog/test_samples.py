"""GET versions, samples, facets, one sample and its lineage."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import NO_MODEL, change, changes

from accounts.models import User
from blobs.models import Blob
from catalog.models import Dataset
from catalog.versions.commit import commit

BlobOf = Callable[[int], Blob]
HEAD = "/datasets/digits/versions/head"
pytestmark = [pytest.mark.usefixtures("filled"), pytest.mark.both]


@pytest.fixture
def filled(dataset: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    """Ten samples: 0-1 cat in train, 2 dog in test, 3-9 in the pool; version 2 removes 9 and relabels 1."""
    labels = {0: "cat", 1: "cat", 2: "dog"}
    rows = [
        change(f"img/{n}.png", blob_of(n + 1), label={"class": labels[n]} if n in labels else None,
               split="test" if n == 2 else None)
        for n in range(10)
    ]  # fmt: skip
    commit(dataset, changes(*rows, message="first"), author=alice)
    again = change("img/1.png", label={"class": "dog"}, source="human", seconds=1.5, author_id=alice.pk)
    commit(dataset, changes(again, remove=["img/9.png"], message="second"), author=alice)
    return dataset


def keys(answer: Any) -> list[str]:
    return [row["key"].removeprefix("img/").removesuffix(".png") for row in answer.json()["results"]]


def test_a_window_has_the_total_and_a_stable_order(api: APIClient) -> None:
    answer = api.get(f"{HEAD}/samples?offset=3&limit=4")
    assert keys(answer) == ["3", "4", "5", "6"]
    assert (answer.json()["total"], answer.json()["offset"]) == (9, 3)
    ids = [row["id"] for row in answer.json()["results"]]
    assert ids == sorted(ids)


def test_next_walks_through_all_of_the_version_it_began_with(
    api: APIClient, filled: Dataset, alice: User, blob_of: BlobOf
) -> None:
    page = api.get(f"{HEAD}/samples?limit=4")
    found = keys(page)
    commit(filled, changes(change("img/late.png", blob_of(99)), remove=["img/5.png"]), author=alice)
    while page.json()["next"]:
        page = api.get(page.json()["next"])
        found += keys(page)
    assert found == [str(n) for n in range(9)]


def test_a_selection_of_ids_is_resolved_to_those_that_are_in_the_version(api: APIClient) -> None:
    ids = [row["id"] for row in api.get("/datasets/digits/versions/1/samples").json()["results"]]
    chosen = f"{ids[9]},{ids[4]},{ids[1]},999999"
    answer = api.get(f"{HEAD}/samples?ids={chosen}")
    assert (keys(answer), answer.json()["total"]) == (["1", "4"], 2)  # version 2 has no 9
    assert keys(api.get(f"/datasets/digits/versions/1/samples?ids={chosen}")) == ["1", "4", "9"]
    assert keys(api.get(f"{HEAD}/samples?ids={chosen}&label=dog")) == ["1"]
    assert api.get(f"{HEAD}/facets?ids={chosen}").json()["split"] == {"train": 1, "pool": 1}
    page = api.get(f"{HEAD}/samples?ids={chosen}&limit=1").json()
    assert keys(api.get(page["next"])) == ["4"]
    assert keys(api.get(f"{HEAD}/samples?ids=")) == []
    for wrong in ("x", "1,-2", ",".join(["1"] * 1001), "9" * 30):
        assert list(api.get(f"{HEAD}/samples?ids={wrong}").json()["errors"]) == ["ids"]


def test_a_cursor_of_another_list_is_refused(api: APIClient) -> None:
    following = api.get(f"{HEAD}/samples?limit=4").json()["next"]
    cursor = following.partition("cursor=")[2]
    assert api.get(f"/datasets/digits/versions/1/samples?cursor={cursor}").status_code == 400
    assert api.get(f"{following}&offset=3").status_code == 400


def test_filters(api: APIClient, subtests: pytest.Subtests) -> None:
    for query, expected in [
        ("split=train", "01"), ("split=test", "2"), ("split=val", ""), ("label=dog", "12"), ("labelled=true", "012"),
        ("labelled=false", "345678"), ("q=/4", "4"), ("q=IMG/4", "4"), ("split=train&label=cat", "0"),
        ("q=", "012345678"),
    ]:  # fmt: skip
        with subtests.test(query=query, expected=expected):
            answer = api.get(f"{HEAD}/samples?{query}")
            assert "".join(keys(answer)) == expected
            assert answer.json()["total"] == len(expected)
            assert api.get(f"{HEAD}/facets?{query}").json()["total"] == len(expected)


def test_a_bad_query_is_named(api: APIClient, subtests: pytest.Subtests) -> None:
    for query in ["split=x", "label=zebra", "labelled=maybe", "q=%00", "limit=0", "limit=501", "offset=-1", "cursor=x"]:
        with subtests.test(query=query):
            answer = api.get(f"{HEAD}/samples?{query}")
            assert answer.status_code == 400
            assert list(answer.json()["errors"]) == [query.partition("=")[0]]


def test_parameters_that_are_no_filters_reach_no_query(api: APIClient) -> None:
    for query in ("dataset__created_by__password__startswith=a", "_connector=OR", "_negated=1"):
        answer = api.get(f"{HEAD}/samples?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")


def test_facets_count_what_passes(api: APIClient) -> None:
    assert api.get(f"{HEAD}/facets").json() == {
        "total": 9, "split": {"train": 2, "test": 1, "pool": 6}, "label": {"cat": 1, "dog": 2},
        "labelled": {"true": 3, "false": 6}, **NO_MODEL,
    }  # fmt: skip
    assert api.get(f"{HEAD}/facets?split=train").json()["label"] == {"cat": 1, "dog": 1}


def test_an_old_version_stays_as_it_was(api: APIClient) -> None:
    assert api.get("/datasets/digits/versions/v1/samples?label=cat").json()["total"] == 2
    assert api.get("/datasets/digits/samples/img/9.png?version=1").json()["split"] == "pool"
    assert api.get("/datasets/digits/samples/img/9.png").status_code == 404


def test_versions_come_newest_first(api: APIClient) -> None:
    page = api.get("/datasets/digits/versions?limit=1").json()
    assert (page["results"][0]["version"], page["results"][0]["parent"], page["results"][0]["removed"]) == (2, 1, 1)
    assert api.get(page["next"]).json()["results"][0]["counts"]["samples"] == 10
    assert api.get("/datasets/digits/versions/7").json()["code"] == "version_unknown"
    assert api.get("/datasets/digits/versions/head").json()["version"] == 2


def test_a_sample_shows_where_its_bytes_are(api: APIClient) -> None:
    sample = api.get("/datasets/digits/samples/img/1.png").json()
    assert sample["url"] == f"/blobs/{sample['digest']}"
    assert sample["thumb"] == f"/thumbs/{sample['digest']}"
    assert (sample["label_source"], sample["version"]) == ("human", 2)


def test_lineage_tells_every_change_and_every_label(api: APIClient) -> None:
    lineage = api.get("/datasets/digits/samples/img/1.png/lineage").json()
    assert [(row["since"], row["until"], row["message"]) for row in lineage["revisions"]] == [
        (1, 2, "first"), (2, None, "second"),
    ]  # fmt: skip
    assert [(row["value"]["class"], row["source"], row["author"], row["seconds"]) for row in lineage["labels"]] == [
        ("cat", "import", None, None), ("dog", "human", "alice", 1.5),
    ]  # fmt: skip
    removed = api.get("/datasets/digits/samples/img/9.png/lineage").json()
    assert [(row["since"], row["until"]) for row in removed["revisions"]] == [(1, 2)]
    assert api.get("/datasets/digits/samples/nobody/lineage").json()["code"] == "sample_unknown"
