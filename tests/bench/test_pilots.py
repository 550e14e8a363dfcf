"""What two short jobs say of a long one."""

from collections.abc import Sequence

import pytest
from bench.rehearsal.pilots import Paces, Pilot, sizes
from bench.rehearsal.records import SCORE, SELECT, Done, Planned, Record


def pilot(scored: Sequence[float], *, units: int = 100, selecting: float = 2.0, waits: float = 0.5) -> Pilot:
    """Asked for at 1,000; its shards were claimed one after the other by a worker that began `waits` later."""
    at, shards = 1000.0 + waits, []
    for seconds in scored:
        shards.append(Done(SCORE, units, "here:1", at, at + seconds))
        at += seconds
    shards.append(Done(SELECT, 0, "here:1", at, at + selecting))
    return Pilot(1000.0, Record("succeeded", at + selecting, tuple(shards)))


def test_a_start_is_what_the_first_two_shards_of_a_worker_take_longer_than_the_others() -> None:
    paces = Paces.of(pilot([5.0, 7.0], waits=0.25), pilot([2.5, 2.0, 2.0]))
    assert (paces.unit, paces.spread, paces.start, paces.before) == (0.02, 0.0, 4.5, 0.25)
    assert Paces.of(pilot([1.0]), pilot([2.0, 2.0, 2.0])).start == 0.0


def test_the_spread_is_that_of_a_uniform_distribution() -> None:
    lowest, most = 1.0, 3.0
    steps = 1000
    even = [lowest + (most - lowest) * at / (steps - 1) for at in range(steps)]
    assert Paces.of(pilot([5.0]), pilot([9.0, *even])).spread == pytest.approx(0.5, abs=0.001)
    assert Paces.of(pilot([5.0]), pilot([9.0, 0.001, 0.001, 0.001, 9.0])).spread == 0.9


def test_a_selection_takes_what_it_took_in_the_pilots() -> None:
    paces = Paces.of(pilot([5.0], selecting=2.0), pilot([2.0] * 3, selecting=2.4))
    (*_, last) = paces.plan([100] * 10)
    assert (last.phase, last.units) == (SELECT, 0)
    assert last.seconds == pytest.approx(2.2)


def test_shards_take_their_share_and_the_last_one_is_what_is_left() -> None:
    assert sizes(250, 100) == [100, 100, 50]
    assert sizes(200, 100) == [100, 100]
    paces = Paces.of(pilot([5.0]), pilot([2.0] * 3))
    assert paces.plan([100, 50])[:2] == [Planned(100, 2.0), Planned(50, 1.0)]
