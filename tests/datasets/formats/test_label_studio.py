"""Which image a task of Label Studio is about, and which of its annotations counts."""

import json
from typing import Any

import pytest
from tests.datasets.formats.layouts import SIZE

from formats import OBJECTS, Batch, Reading, read


def result(left: float = 10) -> list[dict[str, Any]]:
    value = {"x": left, "y": 10, "width": 20, "height": 40, "rotation": 0, "rectanglelabels": ["car"]}
    return [{"id": "r", "type": "rectanglelabels", "value": value, "original_width": 100, "original_height": 50}]


def annotated(address: str, **more: Any) -> dict[str, Any]:
    return {"data": {"image": address}, "annotations": [{"result": result()}]} | more


def read_tasks(images: list[str], *tasks: Any) -> Reading:
    document = json.dumps(tasks, ensure_ascii=False).encode()
    return read("label_studio", Batch(dict.fromkeys(images, SIZE), {"tasks.json": document}, ["car"], OBJECTS))


def labelled(reading: Reading) -> list[str]:
    return sorted(key for key, one in reading.samples.items() if one.label is not None)


@pytest.mark.parametrize(
    ("image", "address"),
    [
        ("x.jpg", "/data/upload/3/1a2b3c4d-x.jpg"),
        ("Scan 7 (copy).PNG", "/data/upload/3/1a2b3c4d-Scan_7_copy.PNG"),
        ("pics/Scan 7 (copy).PNG", "upload/3/1a2b3c4d-Scan_7_copy.PNG"),
        ("caf\u00e9 & bar.jpg", "/data/upload/3/1a2b3c4d-caf%C3%A9__bar.jpg"),
        ("caf\u00e9.jpg", "/data/upload/3/1a2b3c4d-cafe.jpg"),  # a Mac sent e and an accent
        ("1a2b3c4d-x.jpg", "/data/upload/3/1a2b3c4d-x.jpg"),  # downloaded under its stored name
        ("day 1/x y.jpg", "/data/local-files/?d=day%201/x%20y.jpg"),
        ("day 1/a+b.jpg", "/data/local-files/?d=day+1/a%2Bb.jpg"),
        ("day/a+b.jpg", "http://host:8080/data/local-files/?d=day/a+b.jpg"),
        ("k/x y.jpg", "s3://bucket/k/x y.jpg"),
        ("k/50%25.jpg", "s3://bucket/k/50%25.jpg"),
        ("k/x#1.jpg", "gs://bucket/k/x#1.jpg"),
        ("k/x y.jpg", "https://host/k/x%20y.jpg?signature=a%2Fb&d=other.jpg"),
        ("x y.jpg", "x%20y.jpg"),
        ("x%20y.jpg", "x%20y.jpg"),
    ],
)
def test_the_address_of_an_image_leads_to_it(image: str, address: str) -> None:
    assert labelled(read_tasks([image, "other/z.jpg"], annotated(address))) == [image]


def test_two_images_whose_stored_names_are_alike_are_named_and_neither_is_labelled() -> None:
    reading = read_tasks(
        ["a b.jpg", "a_b.jpg", "c.jpg"], annotated("/u/0a1b2c3d-a_b.jpg"), annotated("/u/0a1b2c3d-c.jpg")
    )
    (fault,) = reading.faults
    assert ("'a b.jpg'" in str(fault.error), "'a_b.jpg'" in str(fault.error)) == (True, True)
    assert (fault.error.code, labelled(reading)) == ("annotations_ambiguous", ["c.jpg"])


def test_names_that_were_matched_by_label_studios_rule_are_counted_and_no_loss() -> None:
    reading = read_tasks(["a b.jpg", "c.jpg"], annotated("/u/0a1b2c3d-a_b.jpg"), annotated("/u/0a1b2c3d-c.jpg"))
    assert reading.notes.passed_over() == []
    assert [line[-32:] for line in reading.notes.changes()] == ["(1; the first: tasks.json, task 0)"[-32:]]


def test_the_image_is_in_whatever_field_has_its_address() -> None:
    data = {"photo": "a.jpg", "caption": "at night", "page": "https://example.org/a"}
    assert labelled(read_tasks(["a.jpg"], annotated("") | {"data": data})) == ["a.jpg"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"left": "a.jpg", "right": "b.jpg"}, "'left' and 'right' are both addresses of images"),
        ({"image": "a.jpg", "mask": "/data/local-files/?d=m/a.png"}, "'image' and 'mask' are both"),
        ({"text": "hello", "more": "words"}, "(there is 'text', 'more'); name it `image`"),
        ({"images": ["a.jpg", "b.jpg"]}, "(there is 'images')"),
        ({}, "(there is nothing)"),
    ],
)
def test_a_task_that_names_several_images_or_none_is_refused_by_its_fields(data: dict[str, Any], words: str) -> None:
    reading = read_tasks(["a.jpg", "b.jpg", "c.jpg"], annotated("") | {"data": data}, annotated("c.jpg"))
    (fault,) = reading.faults
    assert words in str(fault.error)
    assert labelled(reading) == ["c.jpg"]


def chosen(*annotations: dict[str, Any]) -> tuple[Reading, float | None]:
    """The reading of a task with these annotations, and the left edge in percent of the box that was taken."""
    reading = read_tasks(["a.jpg"], annotated("a.jpg") | {"annotations": list(annotations)})
    label = reading.samples["a.jpg"].label if "a.jpg" in reading.samples else None
    return reading, label["boxes"][0]["box"][0] if label else None


def one(left: float, **more: Any) -> dict[str, Any]:
    return {"result": result(left)} | more


TRUTH, CANCELLED = {"ground_truth": True}, {"was_cancelled": True}


@pytest.mark.parametrize(
    ("annotations", "left", "count"),
    [
        ([one(1, **TRUTH), one(2), one(3)], 1, 2),
        ([one(1), one(2, **TRUTH)], 2, 1),
        ([one(1), one(2)], 2, 1),
        ([one(1), one(2, **CANCELLED)], 1, 1),
        ([one(1, **TRUTH, **CANCELLED), one(2)], 2, 1),
        ([one(1, **TRUTH), one(1, **TRUTH)], 1, 1),
        ([one(1), {"result": []} | CANCELLED], 1, 0),
        ([one(1, **CANCELLED)], None, 1),
        ([one(1)], 1, 0),
    ],
)
def test_the_ground_truth_counts_and_the_others_are_counted(
    annotations: list[dict[str, Any]], left: float | None, count: int
) -> None:
    reading, box = chosen(*annotations)
    assert box == left
    assert sum(row.count for row in reading.notes.passed_over()) == count


def test_two_ground_truths_that_differ_are_refused() -> None:
    reading, box = chosen(one(1, **TRUTH), one(2, **TRUTH))
    assert (box, [fault.error.code for fault in reading.faults]) == (None, ["annotations_ambiguous"])


def test_each_prediction_that_is_left_out_is_counted() -> None:
    reading = read_tasks(["a.jpg"], annotated("a.jpg", predictions=[{"result": []}, {"result": []}]))
    assert [(row.code, row.count) for row in reading.notes.passed_over()] == [("annotation_left_out", 2)]
