"""Written and read back, a dataset is what it was, but for what its format can't hold and says so."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.formats.datasets import TASKS, datasets, read_back, same, write

import formats
from formats import CLASSIFICATION, DETECTION, Item
from formats.paths import safe_part
from formats.polygons import bounds

HELD = [(name, task) for task in TASKS for name in formats.format_names(task)]
KITTI = {"truncated", "occluded", "alpha", "dimensions", "location", "rotation_y"}
VOC = {"truncated", "occluded", "difficult", "pose"}


def attributes(item: Item, names: set[str]) -> dict[str, Any]:
    """Of each box, the attributes the format has a place for; a flag of VOC that is not set is not there."""
    unset = 0 if names is VOC else None
    given = item.meta["attributes"] + [{} for _ in (item.label or {}).get("polygons", ())]
    kept = [{name: one[name] for name in one if name in names and one[name] != unset} for one in given]
    return {"attributes": kept} if any(kept) else {}


def boxes_alone(label: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The label as a format without outlines has it."""
    if label is None:
        return None
    around = [{"class": one["class"], "box": bounds(one["points"])} for one in label.get("polygons", ())]
    return {"boxes": [*label["boxes"], *around]}


def held(name: str, item: Item, classes: list[str]) -> Item:
    """The sample as the format can hold it."""
    label, meta = item.label, dict(item.meta)
    if name in {"jsonl", "label_studio"}:
        return item
    if name == "image_folder":
        folder = label is not None and "/" not in label["class"] and safe_part(label["class"]) == label["class"]
        return Item(item.key, item.size, item.split, label if folder else None)
    if name == "yolo" or label is None:
        return Item(item.key, item.size, item.split, boxes_alone(label), meta if name == "coco" else {})
    if name == "coco":
        regions = [one for one in meta.pop("ignore", []) if one["class"] in classes]
        return Item(item.key, item.size, item.split, label, meta | ({"ignore": regions} if regions else {}))
    label = boxes_alone(label)
    kept = attributes(item, KITTI if name == "kitti" else VOC) if "attributes" in meta else {}
    if name == "kitti" and "ignore" in meta:
        kept["ignore"] = [one | {"class": "DontCare"} for one in meta["ignore"]]
    return Item(item.key, item.size, item.split, label, kept)


@pytest.mark.parametrize(("name", "task"), HELD)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_what_a_format_holds_comes_back(name: str, task: str, data: st.DataObject) -> None:
    classes, samples = data.draw(datasets(task))
    if name == "image_folder" and any(one in {"train", "val", "test", "pool"} for one in classes):
        return  # said as a loss: see test_what_is_lost_is_said
    if name == "kitti" and len({"_".join(one.split()) for one in classes}) < len(classes):
        return  # names that differ in their spaces alone are one there
    archive = write(name, samples, classes=classes, task=task)
    reading = read_back(name, archive, samples, classes=classes, task=task)
    for item in samples:
        found, expected = reading.samples[archive.paths[item.key]], held(name, item, classes)
        assert same(found.label, expected.label), (found.label, expected.label)
        assert found.split == item.split
        assert same(dict(found.meta), dict(expected.meta)), (found.meta, expected.meta)
    assert set(reading.used) == set(archive.documents)
    assert all("kept in `meta" in line for line in reading.notes.lines())


def test_what_is_lost_is_said() -> None:
    """The sentences a user reads, each with how often and where first."""
    car = {"class": "a/b", "box": [1.0, 1.0, 5.0, 5.0]}
    meta = {"night": True, "attributes": [{"colour": "red"}], "ignore": [{"class": "sky", "box": [0.0, 0.0, 9.0, 9.0]}]}
    boxes = [Item("a:b.png", (10, 10), "train", {"boxes": [car]}, meta), Item("c.png", (10, 10), meta={"night": True})]
    classes = ["a/b"]
    losses = {
        name: write(name, boxes, classes=classes, task=DETECTION).losses for name in formats.format_names(DETECTION)
    }
    named = "keys that are no safe file names; those images have new ones (1; the first: a:b.png)"
    assert losses["jsonl"] == losses["label_studio"] == [named]
    assert losses["coco"] == [named, "regions to ignore of 'sky', which is no category (1; the first: a:b.png)"]
    assert "metadata 'night' (2; the first: a:b.png)" in losses["yolo"]
    assert "the attribute 'colour' (1; the first: a:b.png)" in losses["kitti"]
    assert "the attribute 'colour' (1; the first: a:b.png)" in losses["voc"]
    assert "metadata 'ignore' (1; the first: a:b.png)" in losses["voc"]
    images = [Item("1.png", (9, 9), "train", {"class": "a/b"}), Item("2.png", (9, 9), "train")]
    told = write("image_folder", images, classes=["a/b", "train"], task=CLASSIFICATION).losses
    assert told == [
        "the class 'a/b', which is no name of a folder: its images are written without it (1; the first: 1.png)",
        "images without a class in train, since a class has that name too (2; the first: 1.png)",
    ]
