"""Labels of several classes, and polygons beside boxes: what is taken, counted, filtered and told apart."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import change, changes

from accounts.models import User
from blobs.models import Blob
from catalog.filtering.filters import Filter
from catalog.models import Dataset
from catalog.publication.labels import schema_text
from catalog.reading.queries import chosen_samples, facets, total, window
from catalog.versions import diffs
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from core.errors import Invalid
from formats.polygons import area
from tasktypes import task_type

ONE, MANY, OBJECTS = (task_type(name).labels for name in ("classification", "multilabel", "detection"))
BlobOf = Callable[[int], Blob]
CLASSES = ["cat", "dog", "3"]
SIZE = (28, 28)
TRIANGLE = [[0, 0], [20, 0], [20, 20]]
CAR = {"class": "car", "box": [0, 0, 5, 5]}
OTHER = {"class": "car", "box": [2, 2, 9, 9]}


def several(value: Any) -> dict[str, Any]:
    return MANY.check(value, classes=CLASSES, size=None)


def shapes(**value: Any) -> dict[str, Any]:
    return OBJECTS.check(value, classes=CLASSES, size=SIZE)


def polygon(points: Any, name: Any = "cat") -> dict[str, Any]:
    return {"class": name, "points": points}


def test_several_classes_come_in_the_order_of_the_schema_each_once() -> None:
    assert several({"classes": ["3", "cat", "3"]}) == {"classes": ["cat", "3"]}
    assert several({"classes": []}) == {"classes": []}
    assert several({"class": "dog"}) == {"classes": ["dog"]}, "what a folder says"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"classes": ["cow"]}, "unknown_class"), ({"classes": [1]}, "unknown_class"),
        ({"class": None}, "unknown_class"),
        ({"classes": "cat"}, "label_malformed"), ({"classes": None}, "label_malformed"), ({}, "label_malformed"),
        ({"boxes": []}, "label_malformed"), ([], "label_malformed"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_classes_is_refused(value: Any, code: str) -> None:
    with pytest.raises(Invalid) as told:
        several(value)
    assert told.value.code == code


def test_where_a_sample_has_one_class_several_are_refused_with_the_form_that_is_taken() -> None:
    with pytest.raises(Invalid, match=r'one class for each sample: {"class": "cat"}'):
        ONE.check({"classes": ["cat"]}, classes=CLASSES, size=None)


def test_polygons_stand_beside_boxes_and_are_left_out_where_there_are_none() -> None:
    box = {"class": "dog", "box": [0.0, 0.0, 5.0, 5.0]}
    ring = [[float(x), float(y)] for x, y in TRIANGLE]
    assert shapes(boxes=[box], polygons=[polygon(TRIANGLE)]) == {"boxes": [box], "polygons": [polygon(ring)]}
    assert shapes(polygons=[polygon(TRIANGLE)])["boxes"] == []
    assert shapes(boxes=[box], polygons=[]) == {"boxes": [box]}
    assert shapes(polygons=[polygon([*TRIANGLE, [0, 0]])])["polygons"] == [polygon(ring)], "closed is the same"


@pytest.mark.parametrize(
    ("polygons", "words"),
    [
        ([polygon(TRIANGLE[:2])], "3 to 10000 points, not 2"), ([polygon([])], "not 0"),
        ([polygon([[0, 0], [1, 1], [0, 0]])], "not 2"), ([polygon([[0, 0], [5, 5], [9, 9]])], "on one line"),
        ([polygon([[0, 0], [5, 0], [5, 29]])], "inside the 28×28"), ([polygon([[-0.1, 0], [5, 0], [5, 9]])], "inside"),
        ([polygon([[float("nan"), 0], [5, 0], [5, 9]])], "pairs of numbers"),
        ([polygon([[float("inf"), 0], [5, 0], [5, 9]])], "pairs of numbers"),
        ([polygon([[True, 0], [5, 0], [5, 9]])], "pairs of numbers"), ([polygon([["0", 0], [5, 0], [5, 9]])], "pairs"),
        ([polygon([0, 0, 5, 0, 5, 9])], "[[x, y], ..]"), ([polygon([[0, 0, 0]] * 3)], "[[x, y], ..]"),
        ([polygon("abc")], "[[x, y], ..]"), (["abc"], "[[x, y], ..]"), ("abc", "must be a list"),
        ([polygon([[0, 0], [9, 0], [9, 9]] * 3334)], "10000 points"), ({"a": 1}, "must be a list"),
    ],
)  # fmt: skip
def test_a_polygon_that_can_be_none_is_refused_in_words(polygons: Any, words: str) -> None:
    with pytest.raises(Invalid) as told:
        shapes(boxes=[], polygons=polygons)
    assert words in told.value.detail
    assert told.value.code == "label_malformed"


def test_a_polygon_of_an_unknown_class_is_refused() -> None:
    with pytest.raises(Invalid, match="unknown class 'cow'"):
        shapes(polygons=[polygon(TRIANGLE, "cow")])


POINTS = st.lists(
    st.tuples(*[st.floats(-5, 40) | st.just(float("nan")) | st.integers(0, 28)] * 2).map(list), max_size=8
)


@given(points=POINTS)
def test_what_is_taken_is_inside_encloses_something_and_stays_as_it_is(points: list[list[float]]) -> None:
    try:
        taken = shapes(polygons=[polygon(points)])
    except Invalid:
        return
    ring = taken["polygons"][0]["points"]
    assert len(ring) >= 3
    assert all(0 <= x <= 28 and 0 <= y <= 28 for x, y in ring)
    assert area(ring) > 0
    assert shapes(**taken) == taken


BOX = {"class": "dog", "box": [0.0, 0.0, 5.0, 5.0]}
CARRIED = {"attributes": {"occluded": True, "side": "left", "size": [1.5, 2, 3]}, "id": "7", "track": "t-1"}


def test_an_object_carries_attributes_an_id_and_a_track() -> None:
    ring = [[float(x), float(y)] for x, y in TRIANGLE]
    label = {"boxes": [BOX | CARRIED, BOX], "polygons": [polygon(ring) | CARRIED | {"id": "8"}]}
    assert shapes(**label) == label
    assert shapes(boxes=[BOX | {"attributes": {}, "id": None, "track": None}]) == {"boxes": [BOX]}, "nothing is nothing"


def test_regions_to_ignore_are_part_of_a_label_and_no_objects() -> None:
    regions = [
        {"box": [0.0, 0.0, 9.0, 9.0], "class": "DontCare", "attributes": {"far": True}},
        {"box": [1.0, 1.0, 2.0, 2.0]},
    ]
    label = shapes(boxes=[BOX], ignore=regions)
    assert label == {"boxes": [BOX], "ignore": regions}
    assert OBJECTS.class_counts(label) == {"dog": 1}
    assert shapes(ignore=regions) == {"boxes": [], "ignore": regions}, "labelled, and without an object"
    assert shapes(boxes=[], ignore=[]) == {"boxes": []}


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ({"boxes": [BOX | {"score": 0.5}]}, "`score` is not part of a box, which has class, box, attributes"),
        ({"boxes": [BOX | {"score": 0.5}]}, "id, track: put it into `attributes`"),
        ({"boxes": [], "meta": 1}, "`meta` is not part of a label"),
        ({"polygons": [polygon(TRIANGLE) | {"box": [0, 0, 1, 1]}]}, "`box` is not part of a polygon"),
        ({"ignore": [{"box": [0, 0, 1, 1], "id": "7"}]}, "`id` is not part of a region of `ignore`"),
        ({"boxes": [BOX | {"id": "7"}, BOX | {"id": "7"}]}, "`id` '7' is on 2 objects"),
        ({"boxes": [BOX | {"id": "7"}], "polygons": [polygon(TRIANGLE) | {"id": "7"}]}, "`id` '7' is on 2 objects"),
        ({"boxes": [BOX | {"id": 7}]}, "`id` of a box: must be a text"),
        ({"boxes": [BOX | {"track": ""}]}, "`track` of a box: must be a text of 1 to 100"),
        ({"boxes": [BOX | {"attributes": ["late"]}]}, "`attributes` of a box: must be an object"),
        ({"boxes": [BOX | {"attributes": []}]}, "must be an object"),
        ({"boxes": [BOX | {"attributes": {"a": {"b": 1}}}]}, "'a' must be a text, a number"),
        ({"boxes": [BOX | {"attributes": {"a": ["x"]}}]}, "'a' must be a text, a number"),
        ({"boxes": [BOX | {"attributes": {"a": [1] * 17}}]}, "at most 16 numbers"),
        ({"boxes": [BOX | {"attributes": {"a": None}}]}, "'a' has no value: leave it out"),
        ({"boxes": [BOX | {"attributes": {"a": float("nan")}}]}, "'a' must be"),
        ({"boxes": [BOX | {"attributes": {"a": 1e300}}]}, "'a' must be"),
        ({"boxes": [BOX | {"attributes": {"a": "x" * 1001}}]}, "'a' must have at most 1000 characters"),
        ({"boxes": [BOX | {"attributes": {"a": "\ud800"}}]}, "'a' must have"),
        ({"boxes": [BOX | {"attributes": {"": 1}}]}, "'' is not a name"),
        ({"boxes": [BOX | {"attributes": {"x" * 101: 1}}]}, "is not a name"),
        ({"boxes": [BOX | {"attributes": {str(n): n for n in range(51)}}]}, "at most 50 attributes, not 51"),
        ({"ignore": {"box": [0, 0, 1, 1]}}, "`ignore` must be a list"), ({"ignore": ["x"]}, "needs `box`"),
        ({"ignore": [{"box": [0, 0, 0, 1]}]}, "must lie inside"), ({"ignore": [{"class": "a"}]}, "needs `box`"),
        ({"ignore": [{"box": [0, 0, 1, 1], "class": 7}]}, "printable characters"),
    ],
)  # fmt: skip
def test_what_an_object_can_not_carry_is_refused_by_name(label: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid) as told:
        shapes(**label)
    assert words in told.value.detail
    assert told.value.code == "label_malformed"


def test_a_class_has_nothing_beside_it() -> None:
    with pytest.raises(Invalid, match="`score` is not part of a label"):
        ONE.check({"class": "cat", "score": 0.5}, classes=CLASSES, size=None)
    with pytest.raises(Invalid, match="`score` is not part of a label"):
        several({"classes": ["cat"], "score": 0.5})


def test_objects_of_both_kinds_are_counted_and_of_several_classes_each_once() -> None:
    both = {"boxes": [{"class": "cat", "box": [0, 0, 1, 1]}], "polygons": [polygon(TRIANGLE), polygon(TRIANGLE, "dog")]}
    assert OBJECTS.class_counts(both) == {"cat": 2, "dog": 1}
    assert MANY.class_counts({"classes": ["cat", "3"]}) == {"cat": 1, "3": 1}
    assert MANY.class_counts({"classes": []}) == {}


@pytest.fixture
def pets(alice: User) -> Dataset:
    return create_dataset("pets", task="multilabel", classes=CLASSES, description="", author=alice)


@pytest.fixture
def labelled(pets: Dataset, blob_of: BlobOf) -> Dataset:
    """Cats and dogs together, a dog, neither, and one that nobody looked at."""
    said = [["dog", "cat"], ["dog"], [], None]
    rows = [
        change(f"{number}.png", blob_of(number), label=None if names is None else {"classes": names}, split="train")
        for number, names in enumerate(said)
    ]
    commit(pets, changes(*rows), author=pets.created_by)
    return pets


def chosen(dataset: Dataset, **query: str) -> list[str]:
    assert dataset.head is not None
    asked = chosen_samples(query, dataset)
    rows = window(dataset.head, asked, offset=0, limit=10)
    assert len(rows) == total(dataset.head, asked)
    return [row.sample.key for row in rows]


@pytest.mark.django_db
def test_a_sample_is_found_by_each_of_its_classes(labelled: Dataset) -> None:
    assert chosen(labelled, label="dog") == ["0.png", "1.png"]
    assert chosen(labelled, label="cat") == ["0.png"]
    assert chosen(labelled, labelled="true") == ["0.png", "1.png", "2.png"]
    assert labelled.head is not None
    assert labelled.head.counts["by_class"] == {"dog": 2, "cat": 1}
    told = facets(labelled.head, chosen_samples({}, labelled))
    assert (told["label"], told["labelled"]) == ({"dog": 2, "cat": 1}, {"true": 3, "false": 1})
    beside = facets(labelled.head, chosen_samples({"label": "cat"}, labelled))
    assert beside["label"] == {"dog": 1, "cat": 1}, "what else the cats' samples show"
    found = Filter.of({"class": ["cat"]}, labelled).apply(labelled.head.revisions)
    assert [row.sample.key for row in found] == ["0.png"]


@pytest.mark.django_db
def test_saying_other_classes_is_relabelling_and_moving_a_polygon_is_not(
    labelled: Dataset, detection: Dataset, blob_of: BlobOf
) -> None:
    old = labelled.head
    assert old is not None
    commit(labelled, changes(change("0.png", label={"classes": ["dog"]})), author=labelled.created_by)
    assert labelled.head is not None
    assert diffs.summary(old, labelled.head) == dict.fromkeys(diffs.KINDS, 0) | {"relabelled": 1}
    assert diffs.deltas(old, labelled.head, "by_class") == {"cat": -1}
    car = polygon(TRIANGLE, "car")
    commit(detection, changes(change("a", blob_of(1), label={"polygons": [car]})), author=detection.created_by)
    before = detection.head
    moved = polygon([[1, 1], *TRIANGLE[1:]], "car")
    commit(detection, changes(change("a", label={"polygons": [moved]})), author=detection.created_by)
    assert before is not None
    assert detection.head is not None
    assert diffs.summary(before, detection.head)["boxes_moved"] == 1
    assert chosen(detection, label="car") == ["a"]


@pytest.mark.django_db
def test_a_dataset_says_whether_a_sample_may_have_several(api: APIClient, alice: User) -> None:
    body = {"name": "pets", "task": "classification", "classes": CLASSES, "multi_label": True}
    made = api.post("/datasets", body, format="json").json()
    assert (made["task"], made["multi_label"], made["label_kind"]) == ("multilabel", True, "multilabel")
    assert api.get("/datasets/pets/schema").json()["multi_label"] is True
    refused = api.post("/datasets", body | {"name": "roads", "task": "detection"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["multi_label"])
    for name, flag in (("rain", {}), ("snow", {"multi_label": True})):
        said = {"name": name, "task": "multilabel", "classes": CLASSES} | flag
        assert api.post("/datasets", said, format="json").json()["task"] == "multilabel"


@pytest.mark.django_db
def test_a_publication_says_it_as_it_always_did(labelled: Dataset) -> None:
    """Its bytes make the commit's id, which clones know."""
    assert labelled.head is not None
    told = json.loads(schema_text(labelled.head))
    assert (told["task"], told["multi_label"]) == ("classification", True)


@pytest.mark.django_db
def test_an_unknown_task_is_refused_with_those_that_there_are(api: APIClient) -> None:
    answer = api.post("/datasets", {"name": "pets", "task": "keypoints", "classes": CLASSES}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["task"])
    assert "classification, detection, multilabel, segmentation" in answer.json()["detail"]


@pytest.mark.django_db
def test_a_commit_names_what_is_wrong_with_a_label_and_takes_the_rest(pets: Dataset, blob_of: BlobOf) -> None:
    good, bad = change("a", blob_of(1), label={"classes": ["dog"]}), change("b", blob_of(2), label={"boxes": []})
    result = commit(pets, changes(good, bad), author=pets.created_by)
    assert [(row.key, row.code) for row in result.rejected] == [("b", "label_malformed")]
    assert result.added == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("now", "kind"),
    [
        ({"boxes": [{**CAR, "attributes": {"parked": True}}, OTHER]}, "attributes_changed"),
        ({"boxes": [OTHER, {**CAR, "attributes": {"parked": False}, "track": "7"}]}, "attributes_changed"),
        ({"boxes": [{**CAR, "id": "a"}, OTHER]}, "attributes_changed"),
        ({"boxes": [{**CAR, "box": [0, 0, 3, 3], "id": "a"}, OTHER]}, "boxes_moved"),
        ({"boxes": [CAR, OTHER], "ignore": [{"box": [0, 0, 1, 1]}]}, "boxes_moved"),
        ({"boxes": [OTHER, CAR]}, "boxes_moved"),
        ({"boxes": [{**CAR, "id": "a"}]}, "relabelled"),
    ],
)
def test_other_attributes_are_told_from_other_places(
    detection: Dataset, blob_of: BlobOf, now: dict[str, Any], kind: str
) -> None:
    before = commit(
        detection, changes(change("a", blob_of(1), label={"boxes": [CAR, OTHER]})), author=detection.created_by
    )
    after = commit(detection, changes(change("a", label=now)), author=detection.created_by)
    assert before.version is not None, before.rejected
    assert after.version is not None
    assert diffs.summary(before.version, after.version) == dict.fromkeys(diffs.KINDS, 0) | {kind: 1}


@pytest.mark.parametrize(("width", "label", "taken"), [(28, None, True), (20, None, False), (56, None, False),
                                                       (20, {"boxes": []}, True)])  # fmt: skip
def test_an_image_of_another_size_does_not_keep_places_in_pixels(
    alice: User, blob_of: BlobOf, *, width: int, label: dict[str, Any] | None, taken: bool
) -> None:
    streets = create_dataset("streets", task="detection", classes=["car"], description="", author=alice)
    boxes = {"boxes": [{"class": "car", "box": [0, 0, 28, 28]}]}
    commit(streets, changes(change("a", blob_of(1), label=boxes), change("b", blob_of(2))), author=alice)
    other, bare = blob_of(3), blob_of(4)
    other.width = bare.width = width
    done = commit(streets, changes(change("a", other, label=label), change("b", bare)), author=alice)
    assert done.updated == 1 + taken, "an image without a label may have any size"
    assert [(one.key, one.code) for one in done.rejected] == ([] if taken else [("a", "label_of_another_size")])


def test_an_object_in_several_parts_is_one_polygon_with_a_box_around_all() -> None:
    square = [[22, 22], [28, 22], [28, 28], [22, 28]]
    label = shapes(boxes=[], polygons=[{"class": "cat", "parts": [TRIANGLE, [*square, square[0]]]}])
    assert label["polygons"] == [{"class": "cat", "parts": [TRIANGLE, square]}]
    (facts,) = OBJECTS.objects(label)
    assert (facts.width, facts.height, facts.area) == (28, 28, 200 + 36)
    assert OBJECTS.class_counts(label) == {"cat": 1}
    assert shapes(boxes=[], polygons=[{"class": "cat", "parts": [TRIANGLE]}])["polygons"] == [polygon(TRIANGLE)]
    moved = shapes(boxes=[], polygons=[{"class": "cat", "parts": [square, TRIANGLE[::-1]]}])
    assert OBJECTS.change(label, moved) == "boxes_moved"


@pytest.mark.parametrize(
    ("outline", "words"),
    [
        ({"points": TRIANGLE, "parts": [TRIANGLE]}, "either `points` or `parts`"),
        ({"parts": []}, "or `parts`"),
        ({"parts": [TRIANGLE, [[0, 0], [29, 0], [0, 9]]]}, r"point \[29.0, 0.0\] of a polygon must lie inside"),
        ({"parts": [TRIANGLE, [[0, 0], [5, 5], [9, 9]]]}, "on one line"),
        ({"parts": TRIANGLE}, "or `parts`"),
    ],
)
def test_parts_that_are_no_outlines_are_refused(outline: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        shapes(boxes=[], polygons=[{"class": "cat", **outline}])
