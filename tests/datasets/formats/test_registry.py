"""The registry: names, recognition, refusals."""

import os
import subprocess
import sys

import pytest
from tests.datasets.formats.datasets import fault_in

from formats import OBJECTS, ONE_CLASS, Batch, FormatError, format_names, read, recognise
from formats.registry import register

CLASSES = ["cat", "dog"]


def folders(*names: str) -> Batch:
    return Batch(dict.fromkeys(names), classes=CLASSES)


def test_these_formats_hold_these_tasks() -> None:
    boxes = ["kitti", "labelme", "labelme_xml", "open_images", "voc", "yolo"]
    every = ["coco", "csv", "cvat", "jsonl", "label_studio"]
    assert format_names() == sorted([*boxes, *every, "image_folder"])
    assert format_names(ONE_CLASS) == sorted([*every, "image_folder"])
    assert format_names(OBJECTS) == sorted([*boxes, *every])


def test_no_format_recognises_an_empty_batch() -> None:
    assert recognise(Batch({})) is None


def test_a_second_format_of_one_name_is_refused() -> None:
    format_names()
    with pytest.raises(ValueError, match="twice"):
        register("jsonl")(type("Other", (), {}))


def test_a_format_that_is_imported_before_the_others_hides_none() -> None:
    code = "from formats.kinds import coco; from formats import format_names; print(*format_names())"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert told.stdout.split() == format_names()


def test_an_unknown_format_names_those_that_exist() -> None:
    with pytest.raises(FormatError, match="coco, csv, cvat, image_folder, jsonl"):
        read("coco2", Batch({}))


def test_a_format_of_boxes_is_refused_for_classification_with_those_that_fit() -> None:
    with pytest.raises(
        FormatError, match="kitti holds no labels of the form class: use one of coco, csv, cvat, image_folder"
    ) as told:
        read("kitti", Batch({}, {"a.txt": b""}, CLASSES, ONE_CLASS))
    assert told.value.code == "format_unsuited"


def test_folders_named_like_classes_are_an_image_folder() -> None:
    found = recognise(folders("train/cat/1.png", "test/yak/1.png"))
    assert found is not None
    assert found.format == "image_folder"
    assert recognise(folders("camera/1.png")) is None
    assert recognise(folders("1.png")) is None


def test_an_image_folder_tells_class_and_split() -> None:
    told = read("image_folder", folders("validation/cat/1.png", "dog/2.png", "test/3.png")).samples
    assert (told["validation/cat/1.png"].label, told["validation/cat/1.png"].split) == ({"class": "cat"}, "val")
    assert told["dog/2.png"].split is None
    assert (told["test/3.png"].label, told["test/3.png"].split) == (None, "test")


def test_documents_go_before_folders() -> None:
    batch = Batch({"cat/1.png": None}, {"a.jsonl": b'{"key": "cat/1.png", "label": {"class": "dog"}}'}, CLASSES)
    found = recognise(batch)
    assert found is not None
    assert found.format == "jsonl"


def test_two_formats_at_once_are_both_named() -> None:
    documents = {"a.jsonl": b'{"key": "1.png"}', "1.xml": b"<annotation></annotation>"}
    with pytest.raises(FormatError, match=r"jsonl .a.jsonl .* or voc .1.xml .*: name its `format`") as told:
        recognise(Batch({"1.png": None}, documents, CLASSES, OBJECTS))
    assert told.value.code == "annotations_ambiguous"


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"key": 1}', b'{"key": "a", "meta": []}', b'{"key": "other"}', b"\xff\xfe", b'{"key":"\\u0000"}'],
)
def test_bad_json_lines_are_refused_with_their_line(line: bytes) -> None:
    told = fault_in("jsonl", Batch({"a": None}, {"annotations": line}))
    assert "line 1" in str(told) or "no key matches" in str(told)
