"""Learning curves: each of the four finds itself again, and the interval grows with the target."""

from itertools import pairwise

import numpy as np
import pytest
from bench.forecast.curves import RealCurve
from bench.forecast.ratios import ratio, trials
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition.forecast import CURVES, ForecastError, gain, labels_to_reach
from acquisition.growth import STAGES, Growth

LABELS = [50, 100, 200, 400, 800, 1600, 3200]
TRUE = {
    "power": lambda n: -300 * n**-0.4 + 97,
    "arctan": lambda n: 200 / np.pi * np.arctan(0.002 * np.pi / 2 * n + 0.3) - 3,
    "logarithmic": lambda n: 7 * np.log(n + 15) + 20,
    "algebraic": lambda n: 100 * n / (1 + (1.02 * n) ** 0.4) ** (1 / 0.4) - 3,
}
POINTS = [(20, 0.61), (40, 0.70), (80, 0.78), (160, 0.84), (320, 0.88)]


def test_there_are_four_curves():
    assert [curve.name for curve in CURVES] == list(TRUE)


@pytest.mark.parametrize("name", TRUE)
def test_a_curve_finds_itself_again(name):
    points = [(n, TRUE[name](n) / 100) for n in LABELS if TRUE[name](n) < 88]
    fit = next(fit for fit in labels_to_reach(points, 0.9).fits if fit.name == name)
    naive = next(n for n in range(points[-1][0], 10**6) if TRUE[name](n) >= 90)
    assert fit.rmse < 1e-6
    assert fit.labels == pytest.approx(naive, rel=1e-3, abs=1)


@given(
    t2=st.floats(-0.6, -0.1), top=st.floats(80, 99), start=st.floats(20, 70), noise=st.floats(0, 0.01),
    seed=st.integers(0, 2**31),
)  # fmt: skip
@settings(max_examples=examples(30))
def test_the_answer_lies_in_its_interval_and_grows_with_the_target(t2, top, start, noise, seed):
    labels = np.array(LABELS)
    scores = (top + (start - top) * (labels / 50.0) ** t2) / 100
    scores = np.clip(scores + np.random.default_rng(seed).normal(0, noise, len(labels)), 0, 1)
    points = list(zip(LABELS, scores.tolist(), strict=True))
    bounds = []
    for target in (0.5, 0.7, 0.8, 0.9):
        told = labels_to_reach(points, target)
        ends = [np.inf if value is None else value for value in (told.low, told.labels, told.high)]
        assert LABELS[-1] <= ends[0] <= ends[1] <= ends[2]
        bounds.append(ends)
    for earlier, later in pairwise(bounds):
        assert all(one <= other for one, other in zip(earlier, later, strict=True))
    assert gain(points, 100) >= -1e-9
    assert gain(points, 1000) >= gain(points, 100) - 1e-9


def test_a_flat_curve_never_gets_there():
    told = labels_to_reach([(20, 0.5), (40, 0.5), (80, 0.5)], 0.9)
    assert (told.labels, told.low, told.high) == (None, None, None)
    assert gain([(20, 0.5), (40, 0.5), (80, 0.5)], 1000) == pytest.approx(0, abs=1e-6)


def test_a_target_that_is_met_needs_no_more_than_there_is():
    assert labels_to_reach(POINTS, 0.7).high == 320


def test_a_target_that_no_score_has_reached_needs_at_least_one_label_more():
    points = [(100, 0.938), (200, 0.984), (300, 0.984), (400, 0.986), (500, 0.986)]  # of a demo on 500 test images
    found = labels_to_reach(points, 0.99)
    assert found.low is not None
    assert found.low > 500


@pytest.mark.parametrize(
    ("points", "target", "words"),
    [
        (POINTS, 1.0, "target: must lie between 0 and 1"),
        (POINTS, 0.0, "target: must lie between 0 and 1"),
        ([(20, 0.5), (20, 0.6), (40, 0.7)], 0.9, "points: need at least 3 different numbers of labels, got 2"),
        ([], 0.9, "points: need at least 3"),
        ([(0, 0.5), (20, 0.6), (40, 0.7)], 0.9, "points: labels must be whole numbers from 1"),
        ([(10, 61), (20, 70), (40, 80)], 0.9, "points: scores must lie between 0 and 1"),
        ([(10, float("nan")), (20, 0.7), (40, 0.8)], 0.9, "points: scores must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_forecast_is_named(points, target, words):
    with pytest.raises(ForecastError, match=words):
        labels_to_reach(points, target)


@pytest.mark.parametrize("exponent", [0.3, 0.5])
def test_a_power_law_without_noise_is_foretold_closely(exponent):
    points = [(n, 1 - 0.5 * (n / 50) ** -exponent) for n in LABELS]
    for times in (2, 4):
        needed = LABELS[-1] * times
        target = 1 - 0.5 * (needed / 50) ** -exponent
        told = labels_to_reach(points, target)
        assert told.low is not None
        assert told.labels is not None
        assert told.low <= 1.1 * needed
        assert told.high is None or needed <= told.high
        assert 1 / 1.25 < told.labels / needed < 1.25


def test_collecting_in_stages_ends_nearer_than_collecting_at_once():
    curve = RealCurve(
        "a law with a floor", "made", tuple((n, 0.9 - 0.6 * (n / 20) ** -0.6) for n in range(50, 3000, 50))
    )
    (trial,) = (trial for trial in trials(curve) if trial.needed > 1900)
    at_once = ratio(trial, lambda points, target, _: Growth(points).labels(target, 0.9)[0], rounds=1)
    staged = ratio(trial, lambda points, target, stage: Growth(points).labels(target, STAGES[stage])[0], rounds=5)
    assert 1 <= staged < at_once
    assert staged <= 1.5
