"""Categories of COCO that stand twice become one class, or are refused, never mixed up without a word."""

import json
from typing import Any

import pytest
from tests.datasets.formats.layouts import SIZE

from formats import OBJECTS, Batch, FormatError, Reading, read


def read_with(*categories: dict[str, Any], used: tuple[int | str, ...] = (1, 2)) -> Reading:
    images = [{"id": number, "file_name": f"{number}.jpg"} for number in range(len(used))]
    rows = [{"id": n, "image_id": n, "category_id": id_, "bbox": [10, 5, 20, 20]} for n, id_ in enumerate(used)]
    document = json.dumps({"images": images, "annotations": rows, "categories": list(categories)}).encode()
    batch = Batch({f"{n}.jpg": SIZE for n in range(len(used))}, {"a.json": document}, ["car", "bus"], OBJECTS)
    return read("coco", batch)


def classes(reading: Reading) -> list[str]:
    return [one.label["boxes"][0]["class"] for _, one in sorted(reading.samples.items()) if one.label]


def car(number: int | str, above: str | None = None, name: str = "car") -> dict[str, Any]:
    return {"id": number, "name": name} | ({"supercategory": above} if above is not None else {})


@pytest.mark.parametrize(
    ("categories", "note"),
    [
        ([car(1), car(2)], "categories of the same name became one class (1; the first: a.json)"),
        ([car(1, "vehicle"), car(2, "vehicle")], "categories of the same name became one class (1; the first: a.json)"),
        (
            [car(1), car(2), car(3, ""), car(4, "x")],
            "categories of the same name became one class (3; the first: a.json)",
        ),
        (
            [car(1), car(2, name="bus"), car("1")],
            "categories that are listed twice were read once (1; the first: a.json)",
        ),
    ],
)
def test_the_same_category_twice_is_one_class_and_counted(categories: list[dict[str, Any]], note: str) -> None:
    reading = read_with(*categories)
    assert reading.notes.changes() == [note]
    assert classes(reading) == ["car", categories[1]["name"]]


def test_the_root_that_roboflow_writes_is_no_second_class() -> None:
    """It names its project as category 0, which no annotation has, and the classes below it."""
    reading = read_with(car(0, "none"), car(1, "car"), car(2, "car", name="bus"))
    assert (classes(reading), reading.faults) == (["car", "bus"], [])


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        ([car(1, "toy"), car(2, "vehicle")], ("'car' is the name of 1 (supercategory 'toy')", "rename one of them")),
        ([car(0, "none"), car(1, "toy"), car(2, "vehicle")], ("of 1 (supercategory 'toy') and of 2",)),
        ([car(1), car(2), car(1, name="bus")], ("categories[2].id: 1 is 'car' and 'bus'", "its own id")),
    ],
)
def test_categories_that_would_be_mixed_up_are_refused_by_name(
    categories: list[dict[str, Any]], words: tuple[str, ...]
) -> None:
    reading = read_with(*categories)
    (fault,) = reading.faults
    assert all(part in str(fault.error) for part in words), fault.error
    assert isinstance(fault.error, FormatError)
    assert classes(reading) == []
