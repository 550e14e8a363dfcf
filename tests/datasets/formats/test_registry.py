"""Formats: what each recognises and reads, and what holds for all."""

import pytest

from formats import FormatError, annotate, format_names, recognise
from formats.registry import register

CLASSES = ["cat", "dog"]


def test_no_format_recognises_an_empty_batch() -> None:
    assert format_names() == ["image_folder", "jsonl"]
    assert recognise([], None, classes=CLASSES) is None


def test_a_second_format_of_one_name_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        register("jsonl")(type("Other", (), {}))


def test_an_unknown_format_names_those_that_exist() -> None:
    with pytest.raises(FormatError, match="image_folder, jsonl"):
        annotate("coco2", [], None)


def test_folders_named_like_classes_are_an_image_folder() -> None:
    found = recognise(["train/cat/1.png", "test/yak/1.png"], None, classes=CLASSES)
    assert found is not None
    assert found[0] == "image_folder"
    assert recognise(["camera/1.png"], None, classes=CLASSES) is None
    assert recognise(["1.png"], None, classes=CLASSES) is None


def test_an_image_folder_tells_class_and_split() -> None:
    notes = annotate("image_folder", ["validation/cat/1.png", "dog/2.png"], None)
    assert (notes["validation/cat/1.png"].label, notes["validation/cat/1.png"].split) == ({"class": "cat"}, "val")
    assert notes["dog/2.png"].split is None


@pytest.mark.parametrize(
    "document", [b"{", b"[]", b'{"key": 1}', b'{"key": "a", "meta": []}', b'{"key": "other"}', b"\xff\xfe"]
)
def test_bad_json_lines_are_refused_with_their_line(document: bytes) -> None:
    with pytest.raises(FormatError, match=r"line 1|no key matches"):
        annotate("jsonl", ["a"], document)
