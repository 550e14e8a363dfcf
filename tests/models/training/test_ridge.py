"""The linear classifier in closed form against its definition and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as Known
from tests.laws import examples

from training.ridge import Ridge, fit


def drawn(seed, size, width, classes):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(size, width)), rng.integers(0, classes, size)


@settings(max_examples=examples(25))
@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(1, 8), st.floats(0.01, 100))
def test_leaving_one_out_in_closed_form_is_leaving_one_out(seed, size, width, penalty):
    points, labels = drawn(seed, size, width, 3)
    found = Ridge(points, labels, 3).left_out(penalty)
    for row in range(size):
        rest = np.arange(size) != row
        weights, offset = Ridge(points[rest], labels[rest], 3).solution(penalty)
        assert found[row] == pytest.approx(points[row] @ weights + offset, abs=1e-8)


@settings(max_examples=examples(25))
@given(st.integers(0, 10_000), st.integers(2, 20), st.integers(1, 8), st.floats(0.01, 100))
def test_the_solution_is_that_of_scikit_learn(seed, size, width, penalty):
    points, labels = drawn(seed, size, width, 3)
    weights, offset = Ridge(points, labels, 3).solution(penalty)
    known = Known(alpha=penalty).fit(points, np.where(np.arange(3) == labels[:, None], 1.0, -1.0))
    assert np.allclose(weights.T, known.coef_, atol=1e-8)
    assert np.allclose(offset, known.intercept_, atol=1e-8)


@pytest.mark.parametrize("labels", [[2], [2, 2, 2], [0, 1]])
def test_few_labels_are_learned_from(labels):
    points, _ = drawn(0, len(labels), 4, 3)
    answers = fit(points, np.array(labels), 3).probabilities(points)
    assert np.isfinite(answers).all()
    assert set(answers.argmax(axis=1)) <= set(labels)
