"""The statistics against their definitions and against scipy.stats."""

import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from backtest.statistics import (
    censored_median,
    first_reached,
    holm,
    mean_accuracy,
    mean_band,
    paired_t_test,
)

accuracies = st.floats(0, 1, width=16)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)
times = st.lists(st.one_of(st.none(), st.integers(1, 1000).map(float)), min_size=1, max_size=40)
curves = st.lists(accuracies, min_size=2, max_size=12)


def labels_of(curve):
    return [20 + 10 * number for number in range(len(curve))]


@given(st.lists(accuracies, min_size=2, max_size=30))
def test_the_band_is_students_interval(values):
    assume(len(set(values)) > 1)
    band = mean_band(values)
    low, high = scipy.stats.t.interval(0.95, len(values) - 1, np.mean(values), scipy.stats.sem(values))
    assert (band.mean, band.low, band.high) == pytest.approx((np.mean(values), low, high), abs=1e-12)


def test_one_seed_has_no_band():
    assert (mean_band([0.5]).low, mean_band([0.5]).high, mean_band([0.5]).n) == (None, None, 1)


@given(st.lists(st.tuples(accuracies, accuracies), min_size=2, max_size=30))
def test_the_paired_test_is_that_of_scipy(pairs):
    ours, theirs = zip(*pairs, strict=True)
    assume(len({a - b for a, b in pairs}) > 1)
    found, known = paired_t_test(ours, theirs), scipy.stats.ttest_rel(ours, theirs)
    interval = known.confidence_interval(0.95)
    assert found.p == pytest.approx(known.pvalue, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert found.wins == sum(a > b for a, b in pairs)


@given(st.lists(st.tuples(accuracies, accuracies), min_size=2, max_size=30))
def test_the_paired_test_has_no_favourite(pairs):
    ours, theirs = zip(*pairs, strict=True)
    found, other = paired_t_test(ours, theirs), paired_t_test(theirs, ours)
    assert (found.p, found.difference, found.low) == pytest.approx((other.p, -other.difference, -other.high))
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0) or abs(found.p - 0.05) < 1e-9


@pytest.mark.parametrize(("lead", "p"), [(0.0, 1.0), (0.25, 0.0)])
def test_equal_differences_have_no_spread(lead, p):
    found = paired_t_test([0.5 + lead, 0.25 + lead], [0.5, 0.25])
    assert (found.difference, found.low, found.high, found.p) == (lead, lead, lead, p)


def test_a_single_pair_is_no_test():
    with pytest.raises(ValueError, match="two or more pairs"):
        paired_t_test([0.5], [0.4])


@given(p_values, st.floats(0.001, 0.5))
def test_holm_rejects_what_stepping_down_rejects(found, alpha):
    rejected: set[int] = set()
    for rank, index in enumerate(sorted(range(len(found)), key=found.__getitem__)):
        if found[index] * (len(found) - rank) > alpha:
            break
        rejected.add(index)
    assert {index for index, p in enumerate(holm(found)) if p <= alpha} == rejected


@given(p_values)
def test_holm_keeps_the_order_and_only_raises(found):
    adjusted = holm(found)
    assert all(p <= made <= 1 for p, made in zip(found, adjusted, strict=True))
    assert all(
        one <= next_one for one, next_one in pairwise(made for _, made in sorted(zip(found, adjusted, strict=True)))
    )


@given(times)
def test_the_median_is_that_of_the_sample_with_the_unobserved_last(values):
    found = censored_median(values)
    full = [math.inf if value is None else value for value in values]
    median = float(np.median(full)) if np.isfinite(sorted(full)[len(full) // 2]) else None
    assert found.median == median
    assert (found.reached, found.n) == (sum(value is not None for value in values), len(values))


@given(times, st.integers(1001, 5000))
def test_a_later_end_changes_no_median_that_was_known(values, later):
    found, watched = censored_median(values), censored_median([later if value is None else value for value in values])
    for name in ("median", "low", "high"):
        if (known := getattr(found, name)) is not None:
            assert getattr(watched, name) == known


@pytest.mark.parametrize("count", [1, 5, 6, 20, 33])
def test_the_interval_of_the_median_covers_it_as_promised(count):
    """Exactly: of independent values each lies below the median with probability a half."""
    found = censored_median([float(value) for value in range(1, count + 1)])
    if count < 6 or found.low is None or found.high is None:
        assert (count < 6, found.low, found.high) == (True, None, None)
        return
    below = int(found.low) - 1  # the interval misses when at most so many lie on one side
    missed = 2 * scipy.stats.binom.cdf(below, count, 0.5)
    assert missed <= 0.05 < 2 * scipy.stats.binom.cdf(below + 1, count, 0.5)
    assert found.low + found.high == count + 1


@given(curves, accuracies)
def test_a_target_is_reached_where_the_curve_first_is_that_high(curve, target):
    labels = labels_of(curve)
    found = first_reached(labels, curve, target)
    assert (found is None) == (max(curve) < target)
    if found is not None:
        assert np.interp(found, labels, curve) == pytest.approx(
            max(target, curve[0]) if found == 20 else target, abs=1e-9
        )
        assert all(value < target for count, value in zip(labels, curve, strict=True) if count < found)


@given(curves, accuracies, accuracies)
def test_a_higher_target_needs_no_fewer_labels(curve, one, other):
    low, high = (first_reached(labels_of(curve), curve, target) for target in sorted((one, other)))
    assert high is None or (low is not None and low <= high)


@given(curves, st.floats(0.1, 3))
def test_the_mean_accuracy_is_within_the_curve_and_knows_no_unit_of_labels(curve, factor):
    labels = labels_of(curve)
    found = mean_accuracy(labels, curve)
    assert min(curve) - 1e-9 <= found <= max(curve) + 1e-9
    assert mean_accuracy([factor * count for count in labels], curve) == pytest.approx(found)
    assert mean_accuracy(labels, np.linspace(0.2, 0.8, len(curve)).tolist()) == pytest.approx(0.5)
