"""The file of predictions: equal bytes, read back whole, paired with another version's; and the document made of it."""

import io

import numpy as np
import pytest

from tasktypes.classification.metrics import ClassificationMetrics
from tasktypes.classification.predictions import ClassPredictions
from tasktypes.predictions import EvaluationError, common


def test_equal_predictions_give_equal_bytes_and_are_read_back_whole(predictions_of):
    made = predictions_of(37)
    file = made.to_bytes()
    assert file == predictions_of(37).to_bytes()
    found = ClassPredictions.read(file)
    for column in ("md5", "label", "predicted", "confidence", "likelihood", "top5"):
        np.testing.assert_array_equal(getattr(found, column), getattr(made, column))
    assert {name: held.tolist() for name, held in found.slices.items()} == {"front": [True] * 9 + [False] * 28}
    assert found.to_bytes() == file


def test_rows_are_in_the_order_of_the_keys_whatever_the_order_they_were_judged_in():
    probabilities = np.array([[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]], np.float32)
    labels, keys, md5 = np.array([0, 1, 1]), ["c", "a", "b"], [f"{n:032x}" for n in (3, 1, 2)]
    first = ClassPredictions.of(probabilities, labels).named(keys, md5, slices={"s": {"a"}})
    turned = ClassPredictions.of(probabilities[::-1], labels[::-1]).named(keys[::-1], md5[::-1], slices={"s": {"a"}})
    assert first.to_bytes() == turned.to_bytes()
    assert first.md5.tolist() == [bytes.fromhex(md5[1]), bytes.fromhex(md5[2]), bytes.fromhex(md5[0])]
    assert first.slices["s"].tolist() == [True, False, False]


def test_a_file_without_slices_or_with_a_single_sample_is_read(predictions_of):
    made = ClassPredictions.of(np.ones((1, 1), np.float32), np.array([0])).named(["a"], ["0" * 32], slices={})
    assert len(ClassPredictions.read(made.to_bytes())) == 1
    assert ClassPredictions.read(made.to_bytes()).slices == {}


@pytest.mark.parametrize("damage", [b"", b"no zip at all", b"PK\x03\x04 but no more"])
def test_another_file_is_refused(damage):
    with pytest.raises(ValueError, match="not a file of predictions"):
        ClassPredictions.read(damage)


def test_a_file_that_lacks_a_column_or_is_cut_is_refused(predictions_of):
    stream = io.BytesIO()
    np.savez(stream, md5=np.zeros((3, 16), np.uint8))
    with pytest.raises(ValueError, match="not a file of predictions"):
        ClassPredictions.read(stream.getvalue())
    with pytest.raises(ValueError, match="not a file of predictions"):
        ClassPredictions.read(predictions_of(9).to_bytes()[:-40])


def test_common_samples_are_the_same_bytes_under_the_same_label(predictions_of):
    new, base = predictions_of(20, strength=3), predictions_of(20, strength=1, noise=2)
    base.label[4] += 1  # labelled anew since
    ours, theirs = common(new.rows(np.arange(2, 20)), base.rows(np.arange(10)[::-1]))
    assert ours.md5.tolist() == theirs.md5.tolist() == [new.md5[row] for row in (2, 3, 5, 6, 7, 8, 9)]
    np.testing.assert_array_equal(ours.label, theirs.label)
    np.testing.assert_array_equal(theirs.predicted, base.predicted[[2, 3, 5, 6, 7, 8, 9]])
    assert ours.slices["front"].sum() == 2


def test_there_may_be_no_common_samples(predictions_of):
    new, base = predictions_of(6), predictions_of(6)
    nothing = common(new, base.rows(np.zeros(6, bool)))
    assert [len(side) for side in nothing] == [0, 0]
    base.md5[:] = b"z" * 16
    assert [len(side) for side in common(new, base)] == [0, 0]


def test_probabilities_that_are_no_numbers_are_refused():
    broken = np.array([[np.nan, 1], [0.5, 0.5]], np.float32)
    with pytest.raises(EvaluationError, match="of 1 of 2 samples are no numbers"):
        ClassPredictions.of(broken, np.array([0, 1]))


def test_the_document_holds_each_figure_with_its_interval(predictions_of):
    made = predictions_of(200, classes=7)
    found = ClassificationMetrics().document(made, list("abcdefg"), left_out={"gone": "the model x@1 is gone"})
    for part in (found, found["slices"]["front"]):
        assert part["intervals"].keys() == {"accuracy", "top5", "macro_f1", "loss", "ece"}
        for name in ("accuracy", "top5", "macro_f1", "loss"):
            low, high = part["intervals"][name]
            assert low <= part[name] <= high
    assert found["slices"]["front"]["samples"] == 50
    assert found["slices"]["gone"] == {"not_computed": "the model x@1 is gone"}
    one = found["per_class"]["a"]
    assert one["intervals"]["recall"][0] <= one["recall"] <= one["intervals"]["recall"][1]
    assert found["accuracy_low"] < found["accuracy"] < found["accuracy_high"]


def test_five_classes_have_no_top_five_and_an_empty_slice_says_so(predictions_of):
    made = predictions_of(3, classes=3)
    found = ClassificationMetrics().document(made, ["a", "b", "c"])
    assert found["top5"] is None
    assert "top5" not in found["intervals"]
    assert found["slices"]["front"] == {"not_computed": "no evaluated sample is in it"}


def test_one_class_is_always_right():
    made = ClassPredictions.of(np.ones((4, 1), np.float32), np.zeros(4, np.int64))
    found = ClassificationMetrics().document(made, ["only"])
    assert (found["accuracy"], found["macro_f1"], found["loss"], found["ece"]) == (1, 1, 0, 0)
    assert found["per_class"]["only"]["intervals"] == {"precision": (1, 1), "recall": (1, 1), "f1": (1, 1)}


def test_a_class_that_never_came_has_no_figures(predictions_of):
    found = ClassificationMetrics().document(predictions_of(30, classes=3), ["a", "b", "c", "never"])
    never = found["per_class"]["never"]
    assert (never["support"], never["recall"], never["f1"]) == (0, None, None)
    assert never["intervals"] == {"precision": None, "recall": None, "f1": None}
    assert found["macro_f1"] == pytest.approx(np.mean([found["per_class"][name]["f1"] for name in "abc"]))
