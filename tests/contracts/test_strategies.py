"""The contract every registered strategy keeps; a new one is covered by being registered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acquisition import Pool, PoolError, compose, names, strategy


def pool_of(rng: np.random.Generator, rows: int, classes: int = 4, *, coarse: bool = False) -> Pool:
    logits = rng.normal(size=(rows, classes)) * 2
    if coarse:
        logits = np.round(logits)
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return Pool(
        ids=rng.permutation(rows * 3)[:rows],
        probabilities=probabilities,
        embeddings=np.round(rng.normal(size=(rows, 6)), 1),
        labelled=np.round(rng.normal(size=(5, 6)), 1),
        classes=[f"class {index}" for index in range(classes)],
    )


@pytest.mark.parametrize("name", names())
@given(seed=st.integers(0, 2**31), rows=st.integers(0, 40), count=st.integers(1, 50), control=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_picks_are_exact_unique_deterministic_and_blind_to_row_order(name, seed, rows, count, control):
    rng = np.random.default_rng(seed)
    pool = pool_of(rng, rows, coarse=bool(seed % 2))
    picks = compose(pool, name, count=count, seed=seed, control=control)
    assert len(picks) == min(count, rows)
    assert len({pick.id for pick in picks}) == len(picks)
    assert {pick.id for pick in picks} <= set(pool.ids.tolist())
    assert [pick.rank for pick in picks] == list(range(1, len(picks) + 1))
    assert all(0 < pick.probability <= 1 and pick.reason for pick in picks)
    assert compose(pool, name, count=count, seed=seed, control=control) == picks
    assert compose(pool.take(rng.permutation(rows)), name, count=count, seed=seed, control=control) == picks


@pytest.mark.parametrize("name", names())
def test_a_single_class_and_a_missing_labelled_set_are_fine(name):
    pool = Pool(ids=np.arange(6), probabilities=np.ones((6, 1)), embeddings=np.eye(6))
    assert len(compose(pool, name, count=4, seed=1)) == 4


@pytest.mark.parametrize("name", [name for name in names() if strategy(name).needs])
def test_a_strategy_says_what_it_needs(name):
    with pytest.raises(PoolError, match=strategy(name).needs[0]):
        compose(Pool(ids=np.arange(3)), name, count=1, seed=0)


@pytest.mark.parametrize("name", names())
def test_numbers_that_are_not_finite_are_refused(name):
    with pytest.raises(PoolError, match="not finite"):
        compose(Pool(ids=np.arange(2), probabilities=np.array([[np.nan, 1], [0, 1]])), name, count=1, seed=0)
