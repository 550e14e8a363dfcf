"""The contract every registered strategy keeps, those of installed packages too; a new one is covered by being
registered."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.acquisition.pools import pool_for

from acquisition import Pool, PoolError, blocks, compose, facts, names, strategy
from acquisition.pool import OBJECTS, ROWS

every = pytest.mark.parametrize("name", names())


def choices_of(name, pool, count, seed=0, params=None, **options):
    chosen = strategy(name, params)
    pool = pool.in_order(0)
    chosen.check(pool)
    return chosen.select(pool, count, np.random.default_rng(seed), **options)


@every
@given(seed=st.integers(0, 2**31), rows=st.integers(0, 40), count=st.integers(1, 50), control=st.floats(0, 1))
@settings(max_examples=examples(30))
def test_picks_are_exact_unique_deterministic_and_blind_to_row_order(name, seed, rows, count, control):
    rng = np.random.default_rng(seed)
    pool = pool_for(name, rng, rows, coarse=bool(seed % 2))
    picks = list(compose(pool, name, count=count, seed=seed, control=control))
    assert len(picks) == min(count, rows)
    assert len({pick.id for pick in picks}) == len(picks)
    assert {pick.id for pick in picks} <= set(pool.ids.tolist())
    assert [pick.rank for pick in picks] == list(range(1, len(picks) + 1))
    assert all(0 < (pick.probability or 0) <= 1 and pick.reason for pick in picks)
    assert list(compose(pool, name, count=count, seed=seed, control=control)) == picks
    assert list(compose(pool.take(rng.permutation(rows)), name, count=count, seed=seed, control=control)) == picks


@every
@given(seed=st.integers(0, 2**31), rows=st.integers(0, 30), count=st.integers(0, 40))
@settings(max_examples=examples(20))
def test_choices_are_rows_with_a_reason_and_numbers_that_are_finite(name, seed, rows, count):
    choices = choices_of(name, pool_for(name, np.random.default_rng(seed), rows), count, seed)
    assert len({choice.row for choice in choices}) == len(choices) == min(count, rows)
    for choice in choices:
        assert type(choice.row) is int
        assert 0 <= choice.row < rows
        assert choice.reason
        assert choice.score is None or (type(choice.score) is float and np.isfinite(choice.score))
        assert all(type(value) is float and np.isfinite(value) for value in choice.terms.values())


@every
def test_samples_that_are_all_alike_come_by_chance(name):
    one = pool_for(name, np.random.default_rng(3), 1)
    rows = np.zeros(12, dtype=np.intp)
    pool = replace(
        Pool(
            ids=np.arange(12),
            **{key: values[rows] for key in ROWS if key != "ids" and (values := getattr(one, key)) is not None},
            task=one.task,
        ),
        **{
            key: getattr(one, key)
            for key in ("labelled", "labelled_classes", "wanted", "unwanted", "classes", "evidence", *OBJECTS)
        },
    )
    taken = [sorted(pick.id for pick in compose(pool, name, count=5, seed=seed)) for seed in range(8)]
    assert len({tuple(ids) for ids in taken}) > 4


@every
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_scores_may_be_of_lower_precision(name, kind):
    pool = pool_for(name, np.random.default_rng(5), 25)
    low: dict[str, Any] = {
        field.name: value.astype(kind)
        for field in fields(Pool)
        if isinstance(value := getattr(pool, field.name), np.ndarray) and value.dtype == np.float64
    }
    assert len(choices_of(name, replace(pool, **low), 7)) == 7


@every
def test_the_pool_stays_as_it_is(name):
    pool = pool_for(name, np.random.default_rng(6), 25).in_order(0)
    for field in fields(Pool):
        if isinstance(value := getattr(pool, field.name), np.ndarray):
            value.flags.writeable = False
    assert len(strategy(name).select(pool, 7, np.random.default_rng(0))) == 7


@every
@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(5))
def test_how_the_work_is_cut_does_not_matter(name, seed):
    pool = pool_for(name, np.random.default_rng(seed), 33, coarse=bool(seed % 2))
    whole = [choice.row for choice in choices_of(name, pool, 12, seed)]
    with pytest.MonkeyPatch.context() as patch:
        for threads, block in (("1", 1), ("2", 50)):
            patch.setenv("OMP_NUM_THREADS", threads)
            patch.setattr(blocks, "BLOCK", block)
            assert [choice.row for choice in choices_of(name, pool, 12, seed)] == whole
    if "block" in facts(name)["params_schema"].get("properties", {}):
        for size in (1, 7, 64):
            assert [choice.row for choice in choices_of(name, pool, 12, seed, {"block": size})] == whole


@every
def test_chance_comes_from_the_given_seed_alone(name):
    pool = pool_for(name, np.random.default_rng(8), 40)
    found = []
    for seed in (1, 2):
        np.random.seed(seed)
        before: Any = np.random.get_state()
        before = before[1].copy()
        found.append([choice.row for choice in choices_of(name, pool, 15, seed=4)])
        after: Any = np.random.get_state()
        assert (after[1] == before).all()
    assert found[0] == found[1]


class CancelledError(Exception):
    """What a job raises when it is cancelled."""


@every
def test_what_watch_raises_ends_the_selection(name):
    def cancel(done, total):
        raise CancelledError

    with pytest.raises(CancelledError):
        choices_of(name, pool_for(name, np.random.default_rng(0), 20), 5, watch=cancel)


@every
def test_watch_is_told_of_progress_within_bounds(name):
    told = []
    choices_of(
        name, pool_for(name, np.random.default_rng(0), 20), 5, watch=lambda done, total: told.append((done, total))
    )
    assert told
    assert all(0 <= done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@every
def test_an_empty_pool_gives_nothing(name):
    assert choices_of(name, pool_for(name, np.random.default_rng(0), 0), 5) == []


@every
def test_a_single_class_and_a_missing_labelled_set_are_fine(name):
    full = pool_for(name, np.random.default_rng(0), 6, classes=1, members=1)
    pool = replace(full, labelled=None, labelled_classes=None, unwanted=None, embeddings=np.eye(6))
    assert len(compose(pool, name, count=4, seed=1)) == 4


@pytest.mark.parametrize("name", [name for name in names() if strategy(name).needs])
def test_a_strategy_says_what_it_needs(name):
    with pytest.raises(PoolError, match=strategy(name).needs[0]):
        compose(Pool(ids=np.arange(3)), name, count=1, seed=0)


@every
def test_a_strategy_says_what_it_is(name):
    told = facts(name)
    assert told["name"] == name
    assert len(told["summary"]) > 10
    assert set(told["needs"]) <= {field.name for field in fields(Pool)}
    assert all("description" in field for field in told["params_schema"].get("properties", {}).values())
