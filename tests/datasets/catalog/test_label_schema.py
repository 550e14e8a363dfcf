"""`/datasets/{id}/schema`: classes with keys, looks, guidelines and examples, in versions."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import change, changes
from tests.threads import at_once

from accounts.models import User
from blobs.models import Blob
from catalog.models import Dataset, SchemaVersion
from catalog.schemas import reading as schemas
from catalog.schemas.changing import change_schema
from catalog.schemas.palette import COLOURS, KEYS
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from catalog.versions.forks import fork
from core.errors import Conflict, Invalid

BlobOf = Callable[[int], Blob]
pytestmark = pytest.mark.django_db


@pytest.fixture
def put(api: APIClient, dataset: Dataset) -> Callable[..., Any]:
    """PUT classes, given as names or documents, on the newest schema unless told otherwise."""

    def send(*classes: str | dict[str, Any], **more: Any) -> Any:
        told = [{"name": one} if isinstance(one, str) else one for one in classes]
        parent = api.get("/datasets/digits/schema").json()["version"]
        return api.put("/datasets/digits/schema", {"classes": told, "parent": parent} | more, format="json")

    return send


def looks(document: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {one["name"]: (one["key"], one["colour"], one["dash"]) for one in document["classes"]}


def test_a_dataset_has_a_schema_before_anybody_made_one(api: APIClient, dataset: Dataset) -> None:
    document = api.get("/datasets/digits/schema").json()
    assert looks(document) == {
        "cat": ("1", "#0072B2", 0), "dog": ("2", "#E69F00", 0), "3": ("3", "#009E73", 0),
    }  # fmt: skip
    assert [one["version"] for one in document["history"]] == [1]
    assert document["history"][0]["author"] == "alice"
    assert (document["version"], document["guideline"], document["multi_label"]) == (1, "", False)
    assert not SchemaVersion.objects.exists(), "reading writes nothing"
    assert api.get("/datasets/digits/schema/versions/1").json()["classes"] == document["classes"]


def test_an_annotator_reads_the_schema_and_changes_nothing(bobs_api: APIClient, dataset: Dataset) -> None:
    body = {"classes": [{"name": "cat"}], "parent": 1}
    refused = bobs_api.put("/datasets/digits/schema", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
    assert looks(bobs_api.get("/datasets/digits/schema").json()).keys() == {"cat", "dog", "3"}


def test_keys_and_looks_go_on_beyond_ten_and_colours_repeat_with_another_dash(alice: User) -> None:
    names = [f"c{number}" for number in range(33)]
    made = create_dataset("many", task="classification", classes=names, description="", author=alice)
    classes = schemas.document(made)["classes"]
    assert [one["key"] for one in classes[:20]] == list(KEYS)
    assert [one["key"] for one in classes[20:]] == [None] * 13
    assert (classes[8]["colour"], classes[8]["dash"]) == (COLOURS[0], 1)
    assert len({(one["colour"], one["dash"]) for one in classes}) == 32


def test_adding_a_class_moves_no_key_and_takes_the_next_free_one(put: Callable[..., Any], api: APIClient) -> None:
    before = looks(api.get("/datasets/digits/schema").json())
    after = put("bird", "3", "dog", "cat", message="a bird was seen").json()
    assert looks(after) == before | {"bird": ("4", "#CC79A7", 0)}
    assert api.get("/datasets/digits").json()["classes"] == ["cat", "dog", "3", "bird"]
    assert api.get("/datasets/digits").json()["schema_version"] == after["version"] == 2
    assert [(one["version"], one["message"]) for one in after["history"]] == [(2, "a bird was seen"), (1, "")]
    old = api.get("/datasets/digits/schema/versions/1").json()
    assert looks(old) == before


def test_a_key_that_was_freed_is_given_again_and_no_two_classes_share_one(put: Callable[..., Any]) -> None:
    freed = put({"name": "cat", "key": None}, "dog", "3", "bird").json()
    assert looks(freed)["cat"][0] is None
    assert looks(freed)["bird"][0] == "1"
    clash = put({"name": "cat", "key": "2"}, "dog", "3", "bird")
    assert (clash.status_code, list(clash.json()["errors"])) == (400, ["classes.0.key"])
    assert "'cat' and 'dog'" in clash.json()["detail"]
    asked = put("cat", "dog", "3", "bird", "fly", {"name": "bee", "key": "4"}).json()
    assert (looks(asked)["fly"][0], looks(asked)["bee"][0]) == ("5", "4")


def test_what_is_not_said_of_a_class_stays(put: Callable[..., Any]) -> None:
    put({"name": "cat", "guideline": "has *whiskers*", "colour": "#123456", "dash": 2}, "dog", "3", guideline="Look.")
    after = put("cat", {"name": "dog", "guideline": "barks"}, "3").json()
    told = {one["name"]: (one["guideline"], one["colour"], one["dash"]) for one in after["classes"]}
    assert told["cat"] == ("has *whiskers*", "#123456", 2)
    assert told["dog"][0] == "barks"
    assert (after["guideline"], after["version"]) == ("Look.", 3)


def test_the_same_again_makes_no_version(put: Callable[..., Any]) -> None:
    first = put({"name": "cat", "guideline": "purrs"}, "dog", "3").json()
    assert put({"name": "cat", "guideline": "purrs"}, "dog", "3").json() == first


def test_a_stale_parent_is_a_conflict_and_changes_nothing(put: Callable[..., Any], api: APIClient) -> None:
    put("cat", "dog", "3", "bird")
    answer = put("cat", "dog", "3", "fish", parent=1)
    assert (answer.status_code, answer.json()["code"], answer.json()["head"]) == (409, "stale_parent", 2)
    assert api.get("/datasets/digits").json()["classes"] == ["cat", "dog", "3", "bird"]


@pytest.mark.django_db(transaction=True)
def test_of_two_changes_at_once_one_is_taken(dataset: Dataset) -> None:
    def add(number: int) -> bool:
        mine = Dataset.objects.get(pk=dataset.pk)
        try:
            names = [*mine.classes, f"new{number}"]
            change_schema(mine, [{"name": name} for name in names], parent=1, author=dataset.created_by)
        except Conflict:
            return False
        return True

    assert sorted(at_once(4, add)) == [False, False, False, True]
    dataset.refresh_from_db()
    assert (len(dataset.classes), dataset.schema_version) == (4, 2)
    assert SchemaVersion.objects.filter(dataset=dataset).count() == 2


def test_a_class_with_labels_is_archived_but_not_removed(
    put: Callable[..., Any], api: APIClient, dataset: Dataset, blob_of: BlobOf
) -> None:
    commit(dataset, changes(change("a", blob_of(1), label={"class": "cat"})), author=dataset.created_by)
    commit(dataset, changes(change("a", label={"class": "dog"})), author=dataset.created_by)
    refused = put("dog", "3")
    assert (refused.status_code, refused.json()["code"]) == (400, "class_in_use")
    assert "archive it" in refused.json()["detail"]
    assert put("cat", "dog").status_code == 200, "no label says 3"
    archived = put({"name": "cat", "archived": True}, "dog").json()
    assert [one["archived"] for one in archived["classes"]] == [True, False]
    assert looks(archived)["cat"][0] == "1", "its key stays its own"
    assert api.get("/datasets/digits").json()["classes"] == ["cat", "dog"], "old labels name it"
    last = put({"name": "cat", "archived": True}, {"name": "dog", "archived": True})
    assert (last.status_code, list(last.json()["errors"])) == (400, ["classes"])


def test_a_class_that_only_boxes_name_is_in_use_too(detection: Dataset, blob_of: BlobOf) -> None:
    label = {"boxes": [], "polygons": [{"class": "car", "points": [[0, 0], [9, 0], [9, 9]]}]}
    commit(detection, changes(change("a", blob_of(1), label=label)), author=detection.created_by)
    with pytest.raises(Invalid, match="archive it"):
        change_schema(detection, [{"name": "bus"}], parent=1, author=detection.created_by)


def test_new_labels_may_name_a_new_class_and_say_which_schema_they_knew(
    put: Callable[..., Any], dataset: Dataset, blob_of: BlobOf, api: APIClient
) -> None:
    stale = Dataset.objects.select_related("head").get(pk=dataset.pk)
    commit(dataset, changes(change("a", blob_of(1), label={"class": "cat"})), author=dataset.created_by)
    put("cat", "dog", "3", "bird")
    done = commit(stale, changes(change("b", blob_of(2), label={"class": "bird"})), author=dataset.created_by)
    assert not done.rejected, "a commit goes by the classes of now"
    versions = {row["version"]: row["schema_version"] for row in api.get("/datasets/digits/versions").json()["results"]}
    assert versions == {1: 1, 2: 2}


def test_examples_are_pictures_of_the_dataset(put: Callable[..., Any], dataset: Dataset, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1)), change("b", blob_of(2))), author=dataset.created_by)
    shown = [{"key": "a", "note": "from the side"}, {"key": "b"}]
    told = put({"name": "cat", "examples": shown}, "dog", "3").json()["classes"][0]["examples"]
    md5 = blob_of(1).md5
    assert told[0] == {"key": "a", "digest": md5, "thumb": f"/thumbs/{md5}", "note": "from the side"}
    assert told[1]["note"] == ""
    kept = put("cat", {"name": "dog", "guideline": "barks"}, "3").json()["classes"][0]["examples"]
    assert kept == told, "what is not named stays"
    assert put({"name": "cat", "examples": []}, "dog", "3").json()["classes"][0]["examples"] == []
    for wrong in ([{"key": "c"}], [{"key": "a"}, {"key": "a"}], [{"key": f"{n}"} for n in range(13)]):
        answer = put({"name": "cat", "examples": wrong}, "dog", "3")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["classes.0.examples"])


@pytest.mark.parametrize(
    ("one", "field"),
    [
        ({"name": "cat", "key": "q"}, "classes.0.key"), ({"name": "cat", "colour": "red"}, "classes.0.colour"),
        ({"name": "cat", "dash": 4}, "classes.0.dash"),
        ({"name": "cat", "guideline": "x" * 4001}, "classes.0.guideline"),
        ({"name": "cat", "archived": "perhaps"}, "classes.0.archived"), ({"name": "x" * 201}, "classes"),
        ({"name": "dog"}, "classes"), ({"name": "a\u0007b"}, "classes"), ({}, "classes.0.name"),
    ],
)  # fmt: skip
def test_a_bad_field_is_named(put: Callable[..., Any], one: dict[str, Any], field: str) -> None:
    answer = put(one, "dog", "3")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_a_schema_needs_its_parent_and_a_class(put: Callable[..., Any], api: APIClient) -> None:
    assert list(put("cat", parent=None).json()["errors"]) == ["parent"]
    assert list(put().json()["errors"]) == ["classes"]
    assert api.get("/datasets/digits/schema/versions/7").json()["code"] == "schema_version_unknown"


def test_a_fork_begins_with_the_schema_of_its_origin_and_goes_its_own_way(
    put: Callable[..., Any], api: APIClient, dataset: Dataset, blob_of: BlobOf
) -> None:
    commit(dataset, changes(change("a", blob_of(1), label={"class": "cat"})), author=dataset.created_by)
    put({"name": "cat", "guideline": "purrs", "examples": [{"key": "a"}]}, "dog", "3", "bird", guideline="Look.")
    dataset.refresh_from_db()
    assert dataset.head is not None
    fork(dataset.head, "mine", description="", author=dataset.created_by)
    first = api.get("/datasets/mine/schema").json()
    assert (first["version"], first["guideline"]) == (1, "Look.")
    assert first["classes"] == api.get("/datasets/digits/schema").json()["classes"]
    names = [{"name": name} for name in ("dog", "3", "bird")]
    refused = api.put("/datasets/mine/schema", {"classes": names, "parent": 1}, format="json")
    assert refused.json()["code"] == "class_in_use", "labels of the origin count"
    names += [{"name": "cat"}, {"name": "fly"}]
    assert api.put("/datasets/mine/schema", {"classes": names, "parent": 1}, format="json").json()["version"] == 2
    assert looks(api.get("/datasets/mine/schema").json())["fly"][0] == "5"
    assert "fly" not in looks(api.get("/datasets/digits/schema").json())
