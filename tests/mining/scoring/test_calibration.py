"""Temperature on stored probabilities does what it does on logits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.laws import examples
from tests.linear_model import softmax

from scoring.histogram import BINS, doubt_histogram
from tasktypes import task_type
from tasktypes.calibration import confidences, fit_temperature
from tasktypes.rates import calibration_error

calibrate = task_type("classification").outputs.tempered
LOGITS = arrays(np.float32, (4, 3), elements=st.floats(-20, 20, width=32))


@given(LOGITS, st.floats(0.05, 20))
@settings(max_examples=examples(100))
def test_it_equals_the_softmax_of_divided_logits(logits, temperature):
    made = calibrate(softmax(logits), temperature)
    np.testing.assert_allclose(made.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(made.max(-1), confidences(logits, temperature), atol=2e-3)


def test_it_goes_over_the_last_axis_and_takes_certainty():
    members = np.array([[[1, 0], [0.5, 0.5]]], np.float32)
    made = calibrate(members, 2.0)
    assert made.shape == members.shape
    assert np.isfinite(made).all()
    np.testing.assert_allclose(made[0, 1], [0.5, 0.5])
    np.testing.assert_allclose(calibrate(np.array([[0.8, 0.2]], np.float32), 2.0)[0, 0], 2 / 3, atol=1e-6)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_is_above_zero(temperature):
    with pytest.raises(ValueError, match="above 0"):
        calibrate(np.ones((1, 1), np.float32), temperature)


def test_a_fitted_temperature_lowers_the_error_of_a_model_that_is_too_sure():
    rng = np.random.default_rng(0)
    honest = rng.normal(size=(4000, 5)).astype(np.float32) * 2
    labels = np.array([rng.choice(5, p=row) for row in softmax(honest.astype(np.float64))])
    boastful = honest * 4
    temperature = fit_temperature(boastful[:2000], labels[:2000]).temperature
    said = softmax(boastful[2000:])
    before, after = (
        calibration_error(one.max(1), one.argmax(1) == labels[2000:]) for one in (said, calibrate(said, temperature))
    )
    assert abs(temperature - 4) < 0.5
    assert after < 0.03 < 0.15 < before


def test_the_histogram_of_margins_counts_every_row_once():
    certainty = task_type("classification").outputs.certainty
    found = doubt_histogram(certainty(np.array([[0.9, 0.1, 0.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], np.float32)))
    assert (sum(found["counts"]), len(found["edges"])) == (3, BINS + 1)
    assert [place for place, count in enumerate(found["counts"]) if count] == [0, 8, BINS - 1]
    assert sum(doubt_histogram(certainty(np.empty((0, 3), np.float32)))["counts"]) == 0
    assert doubt_histogram(certainty(np.ones((2, 1), np.float32)))["counts"][0] == 2
