"""The model of what processes send each other, and the benchmark at a size that proves nothing but that it works."""

from itertools import accumulate

import pytest
from bench.scale.__main__ import efficiency, main
from bench.scale.links import SIZES, Link
from bench.scale.paces import durations
from hypothesis import given
from hypothesis import strategies as st

latencies = st.floats(1e-7, 1e-2)
paces = st.floats(1e7, 1e12)
links = st.builds(lambda latency, pace: Link("a link", latency, pace), latencies, paces)
worlds = st.integers(2, 1024)


@given(link=links, processes=worlds)
def test_a_link_is_found_again_by_its_own_times(link: Link, processes: int) -> None:
    found = Link.fitted("found", [(size, link.seconds(size, processes)) for size in SIZES], processes)
    for size in SIZES:
        assert found.seconds(size, processes) == pytest.approx(link.seconds(size, processes), rel=1e-3)


@given(link=links, processes=worlds, size=st.integers(1, 1 << 34))
def test_a_ring_sends_less_than_twice_what_is_summed_up_however_many_take_part(
    link: Link, processes: int, size: int
) -> None:
    pure = Link("without latency", 0.0, link.pace)
    assert size / link.pace <= pure.seconds(size, processes) < 2 * size / link.pace
    assert link.seconds(size, 1) == 0
    assert link.seconds(size, processes) > pure.seconds(size, processes)


@given(compute=st.floats(1e-6, 1e3), exchange=st.floats(0, 1e3), hidden=st.floats(0, 1e3))
def test_what_is_hidden_behind_the_backward_pass_costs_nothing(compute: float, exchange: float, hidden: float) -> None:
    plain, better = efficiency(compute, exchange), efficiency(compute, exchange, hidden=hidden)
    assert 0 < plain <= better <= 1
    assert efficiency(compute, exchange, hidden=exchange) == 1


@given(seconds=st.lists(st.floats(1e-4, 1e3), min_size=2, max_size=30), batch=st.integers(1, 512))
def test_the_seconds_of_each_step_come_out_of_the_pace_up_to_it(seconds: list[float], batch: int) -> None:
    paces = [(step + 1) * batch / passed for step, passed in enumerate(accumulate(seconds))]
    events = [
        {"event": "point", "step": step + 1, "values": {"images_per_second": pace}} for step, pace in enumerate(paces)
    ]
    assert durations(events, batch) == pytest.approx(seconds[1:], rel=1e-3, abs=1e-6)
    with pytest.raises(ValueError, match="no point at every step"):
        durations(events[1:], batch)


@pytest.mark.clock
def test_it_measures_and_says_what_was_foretold(capfd: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    said = capfd.readouterr().out
    assert "small_cnn" in said
    assert "foretold" in said
