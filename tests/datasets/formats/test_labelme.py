"""LabelMe's JSON as X-AnyLabeling writes it: what a shape says of itself, and its kinds of shapes."""

import json
from typing import Any

import pytest
from tests.datasets.formats.layouts import SIZE

from formats import OBJECTS, Batch, Reading, read

FOUR = [[50, 20], [90, 30], [80, 45], [40, 35]]
EMPTY: dict[str, Any] = {
    "score": None, "difficult": False, "attributes": {}, "flags": {}, "description": "", "kie_linking": [],
    "group_id": None,
}  # fmt: skip


def read_shapes(*shapes: dict[str, Any], **more: Any) -> Reading:
    named = [
        {"label": "car", "shape_type": "rectangle", "points": [[10, 10], [60, 40]]} | EMPTY | one for one in shapes
    ]
    value = {"version": "2.4.4", "flags": {}, "shapes": named, "imagePath": "a.jpg", "imageData": None} | more
    return read("labelme", Batch({"a.jpg": SIZE}, {"a.json": json.dumps(value).encode()}, ["car"], OBJECTS))


def attributes(reading: Reading) -> Any:
    label = reading.samples["a.jpg"].label or {}
    return label["boxes"][0].get("attributes")


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, None),
        ({"score": 0.87, "difficult": True}, {"score": 0.87, "difficult": True}),
        ({"score": 0}, {"score": 0}),
        ({"attributes": {"colour": "red", "seats": 4}}, {"colour": "red", "seats": 4}),
        ({"flags": {"parked": True}, "description": "old"}, {"parked": True, "description": "old"}),
        ({"direction": 0.46}, {"direction": 0.46}),
        ({"score": 0.5, "attributes": {"score": 0.5}}, {"score": 0.5}),
    ],
)
def test_what_a_shape_says_of_itself_becomes_attributes(fields: dict[str, Any], kept: Any) -> None:
    reading = read_shapes(fields)
    assert attributes(reading) == kept
    assert reading.notes.lines() == []


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"kie_linking": [[1, 2]]}, "'kie_linking' of a shape"),
        ({"score": 0.5, "attributes": {"score": "high"}}, "'attributes.score' of a shape"),
        ({"colour_of_mine": "red"}, "'colour_of_mine' of a shape"),
    ],
)
def test_a_field_that_no_label_holds_is_counted_by_name(fields: dict[str, Any], named: str) -> None:
    reading = read_shapes(fields, {})
    assert [(row.code, row.count) for row in reading.notes.passed_over()] == [("field_left_out", 1)]
    assert named in reading.notes.passed_over()[0].what


def test_fields_of_the_file_that_have_a_value_are_counted_by_name() -> None:
    rows = read_shapes({}, flags={"night": True, "day": False}, description="words", checked=False).notes.passed_over()
    assert [row.what for row in rows] == [
        "the field 'flags' of an image is not kept", "the field 'description' of an image is not kept",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["rotation", "quadrilateral", "polygon"])
def test_a_shape_of_four_corners_is_a_polygon(kind: str) -> None:
    reading = read_shapes({"shape_type": kind, "points": FOUR, "direction": 0.4})
    (polygon,) = (reading.samples["a.jpg"].label or {})["polygons"]
    assert polygon == {"class": "car", "points": FOUR, "attributes": {"direction": 0.4}}
    assert reading.notes.passed_over() == []
    assert len(reading.notes.changes()) == (kind == "rotation")


@pytest.mark.parametrize(
    ("kind", "points", "code"),
    [("rotation", FOUR[:3], "shape_unknown"), ("quadrilateral", FOUR[:2], "shape_unknown"),
     ("cuboid", FOUR * 2, "cuboid"),
     ("linestrip", FOUR, "line"), ("spline", FOUR, "shape_unknown")],
)  # fmt: skip
def test_a_shape_that_no_label_holds_leaves_its_image_unlabelled(kind: str, points: Any, code: str) -> None:
    reading = read_shapes({}, {"shape_type": kind, "points": points})
    assert reading.samples["a.jpg"].label is None
    assert [row["code"] for row in reading.notes.incomplete.reasons()] == [code]
