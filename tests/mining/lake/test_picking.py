"""Two stages choose what one look over everything would."""

import hashlib
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acquisition import Pool, strategy
from acquisition.registry import RowStrategy
from lake import Kept, first_of_each, keep, merged, priorities, words_of

MARGIN = cast(RowStrategy, strategy("margin"))


def staged(groups: list[np.ndarray], numbers: list[np.ndarray], *, count: int, share: float):
    """What scans do, on margins as a strategy gives them: (frames of the strategy, those of the control arm), as places
    among all."""
    starts = np.cumsum([0, *(len(one) for one in groups)])
    kept: list[Kept] = []
    for rows, drawn in zip(groups, numbers, strict=True):
        pool = Pool(ids=np.arange(len(rows)), probabilities=rows)
        scores = MARGIN.scored(pool) if len(rows) else np.empty(0)
        contents = (np.arange(len(rows)) + starts[len(kept)]).astype(np.uint64)
        one = keep(np.asarray(scores), drawn, np.arange(len(rows)), contents, count=count, control=round(count * share))
        kept.append(Kept.from_bytes(one.to_bytes()))
    chosen = merged(kept, count=count, share=share)
    return tuple((starts[places[:, 0]] + places[:, 1]).tolist() for places in (chosen.places, chosen.control))


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    count=st.integers(1, 20),
    share=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    seed=st.integers(0, 2**31),
    levels=st.integers(2, 50),
)
def test_the_choice_is_that_over_all_frames_at_once(sizes, count, share, seed, levels):
    """Ties are common with few levels: they go to the lower key."""
    rng = np.random.default_rng(seed)
    shares = rng.integers(0, levels + 1, sum(sizes)) / levels
    pool = np.stack([shares, 1 - shares], axis=1)
    bounds = np.cumsum(sizes)[:-1]
    numbers = priorities(seed, 0, np.arange(sum(sizes), dtype=np.uint64))
    picked, control = staged(np.split(pool, bounds), np.split(numbers, bounds), count=count, share=share)
    total = min(count, len(pool))
    assert control == np.argsort(numbers)[: round(total * share)].tolist()
    left = np.setdiff1d(np.arange(len(pool)), control)
    scores = MARGIN.scored(Pool(ids=left, probabilities=pool[left])) if len(left) else np.empty(0)
    assert picked == left[np.argsort(-scores, kind="stable")[: total - len(control)]].tolist()


def digests(names: list[int]) -> list[bytes]:
    return [hashlib.md5(str(name).encode(), usedforsecurity=False).digest() for name in names]


def kept_of(groups: list[list[int]], *, seed: int, count: int, control: int) -> list[Kept]:
    """What groups of frames with these contents keep, at equal scores."""
    kept = []
    for group in groups:
        rows = first_of_each(contents := words_of(digests(group)))
        numbers = priorities(seed, 0, contents[rows])
        kept.append(keep(np.zeros(len(rows)), numbers, rows, contents[rows], count=count, control=control))
    return kept


def test_each_content_is_in_the_control_arm_as_often_as_any_other_however_many_copies_it_has():
    groups = [[0, 1, 2], [*range(3, 40), 1, 1, 3], [2], [*range(40, 55), *[2] * 9]]
    rounds, drawn = 2000, np.zeros(55)
    for seed in range(rounds):
        chosen = merged(kept_of(groups, seed=seed, count=60, control=6), count=12, share=0.5)
        contents = [groups[group][row] for group, row in chosen.control.tolist()]
        assert len(set(contents)) == len(contents) == 6
        drawn[contents] += 1
        assert (chosen.eligible, chosen.same_bytes) == (55, 3)
    chance = 6 / 55
    error = np.sqrt(rounds * chance * (1 - chance))
    assert np.abs(drawn - rounds * chance).max() < 4.5 * error


@settings(deadline=None)
@given(
    groups=st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=6),
    count=st.integers(1, 20),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 99),
)
def test_no_choice_has_the_same_bytes_twice(groups, count, share, seed):
    kept = [Kept.from_bytes(one.to_bytes()) for one in kept_of(groups, seed=seed, count=count, control=count)]
    chosen = merged(kept, count=count, share=share)
    places = [*chosen.places.tolist(), *chosen.control.tolist()]
    contents = [groups[group][row] for group, row in places]
    there = len({content for group in groups for content in group})
    assert len(set(contents)) == len(contents) <= min(count, there)
    if count >= 12:
        assert len(contents) == min(count, there)


def test_numbers_are_those_of_the_seed_and_the_bytes_alone():
    contents = words_of(digests([1, 2, 3]))
    first = priorities(3, 0, contents)
    assert first[:2].tolist() == priorities(3, 0, contents[:2]).tolist()
    assert ((first >= 0) & (first < 1)).all()
    for other in (priorities(4, 0, contents), priorities(3, 1, contents), priorities(3, 0, words_of(digests([4])))):
        assert not np.isin(first, other).any()


def test_numbers_of_contents_are_uniform():
    numbers = np.sort(priorities(0, 0, words_of(digests(list(range(4000))))))
    assert np.abs(numbers - (np.arange(4000) + 0.5) / 4000).max() < 1.95 / np.sqrt(4000)  # Kolmogorov-Smirnov, 0.1 %


def test_a_frame_keeps_twenty_bytes():
    rows = np.arange(1000)
    kept = keep(np.linspace(0, 1, 1000), np.zeros(1000), rows, rows.astype(np.uint64), count=1000, control=0)
    assert len(kept.to_bytes()) == pytest.approx(20_000, abs=2000)
