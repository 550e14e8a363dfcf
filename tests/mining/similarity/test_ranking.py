"""The search in blocks finds what a search without any trick finds, in the same order."""

import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from similarity import ranking
from similarity.ranking import DECIMALS, best, cosines, margin, products, unit


def naive(matrix, query, rows, keys):
    """All of `rows`, ordered by what a float64 product of each says, rounded; equal ones by key."""
    told = [round(float(np.dot(matrix[row].astype(np.float64), query.astype(np.float64))), DECIMALS) for row in rows]
    return sorted(range(len(rows)), key=lambda place: (-told[place], keys[place])), told


@st.composite
def searches(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    total, width = draw(st.integers(1, 300)), draw(st.sampled_from([1, 2, 3, 16, 65]))
    # Few different ones, so that many are equal; some without a length.
    kinds = rng.integers(-3, 4, (draw(st.integers(1, 40)), width)) * draw(st.sampled_from([1.0, 0.01, 1000.0]))
    matrix = unit(kinds[rng.integers(0, len(kinds), total)].astype(np.float16))
    rows = rng.permutation(total)[: draw(st.integers(0, total))]
    names = ["".join(rng.choice([*string.ascii_lowercase], 3)) + str(at) for at in range(len(rows))]
    query = unit(rng.standard_normal((1, width)).astype(np.float32))[0]
    query = matrix[rng.integers(total)] if draw(st.booleans()) else query
    return matrix, query, rows.astype(np.intp), names, draw(st.integers(1, 350)), draw(st.integers(1, 64))


@settings(max_examples=150, deadline=None)
@given(searches())
def test_the_search_in_blocks_is_the_naive_search(search):
    matrix, query, rows, names, count, block = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "BLOCK", block)
        patch.setattr(ranking, "LOOKED_AGAIN", block)
        found = best(matrix, query, rows, count, lambda places: [names[place] for place in places])
    order, told = naive(matrix, query, rows, names)
    assert [place for place, _ in found] == order[:count]
    assert [similarity for _, similarity in found] == pytest.approx([told[place] for place in order[:count]], abs=2e-6)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 384, 1280]))
def test_a_float32_product_lies_within_the_margin(seed, width):
    rng = np.random.default_rng(seed)
    matrix = unit(rng.standard_normal((200, width)).astype(np.float16))
    query, rows = matrix[7], np.arange(200)
    assert np.abs(products(matrix, query, rows) - cosines(matrix, query, rows)).max() <= margin(width) / 2


def test_rows_that_are_not_asked_for_are_not_told_of_whether_few_or_many_are():
    matrix = unit(np.random.default_rng(0).standard_normal((10_000, 8)).astype(np.float32))
    for step in (1, 3, 50, 5000):
        rows = np.arange(0, 10_000, step)
        np.testing.assert_allclose(products(matrix, matrix[5], rows), matrix[rows] @ matrix[5], atol=1e-6)


def test_what_has_no_length_is_like_nothing_and_what_is_not_finite_is_not_a_number():
    made = unit(np.array([[0, 0], [3, 4], [np.inf, 1], [np.nan, 1]], np.float16))
    assert made[:2].tolist() == [[0, 0], [pytest.approx(0.6), pytest.approx(0.8)]]
    assert np.isnan(made[2:]).any(axis=1).all()
    assert best(made[:2], made[1], np.arange(2), 2, lambda _: ["b", "a"]) == [(1, 1.0), (0, 0.0)]
    assert best(made[:0], made[1], np.arange(0), 5, lambda _: []) == []
