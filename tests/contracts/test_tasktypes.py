"""What every registered task type keeps to: of labels, what `label_parts` promises."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for
from tests.datasets.formats.datasets import datasets, labels, read_back, write
from tests.laws import examples

import formats
from core.errors import Invalid
from labeling.models import Queue
from tasktypes import TaskType, faults, names, register, task_type
from tasktypes.label_parts import KINDS
from tasktypes.schemas import reference

CLASSES = ["cat", "dog", "wet road"]
SIZE = (64, 48)
WORDS = ["class", "classes", "boxes", "box", "polygons", "points", "ignore", "attributes", "id", "track", *CLASSES]
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 70), st.floats(), st.sampled_from(WORDS), st.text(max_size=3)
)
NONSENSE = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)),
    max_leaves=12,
)
ALL = pytest.mark.parametrize("asked", [task_type(name) for name in names()], ids=names())
HELD = [(task_type(name), kind) for name in names() for kind in formats.format_names(task_type(name).labels.form)]


def drawn(data: st.DataObject, asked: TaskType, count: int = 1) -> list[dict[str, Any]]:
    """Labels of this task type."""
    return [data.draw(labels(asked.labels.form, CLASSES, SIZE)) for _ in range(count)]


def agree(asked: TaskType, one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(asked.agreement.compare([one, other], np.array([0]), np.array([1])).agree[0])


def test_the_four_are_there_and_nothing_is_wrong_with_them() -> None:
    assert {"classification", "multilabel", "detection", "segmentation"} <= {*names()}
    assert faults() == []


def test_one_that_leaves_something_undefined_is_refused() -> None:
    class Half(TaskType):
        """Half of one."""

    with pytest.raises(ValueError, match="must define agreement, labels"):
        register("half")(Half)


@ALL
def test_it_says_what_formats_and_pages_need(asked: TaskType) -> None:
    told = asked.labels
    assert told.form in formats.FORMS
    assert told.editors
    assert {*told.editors} <= {*Queue.Kind.values}
    assert {told.value_schema, told.suggestion_schema} <= told.schemas.keys()
    assert asked.agreement.kind in KINDS
    assert not (asked.agreement.exclusive and asked.agreement.overlaps)
    with pytest.raises(Invalid, match=told.example.replace("{", r"\{").replace("[", r"\[")):
        told.check("cat", classes=CLASSES, size=SIZE)


@ALL
@given(data=st.data())
def test_the_normal_form_is_its_own_normal_form(asked: TaskType, data: st.DataObject) -> None:
    (label,) = drawn(data, asked)
    once = asked.labels.check(label, classes=CLASSES, size=SIZE)
    assert asked.labels.check(once, classes=CLASSES, size=SIZE) == once
    assert asked.labels.check(once, classes=CLASSES, size=None) == once


@ALL
@given(data=st.data())
def test_a_label_is_as_it_is_declared(asked: TaskType, data: st.DataObject) -> None:
    (label,) = drawn(data, asked)
    declared = {"components": {"schemas": asked.labels.schemas}} | reference(asked.labels.value_schema)
    validator_for(declared).validate(asked.labels.check(label, classes=CLASSES, size=SIZE))


@ALL
@settings(max_examples=examples(400))
@given(value=NONSENSE)
def test_what_is_no_label_is_refused_by_the_field(asked: TaskType, value: Any) -> None:
    refusal: Invalid | None = None
    taken: dict[str, Any] = {}
    try:
        taken = asked.labels.check(value, classes=CLASSES, size=SIZE)
    except Invalid as error:
        refusal = error
    if refusal is None:
        assert asked.labels.check(taken, classes=CLASSES, size=SIZE) == taken
    else:
        assert list(refusal.errors) == ["label"]
        assert refusal.code in {"unknown_class", "label_malformed"}


@ALL
@given(data=st.data())
def test_a_label_counts_classes_of_the_dataset_and_its_objects(asked: TaskType, data: st.DataObject) -> None:
    (label,) = drawn(data, asked)
    counts = asked.labels.class_counts(label)
    assert counts.keys() <= {*CLASSES}
    assert all(count > 0 for count in counts.values())
    found = [one for one in asked.labels.objects(label) if one.kind != "ignored"]
    if asked.labels.has_objects:
        assert sum(counts.values()) == len(found)
        assert all(0 < one.area <= one.width * one.height + 1e-6 for one in found)
    else:
        assert found == []
        assert asked.labels.names_several or len(counts) == 1


@ALL
@given(data=st.data())
def test_agreement_is_symmetric_and_whole_with_itself(asked: TaskType, data: st.DataObject) -> None:
    one, other = drawn(data, asked, 2)
    assert agree(asked, one, dict(one))
    assert agree(asked, one, other) == agree(asked, other, one)
    assert (asked.agreement.category(one) is None) == asked.agreement.overlaps


@ALL
@given(data=st.data())
def test_equal_labels_come_to_that_label(asked: TaskType, data: st.DataObject) -> None:
    (label,) = drawn(data, asked)
    for people in (1, 2, 3):
        (found,) = asked.agreement.fuse([[label] * people])
        assert (found.label, found.confidence, found.tied) == (label, 1.0, False)


@ALL
@given(data=st.data())
def test_a_task_comes_to_the_same_whatever_others_are_asked_beside_it(asked: TaskType, data: st.DataObject) -> None:
    tasks = [drawn(data, asked, count) for count in (3, 1, 2)]
    assert asked.agreement.fuse(tasks) == [asked.agreement.fuse([labels])[0] for labels in tasks]
    assert asked.agreement.fuse([]) == []


@ALL
@given(data=st.data())
def test_nothing_differs_but_what_was_changed(asked: TaskType, data: st.DataObject) -> None:
    one, other = drawn(data, asked, 2)
    if asked.labels.class_counts(one) != asked.labels.class_counts(other):
        assert asked.labels.change(one, other) == "relabelled"


@pytest.mark.parametrize(("asked", "kind"), HELD, ids=[f"{asked.name}-{kind}" for asked, kind in HELD])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_every_format_that_holds_its_form_goes_there_and_back(asked: TaskType, kind: str, data: st.DataObject) -> None:
    classes, samples = data.draw(datasets(asked.labels.form))
    archive = write(kind, samples, classes=classes, form=asked.labels.form)
    found = read_back(kind, archive, samples, classes=classes, form=asked.labels.form).samples
    for item in samples:
        back = found.get(archive.paths[item.key])
        if back is None or back.label is None:
            continue
        kept = asked.labels.check(back.label, classes=classes, size=item.size)
        assert item.label is not None
        if kind == "jsonl":
            assert kept == asked.labels.check(item.label, classes=classes, size=item.size)
