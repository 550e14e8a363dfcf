"""Stopping rules keep their promises: the bound covers, a gain is weighed against its price, kappa is Cohen's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.metrics import cohen_kappa_score
from tests.laws import examples

from acquisition.stopping import cohen_kappa, not_worth_it, stable, target_met

RISING = [(20, 0.61), (40, 0.70), (80, 0.78), (160, 0.84), (320, 0.88)]
LEVEL = [(100, 0.90), (200, 0.91), (400, 0.912), (800, 0.912), (1600, 0.912)]


@given(total=st.integers(1, 400), value=st.floats(0.5, 0.995), confidence=st.floats(0.5, 0.99))
@settings(max_examples=examples(60))
def test_a_model_that_just_misses_the_target_is_stopped_at_most_so_often(total, value, confidence):
    stops = [correct for correct in range(total + 1) if target_met(correct, total, value=value, confidence=confidence)]
    assert binom.pmf(stops, total, value).sum() <= 1 - confidence + 1e-9
    assert stops == list(range(total + 1 - len(stops), total + 1))


def test_the_target_rule_says_its_numbers():
    stop = target_met(993, 1000, value=0.98, confidence=0.95)
    assert stop is not None
    assert stop.rule == "target"
    assert stop.numbers["bound"] == pytest.approx(0.9869, abs=1e-4)
    # The bound is the accuracy under which so many or more right answers have a chance of 5 %.
    assert binom.sf(992, 1000, stop.numbers["bound"]) == pytest.approx(0.05)
    assert "993 of 1000" in stop.reason
    assert target_met(993, 1000, value=0.99, confidence=0.95) is None
    told = target_met(993, 1000, value=0.98, confidence=0.95, metric="exact match")
    assert told is not None
    assert told.reason.startswith("exact match is at least 0.987 ")
    assert target_met(0, 0, value=0.5, confidence=0.95) is None


def test_a_gain_is_worth_its_price_or_not():
    assert not_worth_it(RISING, count=40, per_point=1000, cost_per_label=0.1) is None
    stop = not_worth_it(RISING, count=40, per_point=1, cost_per_label=10)
    assert stop is not None
    assert stop.numbers["cost"] == 400
    assert stop.numbers["worth"] == pytest.approx(stop.numbers["gain"])
    assert 0 < stop.numbers["gain"] < 4
    assert not_worth_it(LEVEL, count=100, per_point=100, cost_per_label=0.1)


def test_too_few_points_stop_nothing():
    assert not_worth_it(RISING[:2], count=40, per_point=0, cost_per_label=10) is None
    assert not_worth_it([], count=40, per_point=0, cost_per_label=10) is None


def test_stable_asks_for_every_one_of_the_last_rounds():
    assert stable([0.5, 0.99, 0.995, 0.992], kappa=0.99, rounds=3)
    assert stable([0.995, 0.98, 0.995], kappa=0.99, rounds=3) is None
    assert stable([0.995, 0.995], kappa=0.99, rounds=3) is None
    assert stable([], kappa=0.99, rounds=1) is None


@given(seed=st.integers(0, 2**31), rows=st.integers(2, 200), classes=st.integers(2, 5), same=st.floats(0, 1))
@settings(max_examples=examples(60))
def test_kappa_is_that_of_scikit_learn(seed, rows, classes, same):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, classes, rows)
    b = np.where(rng.random(rows) < same, a, rng.integers(0, classes, rows))
    if len(set(a) | set(b)) == 1:
        assert cohen_kappa(a.tolist(), b.tolist()) == 1.0
    else:
        assert cohen_kappa(a.tolist(), b.tolist()) == pytest.approx(cohen_kappa_score(a, b))
        assert cohen_kappa([f"c{x}" for x in a], [f"c{x}" for x in b]) == pytest.approx(cohen_kappa_score(a, b))


@pytest.mark.parametrize(
    "call",
    [
        lambda: target_met(5, 4, value=0.9, confidence=0.9),
        lambda: target_met(3, 4, value=90, confidence=0.9),
        lambda: target_met(3, 4, value=0.9, confidence=95),
        lambda: not_worth_it(RISING, count=0, per_point=1, cost_per_label=1),
        lambda: stable([1.0], kappa=0.9, rounds=0),
        lambda: cohen_kappa(["a"], ["a", "b"]),
        lambda: cohen_kappa([], []),
    ],
)
def test_numbers_out_of_range_are_refused(call):
    with pytest.raises(ValueError, match="must"):
        call()
