"""Estimates from a batch are unbiased, over every way the control arm may be drawn; intervals cover."""

from collections import defaultdict
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from tests.laws import examples

from acquisition import Pool, ScoreStrategy, compose, estimates, strategy
from acquisition.estimates import Answered, accuracy, lift


def batch(scores, correct, drawn, mined):
    """The answered picks of a batch in which the rows of `drawn` are the control arm and the strategy takes `mined`."""
    rest = sorted((row for row in range(len(scores)) if row not in drawn), key=lambda row: (-scores[row], row))
    taken = [(row, True) for row in drawn] + [(row, False) for row in rest[:mined]]
    return [Answered(correct=bool(correct[row]), fair=fair, place=row, score=float(scores[row])) for row, fair in taken]


def figure_of(*arguments, **options):
    """The estimate with its figure, which is named only from a number of answers on; None where there is none."""
    with patch.object(estimates, "ENOUGH", 0):
        return accuracy(*arguments, **options)


def accuracy_of(*arguments, **options):
    """The same, which there must be."""
    told = figure_of(*arguments, **options)
    assert told is not None
    return told


def lift_of(**counts):
    """The lift, which there must be."""
    told = lift(**counts)
    assert told is not None
    return told


cases = given(
    correct=st.lists(st.booleans(), min_size=2, max_size=9), control=st.integers(1, 5), mined=st.integers(0, 5),
    levels=st.integers(1, 9), seed=st.integers(0, 2**31),
)  # fmt: skip


@cases
@settings(max_examples=examples(60))
def test_the_control_arm_alone_is_unbiased(correct, control, mined, levels, seed):
    scores = np.random.default_rng(seed).integers(0, levels, len(correct))
    control = min(control, len(correct))
    found = [
        accuracy_of(batch(scores, correct, drawn, mined), candidates=len(correct)).value
        for drawn in combinations(range(len(correct)), control)
    ]
    assert np.mean(found) == pytest.approx(np.mean(correct))


@cases
@settings(max_examples=examples(60))
def test_both_arms_together_are_unbiased_whatever_the_strategy_picked(correct, control, mined, levels, seed):
    scores = np.random.default_rng(seed).integers(0, levels, len(correct))
    control = min(control, len(correct))
    found = defaultdict(list)
    for drawn in combinations(range(len(correct)), control):
        picks = batch(scores, correct, drawn, mined)
        told = figure_of(picks, candidates=len(correct), ranked=True)
        found[tuple(pick.place for pick in picks if not pick.fair)].append(told)
    for group in found.values():
        assert len({one is None for one in group}) == 1
        if group[0] is not None:
            assert np.mean([one.value for one in group if one is not None]) == pytest.approx(np.mean(correct))


def test_on_real_batches_both_arms_are_unbiased_and_nearer_than_one():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.5, 0.5, 0.5], size=200)
    correct = rng.random(200) < p.max(axis=1)
    pool = Pool(ids=np.arange(200), probabilities=p)
    margin = strategy("margin")
    assert isinstance(margin, ScoreStrategy)
    scores = margin.scored(pool)
    one, both = [], []
    for seed in range(600):
        picks = compose(pool, "margin", count=60, seed=seed, control=0.3)
        answered = [
            Answered(correct=bool(correct[pick.id]), fair=pick.control, place=pick.id, score=float(scores[pick.id]))
            for pick in picks
        ]
        one.append(accuracy_of(answered, candidates=200).value)
        told = accuracy_of(answered, candidates=200, ranked=True)
        assert told.answers == 60
        assert told.certain
        both.append(told.value)
    for values in (one, both):
        assert abs(np.mean(values) - correct.mean()) < 4 * np.std(values) / np.sqrt(len(values))
    assert np.std(both) < 0.9 * np.std(one)


def test_the_interval_covers():
    rng = np.random.default_rng(1)
    scores = rng.random(300)
    correct = rng.random(300) > 0.4 * scores
    for ranked in (False, True):
        inside = 0
        for _ in range(500):
            drawn = rng.permutation(300)[:40].tolist()
            told = accuracy_of(batch(scores, correct, drawn, 60), candidates=300, ranked=ranked)
            assert told.low <= told.value <= told.high
            inside += told.low <= correct.mean() <= told.high
        # At least 95 % of 500; a fair 95 % would be below 460 once in 1,000.
        assert inside >= 460


def test_a_pool_that_is_picked_whole_is_known():
    picks = batch([3, 2, 1], [True, False, True], (), 3)
    told = accuracy_of(picks, candidates=3, ranked=True)
    assert (told.value, told.low, told.high) == pytest.approx((2 / 3, 2 / 3, 2 / 3))


def test_answers_that_are_missing_are_left_out():
    picks = [Answered(correct=True, fair=True), Answered(correct=None, fair=True), Answered(correct=False, fair=True)]
    told = accuracy_of(picks, candidates=10)
    assert (told.value, told.answers) == (0.5, 2)
    assert accuracy([Answered(correct=None, fair=True)], candidates=10) is None
    assert accuracy([Answered(correct=True, fair=False)], candidates=10) is None
    assert accuracy([], candidates=10) is None


def test_what_cannot_be_estimated_is_named():
    with pytest.raises(ValueError, match="candidates: 2 picks can't come from 1"):
        accuracy([Answered(correct=True, fair=True)] * 2, candidates=1)
    with pytest.raises(ValueError, match="score: the ranked pick 7 needs"):
        accuracy([Answered(correct=True, fair=True, place=7)], candidates=9, ranked=True)
    with pytest.raises(ValueError, match="confidence: must lie between 0 and 1"):
        accuracy([], candidates=9, confidence=95)
    with pytest.raises(ValueError, match="wrong answers: must lie between"):
        lift(mined_wrong=3, mined=2, control_wrong=0, control=1)


def test_the_lift_is_koopmans_example():
    told = lift_of(mined_wrong=36, mined=40, control_wrong=16, control=80)
    assert told.value == pytest.approx(4.5)
    assert (told.low, told.high) == pytest.approx((2.94, 7.15), abs=0.005)


@pytest.mark.parametrize(("mined", "control"), [(0.5, 0.1), (0.3, 0.3), (0.9, 0.05), (0.1, 0.4)])
def test_the_interval_of_the_lift_covers_over_all_outcomes(mined, control):
    told = {
        (wrong, others): lift_of(mined_wrong=wrong, mined=40, control_wrong=others, control=20)
        for wrong in range(41)
        for others in range(21)
    }
    chance = sum(
        binom.pmf(wrong, 40, mined) * binom.pmf(others, 20, control)
        for (wrong, others), one in told.items()
        if one.low <= mined / control <= (np.inf if one.high is None else one.high)
    )
    assert 0.93 < chance < 0.99


def test_the_lift_without_errors_has_no_bound():
    told = lift_of(mined_wrong=5, mined=20, control_wrong=0, control=10)
    assert told.value is None
    assert told.high is None
    assert 0 < told.low < 1
    told = lift_of(mined_wrong=0, mined=20, control_wrong=5, control=10)
    assert (told.value, told.low) == (0, 0)
    assert told.high < 1
    told = lift_of(mined_wrong=0, mined=20, control_wrong=0, control=10)
    assert (told.value, told.low, told.high) == (None, 0, None)
    told = lift_of(mined_wrong=20, mined=20, control_wrong=10, control=10)
    assert told.low < told.value == 1 < told.high
    assert lift(mined_wrong=0, mined=0, control_wrong=1, control=10) is None


@given(
    mined=st.integers(1, 60), control=st.integers(1, 60), wrong=st.floats(0, 1), others=st.floats(0, 1),
    confidence=st.floats(0.5, 0.99),
)  # fmt: skip
@settings(max_examples=examples(100))
def test_the_lift_lies_in_its_interval_and_turns_with_the_arms(mined, control, wrong, others, confidence):
    counts = {"mined_wrong": round(wrong * mined), "mined": mined, "control_wrong": round(others * control)}
    told = lift_of(**counts, control=control, confidence=confidence)
    high = np.inf if told.high is None else told.high
    assert told.low <= (high if told.value is None else told.value) <= high
    turned = lift_of(
        mined_wrong=counts["control_wrong"], mined=control, control_wrong=counts["mined_wrong"], control=mined,
        confidence=confidence,
    )  # fmt: skip
    assert turned.low == pytest.approx(0 if told.high is None else 1 / told.high)
