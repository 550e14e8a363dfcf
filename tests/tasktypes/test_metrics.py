"""The figures of an evaluation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasktypes.classification.metrics import evaluate
from tasktypes.predictions import EvaluationError
from tasktypes.rates import calibration_error, wilson


def test_figures_agree_with_those_counted_by_hand():
    probabilities = np.array([[0.8, 0.2, 0], [0.6, 0.4, 0], [0.3, 0.7, 0], [0.1, 0.9, 0]], np.float32)
    found = evaluate(probabilities, np.array([0, 1, 1, 1]), ["a", "b", "c"])
    assert found.confusion == [[1, 0, 0], [1, 2, 0], [0, 0, 0]]
    assert found.accuracy == 0.75
    assert (found.per_class["a"].precision, found.per_class["a"].recall) == (0.5, 1.0)
    assert [found.per_class["b"].precision, found.per_class["b"].recall] == pytest.approx([1, 2 / 3])
    assert found.per_class["b"].f1 == pytest.approx(0.8)
    assert (found.per_class["c"].precision, found.per_class["c"].recall, found.per_class["c"].support) == (
        None,
        None,
        0,
    )
    assert found.ece == pytest.approx((0.2 + 0.6 + 0.3 + 0.1) / 4, abs=1e-6)


def test_macro_f1_is_over_the_classes_that_samples_have_so_that_a_slice_of_two_classes_is_judged_by_two():
    probabilities = np.array([[0.8, 0.2, 0], [0.9, 0.1, 0], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]], np.float32)
    found = evaluate(probabilities, np.array([0, 0, 1, 1]), ["a", "b", "never asked"])
    assert found.macro_f1 == pytest.approx((1 + 2 / 3) / 2)


def test_the_wilson_interval_is_the_published_one():
    # Newcombe 1998, method 3: 81 of 263 gives 0.2553 to 0.3662
    assert list(wilson(81, 263)) == pytest.approx([0.2553, 0.3662], abs=5e-5)


@given(st.integers(1, 5000), st.data())
def test_the_interval_holds_the_rate_and_stays_inside_one(total, data):
    right = data.draw(st.integers(0, total))
    low, high = wilson(right, total)
    assert 0 <= low <= right / total + 1e-12
    assert right / total - 1e-12 <= high <= 1


def test_a_model_that_is_sure_and_right_is_calibrated():
    assert calibration_error(np.ones(5, np.float32), np.ones(5, bool)) == 0
    assert calibration_error(np.ones(5, np.float32), np.zeros(5, bool)) == 1


def test_nothing_to_evaluate_is_an_error():
    with pytest.raises(EvaluationError, match="0 labels"):
        evaluate(np.empty((0, 2), np.float32), np.empty(0, np.int64), ["a", "b"])


def test_calibration_is_told_over_fifteen_bins():
    confidence, right = np.linspace(0, 1, 400, dtype=np.float32), np.arange(400) % 3 == 0
    bins = [np.flatnonzero((low / 15 <= confidence) & (confidence < (low + 1) / 15)) for low in range(14)]
    bins.append(np.flatnonzero(confidence >= np.float32(14 / 15)))
    gaps = [abs(confidence[rows].mean() - right[rows].mean()) * len(rows) for rows in bins]
    assert calibration_error(confidence, right) == pytest.approx(sum(gaps) / 400, abs=1e-6)
