"""Several values of a facet: which samples pass, and what the facets count beside them."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
AT = "/datasets/pets/versions/head"
SPLITS = ("pool", "train", "train", "val", "test", "test")
CLASSES = ("cat", "dog, brown", "cat", "bird", "cat", None)
KEYS = [f"{place}.png" for place in range(len(SPLITS))]


@pytest.fixture
def pets(api, object_store):
    """Six samples, one of them without a label, one with a tag; a class has a comma in its name."""
    body = {"name": "pets", "task": "classification", "classes": ["cat", "dog, brown", "bird"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    samples = [
        {"key": key, "data": data(png(place)), "split": split, "meta": {"tags": [f"t{place % 3}"]}}
        | ({} if name is None else {"label": {"class": name}})
        for place, (key, split, name) in enumerate(zip(KEYS, SPLITS, CLASSES, strict=True))
    ]
    answer = api.post("/datasets/pets", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content


def keys(api: APIClient, query: str) -> list[str]:
    answer = api.get(f"{AT}/samples?{query}")
    assert answer.status_code == 200, answer.content
    assert answer.json()["total"] == len(answer.json()["results"])
    return [sample["key"] for sample in answer.json()["results"]]


@pytest.mark.usefixtures("pets")
def test_of_several_values_one_must_hold_and_of_several_facets_all(api: APIClient) -> None:
    assert keys(api, "split=train&split=val") == KEYS[1:4]
    assert keys(api, "split=train&split=test&label=cat&label=bird") == [KEYS[2], KEYS[4]]
    assert keys(api, "label=dog,%20brown") == [KEYS[1]]  # a comma is part of a class's name
    assert keys(api, "tag=t0&tag=t1&labelled=true") == [KEYS[0], KEYS[1], KEYS[3], KEYS[4]]
    assert keys(api, "split=train") == KEYS[1:3]  # as addresses were before


@pytest.mark.usefixtures("pets")
def test_a_facet_counts_without_its_own_choice_so_that_values_can_be_added(api: APIClient) -> None:
    told = api.get(f"{AT}/facets?split=train&split=val&label=cat").json()
    assert told["total"] == 1
    assert told["split"] == {"pool": 1, "train": 1, "test": 1}  # of cats, in whichever split
    assert told["label"] == {"cat": 1, "dog, brown": 1, "bird": 1}  # in train and val
    assert told["labelled"] == {"true": 1, "false": 0}
    told = api.get(f"{AT}/facets?split=test&labelled=true").json()
    assert (told["total"], told["labelled"]) == (1, {"true": 1, "false": 1})
    assert told["split"] == {"pool": 1, "train": 2, "val": 1, "test": 1}


@pytest.mark.usefixtures("pets")
def test_pages_keep_all_values(api: APIClient) -> None:
    page = api.get(f"{AT}/samples?split=train&split=test&limit=3").json()
    assert (page["total"], len(page["results"])) == (4, 3)
    assert [sample["key"] for sample in api.get(page["next"]).json()["results"]] == [KEYS[5]]


@pytest.mark.usefixtures("pets")
@pytest.mark.parametrize("query", ["split=train&split=moon", "label=cat&label=cow"])
def test_one_wrong_value_of_several_is_named(api: APIClient, query: str) -> None:
    answer = api.get(f"{AT}/samples?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [query.partition("=")[0]]
