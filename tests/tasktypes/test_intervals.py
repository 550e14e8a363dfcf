"""Bootstrap intervals: the shortcut against resampling sample by sample, coverage, and what has no interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from tasktypes.bootstrap import SHARES, class_intervals, ends, resampled
from tasktypes.classification.figures import FIGURES, PER_CLASS
from tasktypes.classification.metrics import ClassificationMetrics, class_counts, evaluate
from tasktypes.classification.predictions import ClassPredictions
from tasktypes.rates import wilson

JUDGED = ClassificationMetrics()
figure, interval, difference = JUDGED.figure, JUDGED.interval, JUDGED.difference
WHOLE = sorted(set(FIGURES) - set(PER_CLASS))


def there(found: tuple[float, float] | None) -> tuple[float, float]:
    """An interval that must be there."""
    assert found is not None
    return found


def naive(metric, *sides, index=None, draws=1000):
    """The figure, or the difference of two, of samples drawn one by one."""
    rng, drawn = np.random.default_rng(7), []
    for _ in range(draws):
        rows = rng.integers(0, len(sides[0]), len(sides[0]))
        told = [figure(metric, side.rows(rows), index=index) for side in sides]
        ours, *theirs = (np.nan if value is None else value for value in told)
        drawn.append(ours - sum(theirs))
    return there(ends(np.array(drawn), 0.95))


@pytest.mark.parametrize("metric", [*WHOLE, *PER_CLASS])
def test_the_shortcut_gives_the_interval_of_resampling_the_samples(metric, predictions_of):
    made = predictions_of(300, classes=7, strength=1.5)
    index = 1 if metric in PER_CLASS else None
    low, high = naive(metric, made, index=index)
    assert interval(metric, made, index=index) == pytest.approx((low, high), abs=(high - low) * 0.15)


@pytest.mark.parametrize("metric", [*WHOLE, *PER_CLASS])
def test_a_difference_is_resampled_in_pairs(metric, predictions_of):
    ours, theirs = predictions_of(300, 7, strength=1.6), predictions_of(300, 7, strength=1.4, noise=2)
    index = 1 if metric in PER_CLASS else None
    low, high = naive(metric, ours, theirs, index=index)
    told = difference(metric, ours, theirs, index=index)
    assert told.interval == pytest.approx((low, high), abs=(high - low) * 0.15)
    assert (told.value, told.base) == (figure(metric, ours, index=index), figure(metric, theirs, index=index))


@pytest.mark.parametrize("metric", WHOLE)
def test_a_model_compared_with_itself_differs_by_nothing(metric, predictions_of):
    made = predictions_of(50)
    assert difference(metric, made, made).interval == pytest.approx((0, 0), abs=1e-12)


def test_pairs_tell_more_than_two_intervals():
    labels = np.zeros(1000, np.int64)
    right, wrong = np.array([0.9, 0.1], np.float32), np.array([0.1, 0.9], np.float32)
    ours = ClassPredictions.of(np.where((np.arange(1000) % 2)[:, None], right, wrong), labels)
    theirs = ClassPredictions.of(
        np.where(((np.arange(1000) % 2) * (np.arange(1000) > 50))[:, None], right, wrong), labels
    )
    low, high = there(difference("accuracy", ours, theirs).interval)
    assert 0.01 < low < 0.025 < high < 0.04
    apart = there(interval("accuracy", ours)), there(interval("accuracy", theirs))
    assert apart[0][0] < apart[1][1], "the two intervals alone overlap"


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    """400 test sets of 200 samples of a model that is right 90 % of the time: binomially 95 % plus or minus 2.2."""
    rng, held = np.random.default_rng(5), 0
    for _ in range(400):
        right = rng.random(200) < 0.9
        probabilities = np.where(right[:, None], [0.8, 0.2], [0.2, 0.8]).astype(np.float32)
        low, high = there(interval("accuracy", ClassPredictions.of(probabilities, np.zeros(200, np.int64)), draws=500))
        held += low <= 0.9 <= high
    assert 0.91 <= held / 400 <= 0.99


def test_the_bootstrap_of_a_rate_is_close_to_wilsons_interval(predictions_of):
    made = predictions_of(5000)
    assert interval("accuracy", made) == pytest.approx(wilson(int(made.right.sum()), 5000), abs=0.002)


@settings(max_examples=examples(40))
@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 2**16))
def test_an_interval_of_any_predictions_is_ordered_and_holds_its_rate(classes, count, seed):
    rng = np.random.default_rng(seed)
    made = ClassPredictions.of(
        rng.dirichlet(np.ones(classes), count).astype(np.float32), rng.integers(0, classes, count)
    )
    for metric in FIGURES:
        index = 0 if metric in PER_CLASS else None
        value, found = figure(metric, made, index=index), interval(metric, made, index=index, draws=200)
        assert (value is None) <= (found is None)
        if found is not None:
            assert found[0] <= found[1]
    low, high = there(interval("accuracy", made))
    assert low <= np.mean(made.right) <= high


def test_a_class_gets_the_same_intervals_from_its_counts_as_from_the_samples(predictions_of):
    made = predictions_of(200, classes=4)
    hits, support, answered = (column.tolist() for column in class_counts(made, 4))
    for index in range(4):
        found = class_intervals(hits[index], support[index], answered[index], total=200)
        assert found == {name: interval(name, made, index=index) for name in SHARES}


def test_a_class_that_is_never_present_has_no_recall_and_no_interval_of_it(predictions_of):
    made = predictions_of(40, classes=3)
    assert figure("recall", made, index=9) is None
    assert interval("recall", made, index=9) is None
    assert difference("recall", made, made, index=9).interval is None


def test_one_sample_gives_intervals_without_width():
    made = ClassPredictions.of(np.array([[0.2, 0.8]], np.float32), np.array([1]))
    for metric in WHOLE:
        low, high = there(interval(metric, made))
        assert low == high == pytest.approx(figure(metric, made))


def test_no_common_samples_give_no_difference(predictions_of):
    nothing = predictions_of(4).rows(np.zeros(4, bool))
    told = difference("accuracy", nothing, nothing)
    assert (told.samples, told.interval) == (0, None)


def test_the_draws_are_the_same_every_time_and_of_the_right_size():
    first, second = (np.concatenate(list(resampled(np.array([3, 5, 92]), 50))) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (first.sum(1) == 100).all()


def test_many_classes_are_judged_without_a_square_of_them(predictions_of):
    made = predictions_of(3000, classes=1500, strength=5)
    low, high = there(interval("macro_f1", made, draws=100))
    assert 0.5 < low < high < 1
    names = [str(number) for number in range(1500)]
    told = evaluate(np.eye(1500, dtype=np.float32)[made.predicted], made.label.astype(np.int64), names)
    assert told.confusion is None
    assert len(told.confused) == 50
    assert sum(count for *_, count in told.confused) <= 3000 - made.right.sum()
