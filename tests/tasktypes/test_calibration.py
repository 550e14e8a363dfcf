"""Temperature scaling, and the search that finds it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasktypes.calibration import confidences, fit_temperature, minimised
from tasktypes.model_parts import COLDEST
from tasktypes.predictions import EvaluationError
from tasktypes.rates import calibration_error


def overconfident(count, factor, seed=0):
    """Logits that would be calibrated if divided by `factor`, and labels drawn from what they mean."""
    rng = np.random.default_rng(seed)
    honest = rng.normal(size=(count, 5)) * 2
    shares = np.exp(honest) / np.exp(honest).sum(1, keepdims=True)
    labels = (shares.cumsum(1) > rng.random((count, 1))).argmax(1)
    return (honest * factor).astype(np.float32), labels


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_the_temperature_undoes_what_made_the_model_too_sure_or_too_shy(factor):
    logits, labels = overconfident(4000, factor)
    found = fit_temperature(logits, labels)
    assert found.temperature == pytest.approx(factor, rel=0.08)
    assert found.loss_after <= found.loss_before
    fresh, truth = overconfident(4000, factor, seed=1)
    right = fresh.argmax(1) == truth
    after = calibration_error(confidences(fresh, found.temperature), right)
    assert after < 0.03
    assert after <= calibration_error(confidences(fresh, 1.0), right) + 0.01


@given(st.floats(-2.9, 2.9))
def test_the_search_ends_where_the_valley_is(bottom):
    assert minimised(lambda at: abs(at - bottom) ** 1.5, -3, 3) == pytest.approx(bottom, abs=2e-3)


@pytest.mark.parametrize("samples", [4, 12, 40])
@pytest.mark.parametrize("gap", [5, 8, 20])
def test_a_small_split_that_is_all_right_sharpens_nothing(samples, gap):
    logits = np.eye(4, dtype=np.float32)[np.arange(samples) % 4] * gap
    assert fit_temperature(logits, np.arange(samples) % 4).temperature == pytest.approx(1, abs=0.15)


def test_many_right_answers_of_a_shy_model_sharpen_it_and_the_more_the_further():
    def fitted(samples):
        logits = np.eye(4, dtype=np.float32)[np.arange(samples) % 4] * 2
        return fit_temperature(logits, np.arange(samples) % 4).temperature

    assert 1 > fitted(10) > fitted(200) > fitted(20_000) >= COLDEST


def test_an_error_softens_as_far_as_it_says():
    logits, labels = np.eye(4, dtype=np.float32)[np.arange(200) % 4] * 12, np.arange(200) % 4
    labels[:20] = (labels[:20] + 1) % 4
    temperature = fit_temperature(logits, labels).temperature
    assert confidences(logits[:1], temperature)[0] == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(("count", "classes"), [(1, 1), (1, 3), (7, 1), (3, 1200)])
def test_few_samples_one_class_and_many_classes_have_a_temperature(count, classes):
    logits = np.random.default_rng(0).normal(size=(count, classes)).astype(np.float32)
    assert COLDEST * 0.99 <= fit_temperature(logits, np.zeros(count, np.int64)).temperature <= 20.2


def test_nothing_to_fit_is_an_error():
    with pytest.raises(EvaluationError, match="no temperature fits 0 labels"):
        fit_temperature(np.empty((0, 3), np.float32), np.empty(0, np.int64))
