"""Two stages choose what one look over everything would."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acquisition import Pool, compose, strategy
from acquisition.registry import RowStrategy
from lake import Kept, keep, merged, priorities

MARGIN = cast(RowStrategy, strategy("margin"))


def staged(groups: list[np.ndarray], numbers: list[np.ndarray], *, count: int, share: float):
    """What scans do, on margins as a strategy gives them: (frames of the strategy, those of the control arm), as places
    among all."""
    starts = np.cumsum([0, *(len(one) for one in groups)])
    kept = []
    for rows, drawn in zip(groups, numbers, strict=True):
        pool = Pool(ids=np.arange(len(rows)), probabilities=rows)
        scores = MARGIN.scored(pool) if len(rows) else np.empty(0)
        one = keep(np.asarray(scores), drawn, np.arange(len(rows)), count=count, control=round(count * share))
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
    numbers = np.concatenate([priorities(seed, 0, str(at), size) for at, size in enumerate(sizes)])
    picked, control = staged(np.split(pool, bounds), np.split(numbers, bounds), count=count, share=share)
    total = min(count, len(pool))
    assert control == sorted(np.argsort(numbers)[: round(total * share)].tolist())
    left = np.setdiff1d(np.arange(len(pool)), control)
    naive = compose(Pool(ids=left, probabilities=pool[left]), "margin", count=total - len(control), seed=0)
    assert picked == [pick.id for pick in naive]


def test_each_frame_is_in_the_control_arm_as_often_as_any_other():
    sizes, rounds = (3, 40, 1, 16), 2000
    starts, drawn = np.cumsum([0, *sizes]), np.zeros(sum(sizes))
    for seed in range(rounds):
        numbers = [priorities(seed, 0, str(at), size) for at, size in enumerate(sizes)]
        kept = [keep(np.zeros(len(one)), one, np.arange(len(one)), count=12, control=6) for one in numbers]
        places = merged(kept, count=12, share=0.5).control
        assert len(places) == 6
        drawn[starts[places[:, 0]] + places[:, 1]] += 1
    chance = 6 / sum(sizes)
    error = np.sqrt(rounds * chance * (1 - chance))
    assert np.abs(drawn - rounds * chance).max() < 4.5 * error


def test_numbers_are_those_of_the_seed_and_the_group_alone():
    first = priorities(3, 0, "a.png", 5)
    assert first.tolist() == priorities(3, 0, "a.png", 5).tolist()
    for other in (priorities(4, 0, "a.png", 5), priorities(3, 1, "a.png", 5), priorities(3, 0, "b.png", 5)):
        assert not np.isin(first, other).any()


def test_a_frame_keeps_twelve_bytes():
    rows = np.arange(1000)
    kept = keep(np.linspace(0, 1, 1000), np.zeros(1000), rows, count=1000, control=0)
    assert len(kept.to_bytes()) == pytest.approx(12_000, abs=1500)
