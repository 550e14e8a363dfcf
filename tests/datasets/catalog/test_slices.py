"""Slices: saved filters that say the same in SQL, on both databases, as in plain Python."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import NO_MODEL, change, changes
from tests.laws import examples

from accounts.models import User
from blobs.models import Blob
from catalog.curation.slices import change_slice, create_slice, find_slice, members, remove_slice
from catalog.filtering.filters import Filter
from catalog.models import Dataset, Slice
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version
from core.errors import Conflict, Invalid, NotAllowed, NotFound

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]
CAT, DOG = {"class": "cat"}, {"class": "dog"}
NIGHT = {"meta": {"time": "night", "speed": {">": 30}}}

NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, -1.5, 2.0, 1e15])
TEXTS = st.sampled_from(["", "a", "b", "ä", "a b", "10", "true", "Z", "\U0001f4f7", "a'b", 'a"b', "a%"])
VALUES = st.none() | st.booleans() | NUMBERS | TEXTS
METAS = st.dictionaries(
    st.sampled_from(["x", "y", "0"]),
    VALUES | st.lists(VALUES, max_size=2) | st.dictionaries(st.just("z"), VALUES),
    max_size=3,
)
SCALARS = st.booleans() | NUMBERS | TEXTS
CONDITIONS = (
    SCALARS
    | st.dictionaries(st.sampled_from(["=", "!="]), SCALARS, min_size=1)
    | st.dictionaries(st.sampled_from(["<", "<=", ">", ">="]), NUMBERS | TEXTS, min_size=1)
    | st.fixed_dictionaries({"in": st.lists(SCALARS, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"exists": st.booleans()})
)
NAMES = st.sampled_from(["x", "y", "0", "x.z", "x.0", "y.z.z"])


def keys(document: Any, dataset: Dataset) -> set[str]:
    version = find_version(dataset, "head")
    return set(Filter.of(document, dataset).apply(version.revisions).values_list("sample__key", flat=True))


def kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else "other"


def fulfils(meta: Any, name: str, condition: Any) -> bool:
    value = meta
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    for operator, operand in (condition if isinstance(condition, dict) else {"=": condition}).items():
        if operator == "exists":
            true = (value is not None) is operand
        elif operator == "in":
            true = any(kind(value) == kind(item) and value == item for item in operand)
        else:
            true = kind(value) == kind(operand) and compare[operator](value, operand)
        if not true:
            return False
    return True


@settings(max_examples=examples(60))
@given(st.lists(METAS, min_size=1, max_size=6), st.dictionaries(NAMES, CONDITIONS, min_size=1, max_size=2))
def test_the_database_finds_what_plain_python_finds(
    alice: User, blob_of: BlobOf, metas: list[Any], conditions: dict[str, Any]
) -> None:
    terms: dict[str, Any] = {"task": "classification", "classes": ["cat"], "description": ""}
    dataset = create_dataset(f"d{Dataset.objects.count()}", author=alice, **terms)
    rows = [change(str(number), blob_of(number), meta=meta) for number, meta in enumerate(metas)]
    commit(dataset, changes(*rows), author=alice)
    expected = {
        str(number) for number, meta in enumerate(metas)
        if all(fulfils(meta, name, condition) for name, condition in conditions.items())
    }  # fmt: skip
    assert keys({"meta": conditions}, dataset) == expected


@pytest.fixture
def drives(dataset: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    """Six samples with and without labels, by night and day."""
    commit(
        dataset,
        changes(
            change("n/1", blob_of(1), label=CAT, meta={"time": "night", "speed": 50}),
            change("n/2", blob_of(2), meta={"time": "night", "speed": 20}),
            change("n/3", blob_of(3), label=DOG, split="test", meta={"time": "night", "speed": 31}),
            change("d/4", blob_of(4), label=DOG, meta={"time": "day", "speed": 50}),
            change("d/5", blob_of(5), label=CAT, split="val", meta={"time": "day"}),
            change("d/6", blob_of(6)),
        ),
        author=alice,
    )
    return dataset


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (NIGHT, {"n/1", "n/3"}),
        ({"split": "pool"}, {"n/2", "d/6"}),
        ({"split": ["test", "val"]}, {"n/3", "d/5"}),
        ({"class": "cat"}, {"n/1", "d/5"}),
        ({"class": ["cat", "dog"], "meta": {"speed": {">=": 50}}}, {"n/1", "d/4"}),
        ({"labelled": False}, {"n/2", "d/6"}),
        ({"q": "N/"}, {"n/1", "n/2", "n/3"}),
        ({"meta": {"speed": {">": 20, "<": 50}}}, {"n/3"}),
        ({"meta": {"speed": {"exists": False}}}, {"d/5", "d/6"}),
        ({"meta": {"time": {"!=": "night"}}}, {"d/4", "d/5"}),
        ({"meta": {"speed": {"in": [20, "20", 31]}}}, {"n/2", "n/3"}),
        ({"meta": {"speed": {">": "3"}}}, set()),
    ],
)
def test_conditions(drives: Dataset, document: Any, expected: set[str]) -> None:
    assert keys(document, drives) == expected


def test_chosen_samples_are_found_by_their_ids_as_many_as_there_are(drives: Dataset) -> None:
    ids = dict(drives.samples.values_list("key", "pk"))
    wanted = [ids["n/1"], ids["d/6"], *range(10**6, 10**6 + 19_000)]
    assert keys({"samples": wanted}, drives) == {"n/1", "d/6"}
    assert keys({"samples": wanted, "labelled": True}, drives) == {"n/1"}


def test_boxes_are_found_by_any_class_they_name(detection: Dataset, alice: User, blob_of: BlobOf) -> None:
    car = {"boxes": [{"class": "car", "box": [1, 1, 5, 5]}]}
    commit(
        detection,
        changes(change("a", blob_of(1), label=car), change("b", blob_of(2), label={"boxes": []})),
        author=alice,
    )
    assert keys({"class": "car"}, detection) == {"a"}


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (None, "filter"), ([], "filter"), ({}, "filter"), ({"colour": "red"}, "filter.colour"),
        ({"split": "all"}, "filter.split"), ({"split": []}, "filter.split"), ({"split": 3}, "filter.split"),
        ({"class": "cow"}, "filter.class"), ({"class": [3]}, "filter.class"), ({"labelled": "yes"}, "filter.labelled"),
        ({"q": ""}, "filter.q"), ({"q": "a\0"}, "filter.q"), ({"meta": {}}, "filter.meta"),
        ({"meta": 3}, "filter.meta"),
        ({"meta": {"a\"b": 1}}, "filter.meta.a\"b"), ({"meta": {"": 1}}, "filter.meta."),
        ({"meta": {"a..b": 1}}, "filter.meta.a..b"), ({"meta": {"x": {}}}, "filter.meta.x"),
        ({"meta": {"x": {"~": 1}}}, "filter.meta.x"), ({"meta": {"x": {">": True}}}, "filter.meta.x"),
        ({"meta": {"x": {">": [1]}}}, "filter.meta.x"), ({"meta": {"x": None}}, "filter.meta.x"),
        ({"meta": {"x": {"in": []}}}, "filter.meta.x"), ({"meta": {"x": {"in": 3}}}, "filter.meta.x"),
        ({"meta": {"x": {"exists": 1}}}, "filter.meta.x"), ({"meta": {"x": float("nan")}}, "filter.meta.x"),
        ({"meta": {"x": 2**60}}, "filter.meta.x"), ({"meta": {"x": "\0"}}, "filter.meta.x"),
        ({"samples": []}, "filter.samples"), ({"samples": [True]}, "filter.samples"),
        ({"samples": 3}, "filter.samples"), ({"samples": ["3"]}, "filter.samples"),
        ({"samples": list(range(1, 20_002))}, "filter.samples"),
        ({"prediction": {}}, "filter.prediction"), ({"prediction": {"model": "m@1"}}, "filter.prediction"),
        ({"prediction": {"model": 3, "class": "cat"}}, "filter.prediction.model"),
        ({"prediction": {"model": "m", "class": "cat"}}, "filter.prediction.model"),
        ({"prediction": {"model": "m@1", "class": "cow"}}, "filter.prediction.class"),
        ({"prediction": {"model": "m@1", "confidence": 0.4}}, "filter.prediction.confidence"),
        ({"prediction": {"model": "m@1", "confidence": {"<": "x"}}}, "filter.prediction.confidence"),
        ({"prediction": {"model": "m@1", "confidence": {"=": 0.4}}}, "filter.prediction.confidence"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_named(dataset: Dataset, document: Any, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        Filter.of(document, dataset)
    assert list(caught.value.errors) == [field]


def test_a_slice_is_evaluated_over_any_version(drives: Dataset, alice: User) -> None:
    night = create_slice(drives, "night", NIGHT, author=alice)
    commit(drives, changes(change("n/2", meta={"time": "night", "speed": 60}), remove=["n/1"]), author=alice)
    found = [
        {row.sample.key for row in members(night, find_version(drives, number)).select_related("sample")}
        for number in ("1", "2")
    ]
    assert found == [{"n/1", "n/3"}, {"n/2", "n/3"}]


def test_a_name_is_taken_once_and_replaced_by_its_author_or_an_owner(drives: Dataset, alice: User, bob: User) -> None:
    made = create_slice(drives, "night", NIGHT, author=alice)
    with pytest.raises(Conflict):
        create_slice(drives, "night", {"split": "test"}, author=alice)
    with pytest.raises(Invalid):
        create_slice(drives, "Not a name", NIGHT, author=alice)
    for act in (lambda: change_slice(made, chosen=NIGHT, author=bob), lambda: remove_slice(made, author=bob)):
        with pytest.raises(NotAllowed):
            act()
    bobs = create_slice(drives, "bobs", {"labelled": True}, author=bob)
    assert change_slice(bobs, chosen={"labelled": False}, author=bob).filter == {"labelled": False}
    remove_slice(bobs, author=bob)
    with pytest.raises(NotFound):
        find_slice(drives, "bobs")


def test_slices_over_http(drives: Dataset, api: APIClient) -> None:
    base = f"/datasets/{drives.name}"
    made = api.post(f"{base}/slices", {"name": "night", "filter": NIGHT}, format="json")
    assert made.status_code == 201
    assert (made.json()["name"], made.json()["filter"], made.json()["created_by"]) == ("night", NIGHT, "alice")
    assert [row["name"] for row in api.get(f"{base}/slices").json()["results"]] == ["night"]
    assert api.get(f"{base}/slices/night").json()["count"] == 2
    assert api.put(f"{base}/slices/night", {"filter": {"split": "test"}}, format="json").status_code == 200
    assert api.get(f"{base}/slices/night", {"version": "1"}).json()["count"] == 1
    wrong = api.post(f"{base}/slices", {"name": "x", "filter": {"meta": {"x": {"~": 1}}}}, format="json")
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["filter.meta.x"])
    assert api.delete(f"{base}/slices/night").status_code == 204
    assert not Slice.objects.exists()
    assert api.get(f"{base}/slices/night").status_code == 404


def test_the_grid_and_its_facets_show_a_slice_page_by_page(drives: Dataset, api: APIClient, alice: User) -> None:
    create_slice(drives, "night", {"meta": {"time": "night"}}, author=alice)
    base = f"/datasets/{drives.name}/versions/head"
    first = api.get(f"{base}/samples", {"slice": "night", "limit": "2"}).json()
    second = api.get(first["next"]).json()
    assert [row["key"] for row in [*first["results"], *second["results"]]] == ["n/1", "n/2", "n/3"]
    assert (first["total"], second["next"]) == (3, None)
    both = api.get(f"{base}/samples", {"slice": "night", "split": "test"}).json()
    assert [row["key"] for row in both["results"]] == ["n/3"]
    facets = api.get(f"{base}/facets", {"slice": "night"}).json()
    assert facets == {
        "total": 3, "split": {"pool": 1, "test": 1, "train": 1}, "label": {"cat": 1, "dog": 1},
        "labelled": {"true": 2, "false": 1}, **NO_MODEL,
    }  # fmt: skip
    unknown = api.get(f"{base}/samples", {"slice": "day"})
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["slice"])
