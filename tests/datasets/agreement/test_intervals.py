"""Intervals against published figures and laws."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agreement.intervals import difference, wilson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, score method
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_score_interval_of_the_literature(hits, of, low, high):
    assert list(wilson(hits, of)) == pytest.approx([low, high], abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 10), 0.6075, 1.0000)],
)
def test_the_interval_of_a_difference_of_the_literature(one, other, low, high):
    assert list(difference(*one, *other)) == pytest.approx([low, high], abs=5e-5)


@given(st.integers(0, 500), st.integers(1, 500))
@example(0, 12)
def test_the_share_lies_within_and_narrows(hits, more):
    of = hits + more
    low, high = wilson(hits, of)
    assert 0 <= low <= hits / of <= high <= 1
    wide = high - low
    low, high = wilson(hits * 10, of * 10)
    assert high - low < wide


def test_nothing_counted_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
    assert difference(0, 0, 3, 4) == (-1.0, 1.0)
