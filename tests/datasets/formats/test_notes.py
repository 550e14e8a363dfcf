"""Notes tell what is lost from what is only written in another way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.datasets.formats.layouts import SIZE, coco

import formats
from formats import OBJECTS, PASSED_OVER, Batch, Notes, read

LOSS = re.compile(r"left out|not kept|passed over|not read|can't be|without a label")
NOTHING_LOST = {"'attributes without a value were left out'"}


def _notes_of_readers() -> Iterator[tuple[str, str]]:
    """Yield each `notes.add(..)` in the code of the readers: its place, and its words."""
    for path in sorted(Path(formats.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and called and re.search(r"notes\.add$", ast.unparse(called)):
                yield f"{path.name}:{node.lineno}", ast.unparse(node.args[0])


def test_what_is_lost_is_never_noted_as_a_mere_change() -> None:
    notes = list(_notes_of_readers())
    assert len(notes) > 10, "the readers' notes are no longer where this test looks"
    wrong = [place for place, words in notes if LOSS.search(words) and words not in NOTHING_LOST]
    assert wrong == [], "use `leave_out`: whoever sends these must be told by a number and an exit code"


def test_a_loss_is_counted_by_kind_with_its_first_place() -> None:
    notes = Notes()
    notes.add("ellipses were kept as polygons", "a.jpg")
    notes.leave_out("annotation_left_out", "predictions were left out", "b.jpg", count=3)
    notes.leave_out("annotation_left_out", "predictions were left out", "c.jpg")
    notes.add_field("licence", "an image", "d.jpg")
    assert [row.document() for row in notes.passed_over()] == [
        {"code": "annotation_left_out", "what": "predictions were left out", "count": 4, "first": "b.jpg"},
        {"code": "field_left_out", "what": "the field 'licence' of an image is not kept", "count": 1, "first": "d.jpg"},
    ]
    assert notes.changes() == ["ellipses were kept as polygons (1; the first: a.jpg)"]
    assert len(notes.lines()) == 3
    with pytest.raises(ValueError, match="lost"):
        notes.leave_out("lost", "no such code")


def test_every_code_says_what_it_counts() -> None:
    assert all(words and words[0].islower() and not words.endswith(".") for words in PASSED_OVER.values())


def test_annotations_of_an_image_that_its_file_does_not_list_are_counted_one_by_one() -> None:
    strays = '"annotations": [{"id": 8, "image_id": 77}, {"id": 9, "image_id": 77}, '
    text = coco("a.jpg").replace('"annotations": [', strays)
    reading = read("coco", Batch({"a.jpg": SIZE}, {"a.json": text.encode()}, ["car"], OBJECTS))
    (row,) = reading.notes.passed_over()
    assert (row.code, row.count, row.first) == ("image_missing", 2, "a.json")
