"""PPAL: the picks are those of the rule in words; what was not looked at comes last; a batch that goes on is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.acquisition.pools import boxes_of

from acquisition import Pool, PoolError, compose, strategy
from worker_programs.config import ConfigError


def plain_similarity(pool: Pool, one: int, other: int) -> float:
    """Of two of those that were looked at, object by object."""
    assert pool.objects is not None
    assert pool.object_facts is not None
    there = pool.object_facts[..., 1] > 0
    mean = pool.objects[there].mean(axis=0)
    halves = []
    for a, b in ((one, other), (other, one)):
        total, weight = 0.0, 0.0
        for point, (label, score) in zip(pool.objects[a] - mean, pool.object_facts[a], strict=True):
            best = 0.0
            for partner, (its, sure) in zip(pool.objects[b] - mean, pool.object_facts[b], strict=True):
                lengths = np.linalg.norm(point) * np.linalg.norm(partner)
                if score > 0 and sure > 0 and its == label and lengths > 0:
                    best = max(best, float(point @ partner / lengths))
            total, weight = total + score * best, weight + score
        halves.append(total / weight if weight else 0.0)
    return round(sum(halves) / 2, 6)


def plain(pool: Pool, count: int, known: tuple[int, ...] = ()) -> list[int]:
    """The rule as it is told; `known` are those that were looked at and are in the batch already."""
    assert pool.object_ids is not None
    assert pool.object_facts is not None
    scores = strategy("entropy", {"reduce": "sum"}).scored(pool)  # type: ignore[attr-defined]
    ids = pool.object_ids.tolist()
    looked = [
        row for row, one in enumerate(pool.ids.tolist())
        if one in ids and (pool.object_facts[ids.index(one), :, 1] > 0).any()
    ]  # fmt: skip
    looked.sort(key=lambda row: (-scores[row], row))
    place = {row: ids.index(pool.ids[row]) for row in looked}
    batch, picks = [*known], list[int]()
    while looked and len(picks) < count:
        nearest = [max((plain_similarity(pool, place[row], one) for one in batch), default=0.0) for row in looked]
        picks.append(looked.pop(int(np.argmin(nearest))))
        batch.append(place[picks[-1]])
    rest = sorted(set(range(len(pool))) - set(picks), key=lambda row: (-scores[row], row))
    return (picks + rest)[:count]


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 24), count=st.integers(1, 24))
@settings(max_examples=examples(60))
def test_picks_are_those_of_the_rule(seed, rows, count):
    pool = boxes_of(np.random.default_rng(seed), rows).in_order(0)
    picks = strategy("ppal").select(pool, count, np.random.default_rng(0))
    assert [pick.row for pick in picks] == plain(pool, min(count, rows))
    scores = [pick.score or 0.0 for pick in picks]
    assert scores == sorted(scores, reverse=True)


@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(20))
def test_what_is_in_the_batch_already_counts(seed):
    pool = boxes_of(np.random.default_rng(seed), 20).in_order(0)
    assert pool.object_ids is not None
    rest = np.setdiff1d(np.arange(20), np.flatnonzero(pool.ids == pool.object_ids[0]))
    later = replace(pool, picked_ids=pool.object_ids[:1]).take(rest)
    picks = strategy("ppal").select(later, 8, np.random.default_rng(0))
    assert [pick.row for pick in picks] == plain(later, 8, known=(0,))


def test_the_shortlist_is_the_most_confusing_and_no_shorter_than_the_batch():
    pool = boxes_of(np.random.default_rng(1), 40).in_order(0)
    scores = strategy("entropy", {"reduce": "sum"}).scored(pool)  # type: ignore[attr-defined]
    best = np.argsort(-scores, kind="stable").tolist()
    assert strategy("ppal", {"candidates": 3}).shortlist(pool, 5).tolist() == best[:15]
    assert strategy("ppal", {"candidates": 1}).shortlist(pool, 7).tolist() == best[:7]
    assert len(strategy("ppal").shortlist(pool, 30)) == 40
    assert len(strategy("entropy").shortlist(pool, 5)) == 0, "others look at no object"


def test_an_image_whose_objects_are_like_a_picks_waits():
    rows = np.zeros((3, 1, 6))
    rows[:, 0, 4] = [0.5, 0.45, 0.1]
    pool = Pool(
        ids=np.array([7, 8, 9]), probabilities=rows, classes=["stop"], task="detection",
        objects=np.array([[[1.0, 0.1]], [[1.0, 0.0]], [[-1.0, 0.0]]]), object_ids=np.array([7, 8, 9]),
        object_facts=np.array([[[0, 0.5]], [[0, 0.45]], [[0, 0.1]]]),
    )  # fmt: skip
    batch = compose(pool, "ppal", count=3, seed=0)
    assert [pick.id for pick in batch] == [7, 9, 8]
    assert batch[2].reason.startswith("entropy 0.69; its objects are like those of the picks before by 0.9")
    assert batch[1].terms["similarity"] == 0.0


def test_what_it_can_not_do_is_refused_in_words():
    with pytest.raises(ConfigError, match="looks at objects in places"):
        strategy("ppal").check_task("multilabel")
    pool = boxes_of(np.random.default_rng(0), 5)
    with pytest.raises(PoolError, match="objects: strategy 'ppal' needs them"):
        compose(replace(pool, objects=None), "ppal", count=2, seed=0)
    assert pool.object_facts is not None
    with pytest.raises(PoolError, match="expected one row per candidate whose objects were looked at"):
        replace(pool, object_facts=pool.object_facts[:1])
