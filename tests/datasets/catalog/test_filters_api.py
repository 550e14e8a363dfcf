"""Filters over HTTP: checked, listed, exported, counted, tagged by, and slices that something relies on."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import change, changes

from accounts.models import User
from accounts.services import first_project
from blobs.models import Blob
from catalog.curation.slices import create_slice
from catalog.filtering.filters import Filter
from catalog.models import Dataset
from catalog.reading.queries import total
from catalog.versions.commit import commit
from catalog.versions.datasets import find_version
from pipelines.models import Pipeline
from registry.models import Model

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]


def car(x: float, *, occluded: bool, name: str = "car") -> dict[str, Any]:
    return {"class": name, "box": [0, 0, x, x], "attributes": {"occluded": occluded, "score": x}}


@pytest.fixture
def street(detection: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    """Four images: two cars of which one is hidden, a big one, nothing, and one that nobody looked at."""
    two = {"boxes": [car(4, occluded=True), car(8, occluded=False)]}
    region = {"boxes": [car(20, occluded=False)], "ignore": [{"box": [0, 0, 3, 3]}]}
    commit(
        detection,
        changes(
            change("n/two.png", blob_of(1), label=two, split="train", meta={"time": "night"}),
            change("n/big.png", blob_of(2), label=region, split="test", meta={"time": "night"}),
            change("d/none.png", blob_of(3), label={"boxes": []}, split="train"),
            change("d/new.png", blob_of(4)),
        ),
        author=alice,
    )
    return detection


def test_the_grid_lists_and_counts_what_a_text_asks_for(
    street: Dataset, api: APIClient, subtests: pytest.Subtests
) -> None:
    for text, expected in [
        ("boxes(class = car and attributes.occluded = true)", ["n/two.png"]),
        ("boxes >= 2 or ignored", ["n/two.png", "n/big.png"]),
        ("boxes = 0", ["d/none.png"]),
        ("not labelled", ["d/new.png"]),
        ('key glob "d/*" and not boxes = 0', ["d/new.png"]),
        ("boxes(area >= 400 and share > 0.5)", ["n/big.png"]),
        ("(split = train or split = test) and not meta.time exists", ["d/none.png"]),
    ]:
        with subtests.test(text=text, expected=expected):
            base = f"/datasets/{street.name}/versions/head"
            found = api.get(f"{base}/samples", {"filter": text}).json()
            assert ([row["key"] for row in found["results"]], found["total"]) == (expected, len(expected))
            assert api.get(f"{base}/facets", {"filter": text}).json()["total"] == len(expected)
            checked = api.post(f"/datasets/{street.name}/filters", {"filter": text}, format="json").json()
            assert checked["count"] == len(expected)
            as_json = orjson.dumps(checked["filter"]).decode()
            assert api.get(f"{base}/samples", {"filter": as_json}).json()["total"] == len(expected)
            lines = b"".join(api.get(f"{base}/manifest", {"filter": text}).streaming_content).splitlines()  # type: ignore[attr-defined]
            assert [orjson.loads(line).get("key") for line in lines] == [*expected, None]


def test_a_fault_in_the_text_is_told_with_its_place(street: Dataset, api: APIClient) -> None:
    wrong = api.post(f"/datasets/{street.name}/filters", {"filter": "split = train and clas = car"}, format="json")
    assert (wrong.status_code, wrong.json()["code"], wrong.json()["position"]) == (400, "filter_malformed", 18)
    assert "did you mean class?" in wrong.json()["errors"]["filter"][0]
    listed = api.get(f"/datasets/{street.name}/versions/head/samples", {"filter": "class = lorry"})
    assert (listed.status_code, listed.json()["code"]) == (400, "unknown_class")


def test_tallies_count_a_plain_filter(street: Dataset, django_assert_num_queries: Any) -> None:
    chosen = Filter.of("split = train and class = car", street)
    assert chosen.cells == {"class_name": "car", "split": "train"}
    with django_assert_num_queries(1) as captured:
        assert total(find_version(street, "head"), chosen) == 1
    assert "catalog_tally" in captured.captured_queries[0]["sql"]


def test_statistics_count_objects_and_lead_to_their_samples(street: Dataset, api: APIClient) -> None:
    base = f"/datasets/{street.name}/versions/head"
    found = api.get(f"{base}/statistics").json()
    assert (found["images"], found["labelled"], found["by_split"]) == (4, 3, {"pool": 1, "train": 2, "test": 1})
    classes = {row["class"]: row for row in found["classes"]}
    assert (classes["car"]["objects"], classes["car"]["images"]) == (3, 2)
    assert classes["car"]["by_split"] == {"train": 1, "test": 1}
    objects = found["objects"]
    assert (objects["boxes"], objects["ignored"], objects["images_without"]) == (3, 1, 1)
    assert {bar["name"]: bar["count"] for bar in objects["per_image"] if bar["count"]} == {"0": 1, "1": 1, "2": 1}
    assert [bar["count"] for bar in objects["sizes"]] == [3, 0, 0]
    assert {bar["name"]: bar["count"] for bar in objects["sides"] if bar["count"]} == {
        "under 8": 1, "8 to 16": 1, "16 to 32": 1,
    }  # fmt: skip
    named = {one["name"]: one for one in objects["attributes"]}
    assert {one["value"]: one["count"] for one in named["occluded"]["values"]} == {False: 2, True: 1}
    assert (named["score"]["min"], named["score"]["max"]) == (4, 20)
    for bar in [*objects["per_image"], *objects["sides"], *objects["aspects"]]:
        listed = api.get(f"{base}/samples", {"filter": bar["filter"]})
        assert listed.status_code == 200
        assert (listed.json()["total"] > 0) == (bar["count"] > 0), bar
    part = api.get(f"{base}/statistics", {"filter": "split = test"}).json()
    assert (part["images"], part["objects"]["boxes"], part["filter"]) == (1, 1, "split = test")


def test_statistics_of_a_classification_are_its_classes_by_split(
    dataset: Dataset, api: APIClient, alice: User, blob_of: BlobOf
) -> None:
    rows = [
        change(str(at), blob_of(at), label={"class": "cat"}, split=split) for at, split in enumerate(["val", "test"])
    ]
    commit(dataset, changes(*rows), author=alice)
    found = api.get(f"/datasets/{dataset.name}/versions/head/statistics").json()
    assert found["objects"] is None
    assert {row["class"]: row["by_split"] for row in found["classes"]}["cat"] == {"val": 1, "test": 1}


def test_an_export_of_a_slice_says_so(street: Dataset, api: APIClient, alice: User) -> None:
    create_slice(street, "night", "meta.time = night", author=alice)
    base = f"/datasets/{street.name}/exports"
    made = api.post(base, {"format": "coco", "slice": "night", "filter": "not boxes >= 2"}, format="json")
    assert made.status_code == 202
    shown = api.get(base).json()["results"][0]
    assert shown["slice"] == "night"
    assert set(shown["filter"].split(" and ")) == {"meta.time = night", "not boxes >= 2"}  # PostgreSQL sorts the keys
    export = street.exports.get()
    assert export.filename == f"{street.name}-v1-night-coco.zip"
    none = api.post(base, {"format": "coco", "filter": "boxes >= 50"}, format="json")
    assert (none.status_code, none.json()["code"]) == (400, "nothing_chosen")


def test_the_vocabulary_names_what_the_samples_have(street: Dataset, api: APIClient) -> None:
    found = api.get(f"/datasets/{street.name}/filters").json()
    fields = {one["name"]: one for one in found["fields"]}
    assert fields["meta.time"]["values"] == ["night"]
    assert fields["class"]["values"] == list(street.classes)
    assert {"attributes.occluded", "area"} <= {one["name"] for one in found["object_fields"]}


def test_tags_are_given_to_what_passes_and_taken_away(street: Dataset, api: APIClient) -> None:
    base = f"/datasets/{street.name}"
    made = api.post(f"{base}/sample-tags", {"filter": 'key prefix "n/"', "add": ["blurry", "rain"]}, format="json")
    assert (made.status_code, made.json()["updated"]) == (201, 2)
    api.post(f"{base}/sample-tags", {"filter": "tag = rain and split = test", "remove": ["rain"]}, format="json")
    kept = api.get(f"{base}/versions/head/samples", {"filter": "tag = blurry and tag = rain"}).json()["results"]
    assert [row["key"] for row in kept] == ["n/two.png"]
    assert kept[0]["meta"] == {"time": "night", "tags": ["blurry", "rain"]}
    wrong = api.post(f"{base}/sample-tags", {"filter": "labelled", "add": [" "]}, format="json")
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["add.0"])


def test_a_slice_is_renamed_and_its_filter_edited(street: Dataset, api: APIClient, alice: User) -> None:
    create_slice(street, "night", "meta.time = night", author=alice)
    create_slice(street, "taken", "labelled", author=alice)
    base = f"/datasets/{street.name}/slices"
    changed = api.put(f"{base}/night", {"name": "dark", "filter": "slice = night and boxes >= 2"}, format="json").json()
    assert changed["name"] == "dark"
    assert set(changed["text"].split(" and ")) == {"meta.time = night", "boxes >= 2"}
    assert api.put(f"{base}/dark", {"name": "taken"}, format="json").json()["code"] == "name_taken"
    assert api.put(f"{base}/dark", {}, format="json").status_code == 400


def test_a_slice_that_gates_or_pipelines_name_is_not_deleted(street: Dataset, api: APIClient, alice: User) -> None:
    create_slice(street, "night", "meta.time = night", author=alice)
    model = Model.objects.create(
        name="cars", task="detection", classes=list(street.classes), created_by=alice, project=first_project()
    )
    told = {"architecture": "small_cnn", "strategy": "margin", "count": 1, "model": model, "created_by": alice}
    Pipeline.objects.create(name="loop", dataset=street, filter={"slice": "night"}, **told)
    refused = api.delete(f"/datasets/{street.name}/slices/night")
    assert (refused.status_code, refused.json()["code"]) == (409, "slice_in_use")
    assert refused.json()["used_by"] == ["pipeline loop"]
    assert api.put(f"/datasets/{street.name}/slices/night", {"name": "dark"}, format="json").status_code == 409
    Pipeline.objects.update(filter=None, gates=[{"metric": "accuracy", "min": 0.9, "slice": "night"}])
    assert api.delete(f"/datasets/{street.name}/slices/night").status_code == 409
    Pipeline.objects.update(gates=[])
    assert api.delete(f"/datasets/{street.name}/slices/night").status_code == 204
