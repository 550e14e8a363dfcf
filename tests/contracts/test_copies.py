"""No batch has the same picture twice, by whatever strategy: same bytes never, near copies as often as allowed."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.acquisition.pools import pool_for

from acquisition import Composition, Pool, compose, names
from acquisition.composer import CONTROL
from acquisition.pool import ROWS
from blobs.likeness import MAX_DISTANCE

every = pytest.mark.parametrize("name", names())


def with_copies(pool: Pool, rng: np.random.Generator, contents: int) -> Pool:
    """The pool with rows that repeat `contents` of its rows, each under an id of its own."""
    rows = rng.integers(0, max(contents, 1), len(pool))
    repeated = {key: values[rows] for key in ROWS if key != "ids" and (values := getattr(pool, key)) is not None}
    return replace(pool, **repeated, copies=rows, slices={name: inside[rows] for name, inside in pool.slices.items()})


def pictures(rng: np.random.Generator, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hashes and sketches (N,) of pictures that are near copies where their group is the same, and unlike otherwise."""
    hashes = rng.integers(0, 2**63, groups.max() + 1)
    shapes = rng.integers(0, 256, (groups.max() + 1, 256))
    noise = rng.integers(-2, 3, (len(groups), 256))
    turned = np.array([1 << int(bit) for bit in rng.integers(0, 60, len(groups))])
    return hashes[groups] ^ turned, np.clip(shapes[groups] + noise, 0, 255).astype(np.uint8)


@every
@given(
    seed=st.integers(0, 2**31),
    rows=st.integers(1, 40),
    contents=st.integers(1, 12),
    count=st.integers(1, 50),
    control=st.floats(0, 1),
)
@settings(max_examples=examples(15))
def test_no_batch_has_the_same_bytes_twice(name, seed, rows, contents, count, control):
    rng = np.random.default_rng(seed)
    pool = with_copies(pool_for(name, rng, rows, coarse=bool(seed % 2)), rng, min(contents, rows))
    assert pool.copies is not None
    batch = compose(pool, name, count=count, seed=seed, control=control)
    of = dict(zip(pool.ids.tolist(), pool.copies.tolist(), strict=True))
    there = len(set(of.values()))
    assert len({of[pick.id] for pick in batch}) == len(batch) == min(count, there)
    assert batch.candidates == there
    assert batch.kept_out.get("of the same bytes as another candidate", 0) == rows - there


@every
@given(seed=st.integers(0, 2**31), rows=st.integers(2, 39), groups=st.integers(1, 12), most=st.integers(1, 3))
@settings(max_examples=examples(15))
def test_a_batch_has_as_many_near_copies_as_allowed(name, seed, rows, groups, most):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, rows)
    hashes, sketches = pictures(rng, group)
    pool = replace(pool_for(name, rng, rows), hashes=hashes, sketches=sketches)
    of = dict(zip(pool.ids.tolist(), group.tolist(), strict=True))
    batch = compose(pool, name, count=rows, seed=seed, control=0.2, composition=Composition(near_copies=most))
    allowed = sum(min(most, number) for number in Counter(group.tolist()).values())
    assert max(Counter(of[pick.id] for pick in batch).values()) <= most
    assert len(batch) == batch.candidates == allowed
    assert batch.kept_out.get("near copies of another candidate", 0) == rows - allowed
    off = compose(pool, name, count=rows, seed=seed, composition=Composition(near_copies=None))
    assert len(off) == rows


def test_the_control_arm_draws_every_different_picture_with_the_same_chance():
    """A picture that is there nine times is drawn as often as one that is there once: accuracy by the control arm is
    that over the different pictures."""
    rng = np.random.default_rng(0)
    group = np.array([0] * 9 + [1] * 9 + list(range(2, 20)))
    hashes, sketches = pictures(rng, group)
    copies = np.where(group == 0, 0, np.arange(len(group)))  # group 0: same bytes; group 1: near copies
    pool = Pool(ids=np.arange(36), probabilities=np.full((36, 2), 0.5), copies=copies, hashes=hashes, sketches=sketches)
    drawn: Counter[int] = Counter()
    draws = 2000
    for seed in range(draws):
        batch = compose(pool, "margin", count=4, seed=seed, control=0.5)
        chosen = [pick for pick in batch if pick.reason == CONTROL]
        assert [pick.probability for pick in chosen] == [2 / 20] * 2
        drawn.update(int(group[pick.id]) for pick in chosen)
    expected = draws * 2 / 20
    assert set(drawn) == set(range(20))
    assert max(abs(number - expected) for number in drawn.values()) < 4.5 * np.sqrt(expected)


def test_of_equal_bytes_the_one_that_a_quota_needs_is_the_candidate():
    pool = Pool(
        ids=np.arange(3), probabilities=np.full((3, 2), 0.5), copies=np.array([5, 5, 6]),
        slices={"night": np.array([False, True, False])},
    )  # fmt: skip
    made = Composition(quotas=[{"slice": "night", "min": 1}])  # type: ignore[list-item]
    batch = compose(pool, "margin", count=1, seed=0, composition=made)
    assert [pick.id for pick in batch] == [1]
    assert batch.unmet == []


def test_of_labels_to_check_the_most_suspect_copy_is_the_candidate():
    said = np.array([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    pool = Pool(
        ids=np.arange(5), probabilities=said, labels=np.array([0, 1, 0, 1, 1]), copies=np.array([0, 0, 1, 2, 3])
    )
    first = compose(pool, "label_errors", count=1, seed=0)[0]
    assert first.id == 1


@pytest.mark.parametrize("size", [60, 300])
def test_pictures_alike_by_nature_are_no_near_copies(size):
    """Frames of a fixed camera: all resemble each other by hash and sketch, and one is a re-compressed copy."""
    rng = np.random.default_rng(1)
    ground = rng.integers(0, 200, 256).astype(float)
    frames = ground + rng.normal(0, 3, (size, 256))
    frames[-1] = frames[0] + rng.normal(0, 0.3, 256)
    sketches = np.clip(np.round(frames), 0, 255).astype(np.uint8)
    hashes = np.full(size, 0x0F0F0F0F0F0F0F0F) ^ (1 << rng.integers(0, MAX_DISTANCE // 2, size))
    pool = Pool(ids=np.arange(size), probabilities=np.full((size, 2), 0.5), hashes=hashes, sketches=sketches)
    batch = compose(pool, "random", count=size, seed=0)
    assert batch.kept_out == {"near copies of another candidate": 1}
    assert len({0, size - 1} & {pick.id for pick in batch}) == 1
