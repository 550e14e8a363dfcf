"""Written and read back, a dataset is what it was, but for what its format can't hold and says so."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.formats.datasets import datasets, read_back, same, write
from tests.laws import examples

import formats
from formats import FORMS, MANY_CLASSES, OBJECTS, ONE_CLASS, Item
from formats.kinds.image_folder import is_folder
from formats.kinds.table import CLASSES, FILES, SPLITS
from formats.polygons import bounds_of

HELD = [(name, form) for form in FORMS for name in formats.format_names(form)]
KITTI = {"truncated", "occluded", "alpha", "dimensions", "location", "rotation_y", "score"}
FLAGS = {"occluded", "truncated", "depiction", "inside"}
VOC = {"truncated", "occluded", "difficult", "pose"}


def attributes(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What Open Images, KITTI (`truncated` is a share there, `occluded` whole) and VOC have a place for; a flag of VOC
    that is not set is not there, and what it has no tag for is a text."""
    if name == "open_images":
        return {one: True for one in FLAGS if given.get(one) is True}
    if name == "kitti":
        return {one: given[one] for one in given if one in KITTI and of_kitti(one, given[one])}
    texts = {one: as_text(value) for one, value in given.items()} | {one: given[one] for one in given if one in VOC}
    datumaro = {"True": True, "False": False}  # as it writes them
    return {one: datumaro.get(str(value), value) for one, value in texts.items() if one not in VOC or value != 0}


def of_kitti(name: str, value: Any) -> bool:
    return (name != "truncated" or 0 <= value <= 1) and (name != "occluded" or value == int(value))


def plain(name: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """An object as a format without outlines, ids and tracks has it."""
    box = one["box"] if "box" in one else bounds_of(one)
    kept = {} if name in {"yolo", "csv"} else attributes(name, one.get("attributes", {}))
    return {"class": one["class"], "box": box} | ({"attributes": kept} if kept else {})


def arranged(label: Mapping[str, Any] | None) -> object:
    """Regions to ignore have no order."""
    if label is None or "ignore" not in label:
        return label
    return {**label, "ignore": sorted(label["ignore"], key=_place)}


def _place(region: Mapping[str, Any]) -> tuple[object, ...]:
    return [round(corner, 6) for corner in region["box"]], region.get("class", "")


def outlined(name: str, label: Mapping[str, Any]) -> Mapping[str, Any]:
    """A label as formats have it that know outlines, but no ids, tracks and regions to ignore."""
    if "boxes" not in label:
        return label
    found: dict[str, Any] = {"boxes": [], "polygons": []}
    for side in found:
        for one in label.get(side, ()):
            kept = {part: one[part] for part in ("class", "box", "points", "parts") if part in one}
            texts = {key: as_text(value) for key, value in one.get("attributes", {}).items()}
            found[side].append(kept | ({"attributes": texts} if texts and name == "cvat" else {}))
    return found if found["polygons"] else {"boxes": found["boxes"]}


def as_text(value: Any) -> Any:
    """An attribute as CVAT has it."""
    text = str(value)
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(text, text)


def held(name: str, item: Item, classes: list[str]) -> Item:
    """The sample as the format can hold it."""
    label = item.label
    if name in {"jsonl", "label_studio", "coco"}:
        return item
    if name == "image_folder":
        folder = label is not None and is_folder(label["class"])
        return Item(item.key, item.size, item.split, label if folder else None)
    if label is None:
        return Item(item.key, item.size, item.split)
    if name == "csv" and "boxes" not in label:
        many = {"classes": [one for one in classes if one in label["classes"]]} if "classes" in label else label
        return Item(item.key, item.size, item.split, many)
    if name in {"cvat", "labelme", "labelme_xml"}:
        return Item(item.key, item.size, item.split, outlined(name, label))
    boxes = {"boxes": [plain(name, one) for one in (*label["boxes"], *label.get("polygons", ()))]}
    if name == "open_images" and (regions := [one for one in label.get("ignore", ()) if one.get("class") in classes]):
        boxes["ignore"] = [plain(name, one) for one in regions]
    if name == "open_images" and not any(boxes.values()):
        return Item(item.key, item.size, item.split)  # it knows no image on which nothing is
    if name == "kitti" and "ignore" in label:
        boxes["ignore"] = [{"class": "DontCare", "box": one["box"]} for one in label["ignore"]]
    return Item(item.key, item.size, item.split, boxes)


@pytest.mark.parametrize(("name", "form"), HELD)
@settings(max_examples=examples(80))
@given(data=st.data())
def test_what_a_format_holds_comes_back(name: str, form: str, data: st.DataObject) -> None:
    classes, samples = data.draw(datasets(form))
    if name == "image_folder" and any(one in {"train", "val", "test", "pool"} for one in classes):
        return  # said as a loss: see test_what_is_lost_is_said
    if name == "kitti" and len({"_".join(one.split()) for one in classes}) < len(classes):
        return  # names that differ in their spaces alone are one there
    if name == "csv" and form == MANY_CLASSES and {one.lower() for one in classes} & {*FILES, *SPLITS, *CLASSES}:
        return  # refused: see test_layouts
    archive = write(name, samples, classes=classes, form=form)
    reading = read_back(name, archive, samples, classes=classes, form=form)
    for item in samples:
        found, expected = reading.samples[archive.paths[item.key]], held(name, item, classes)
        assert same(arranged(found.label), arranged(expected.label)), (found.label, expected.label)
        assert found.split == item.split
        assert same(dict(found.meta), dict(expected.meta)), (found.meta, expected.meta)
    assert set(reading.used) == set(archive.documents)
    notes = (
        "as regions to ignore", "labelled images stay in pool", "name different splits: the outer one was taken",
        "as one object of several parts",
    )  # fmt: skip
    assert all(any(note in line for note in notes) for line in reading.notes.lines())


@pytest.mark.parametrize(("name", "form"), [held for held in HELD if held[0] != "coco"])
def test_images_that_get_another_name_than_their_key_are_counted(name: str, form: str) -> None:
    """Formats without folders join the names of folders, which their page says; what no system unpacks is each its
    own. COCO holds the key beside the name."""
    images = [Item(key, (9, 9), "train") for key in ("a.png", "A.png", "x:y.png", "c.png", "f/c.png")]
    told = write(name, images, classes=["car"], form=form).losses
    assert "keys that are no safe file names; those images have new ones (2; the first: A.png)" in told


def test_what_is_lost_is_said() -> None:
    """The sentences a user reads, each with how often and where first."""
    car = {"class": "a/b", "box": [1.0, 1.0, 5.0, 5.0], "attributes": {"colour": "red"}, "id": "7", "track": "t"}
    label = {"boxes": [car, car | {"id": "8"}], "ignore": [{"class": "sky", "box": [0.0, 0.0, 9.0, 9.0]}]}
    meta = {"night": True}
    boxes = [Item("a:b.png", (10, 10), "train", label, meta), Item("c.png", (10, 10), meta=meta)]
    classes = ["a/b"]
    losses = {name: write(name, boxes, classes=classes, form=OBJECTS).losses for name in formats.format_names(OBJECTS)}
    named = "keys that are no safe file names; those images have new ones (1; the first: a:b.png)"
    assert losses["jsonl"] == losses["label_studio"] == [named]
    unseen = "regions to ignore of no category, which other tools than this one don't see"
    assert losses["coco"] == [f"{unseen} (1; the first: a:b.png)"]
    gone = [f"{what} (2; the first: a:b.png)" for what in ("ids of objects", "tracks of objects", "metadata 'night'")]
    coloured = "the attribute 'colour' (2; the first: a:b.png)"
    ignored = "regions to ignore (1; the first: a:b.png)"
    sky = "classes of regions to ignore: they are written DontCare (1; the first: a:b.png)"
    no_val = "data.yaml names no images of val: Ultralytics reads none without train and val"
    assert set(losses["yolo"]) == {*gone, "attributes of objects (2; the first: a:b.png)", ignored, no_val, named}
    unsaid = [
        f"{what!r} of objects that do not say it: -1 is written, as KITTI's own tools do (2; the first: a:b.png)"
        for what in ("truncated", "occluded")
    ]
    assert set(losses["kitti"]) == {*gone, coloured, sky, *unsaid, named}
    assert set(losses["voc"]) == {*gone, ignored, named}
    images = [Item("1.png", (9, 9), "train", {"class": "a/b"}), Item("2.png", (9, 9), "train")]
    told = write("image_folder", images, classes=["a/b", "train"], form=ONE_CLASS).losses
    assert told == [
        "the class 'a/b', which is no name of a folder: its images are written without it (1; the first: 1.png)",
        "images without a class in train, since a class has that name too (2; the first: 1.png)",
    ]
    hidden = Item("1.png", (9, 9), "train", {"class": ".cat"})
    told = write("image_folder", [hidden], classes=[".cat", "A", "a"], form=ONE_CLASS).losses
    assert told == [
        "the difference of 'A' and 'a', where folders are told apart without their case",
        "the class '.cat', which is no name of a folder: its images are written without it (1; the first: 1.png)",
    ]


@pytest.mark.parametrize("name", ["kitti", "voc"])
def test_a_name_that_begins_with_a_space_keeps_its_split(name: str) -> None:
    box = {"boxes": [{"class": "car", "box": [1.0, 1.0, 5.0, 5.0]}]}
    samples = [Item(" lead.png", (10, 10), "test", box), Item("b.png", (10, 10), "val", box)]
    archive = write(name, samples, classes=["car"], form=OBJECTS)
    reading = read_back(name, archive, samples, classes=["car"], form=OBJECTS)
    assert [reading.samples[archive.paths[item.key]].split for item in samples] == ["test", "val"]


@pytest.mark.parametrize("name", ["coco", "jsonl", "kitti", "label_studio", "voc"])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_what_an_object_carries_stays_with_it_when_others_come_and_go(name: str, data: st.DataObject) -> None:
    """Out, edited, out again: an object's own mark is still on it, whatever was removed or put in before it."""
    count = data.draw(st.integers(1, 6))
    marked: list[dict[str, Any]] = [
        {"class": "a", "box": [place, 0.0, place + 1.0, 5.0 + place], "attributes": {"truncated": (1 + place) / 8}}
        for place in map(float, range(count))
    ]
    bare = [{"class": "a", "box": [20.0 + place, 0.0, 21.0 + place, 9.0]} for place in range(3)]
    kept = data.draw(st.lists(st.sampled_from(marked), unique_by=lambda one: one["box"][0]))
    edited = data.draw(st.permutations([*kept, *data.draw(st.lists(st.sampled_from(bare), max_size=2))]))
    for boxes in (marked, edited):
        samples = [Item("a.png", (40, 40), "train", {"boxes": boxes})]
        archive = write(name, samples, classes=["a"], form=OBJECTS)
        reading = read_back(name, archive, samples, classes=["a"], form=OBJECTS)
        label = reading.samples[archive.paths["a.png"]].label
        assert same(label, {"boxes": boxes})


@pytest.mark.parametrize("told", [True, False, 1, 2, 0.25, "partly", ""])
@pytest.mark.parametrize("flag", ["truncated", "occluded", "difficult"])
def test_a_flag_of_voc_is_0_or_1_in_its_own_tag_and_keeps_its_value(flag: str, told: Any) -> None:
    """Other readers take nothing but 0 and 1 there."""
    box = {"class": "a", "box": [0.0, 0.0, 5.0, 5.0], "attributes": {flag: told, "pose": "Unspecified"}}
    samples = [Item("a.png", (9, 9), "train", {"boxes": [box]})]
    archive = write("voc", samples, classes=["a"], form=OBJECTS)
    text = next(data for path, data in archive.documents.items() if path.endswith(".xml")).decode()
    assert f"<{flag}>{int(isinstance(told, int | float) and bool(told))}</{flag}>" in text
    found = read_back("voc", archive, samples, classes=["a"], form=OBJECTS).samples[archive.paths["a.png"]].label
    assert found is not None
    assert found["boxes"] == [box]
    assert type(found["boxes"][0]["attributes"][flag]) in {type(told), float}
    assert archive.losses == []


def test_a_class_that_the_label_map_of_voc_would_pass_over_is_said() -> None:
    archive = write("voc", [Item("a.png", (9, 9), "train", {"boxes": []})], classes=["#1", "a:b"], form=OBJECTS)
    assert archive.losses == [
        "the # of '#1' in labelmap.txt, where it is written _: that line would be a comment",
        "the colon of 'a:b' in labelmap.txt, where it is written _",
    ]
    named = archive.documents["labelmap.txt"].decode().splitlines()[2:]
    assert [line.partition(":")[0] for line in named] == ["_1", "a_b"]
