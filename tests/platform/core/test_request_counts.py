"""Requests are counted once, whichever process answered them, and counters never fall."""

import fcntl
from pathlib import Path

import pytest
from tests.workers import wait_until

from core.request_counts import BOUNDS, FILES, Key, RequestCounts

KEY = Key("/jobs/{pk}", "GET", "2xx")


def number(counts: RequestCounts) -> float:
    """Of requests, as one process tells it."""
    return sum(counts.all().get(KEY, [0.0])[1:])


def leave(counts: RequestCounts) -> None:
    """As the system does with the lock of a process that ends."""
    assert counts._held is not None
    fcntl.flock(counts._held, fcntl.LOCK_UN)


def test_every_process_tells_what_all_of_them_counted(tmp_path: Path) -> None:
    one, other = RequestCounts(tmp_path), RequestCounts(tmp_path)
    for counts in (one, one, other):
        counts.add(KEY, 0.02)
    wait_until(lambda: number(one) == number(other) == 3)
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_seconds_go_to_the_first_bound_that_holds_them(tmp_path: Path) -> None:
    counts = RequestCounts(tmp_path)
    for seconds in (0.0, BOUNDS[0], 0.02, 99.0):
        counts.add(KEY, seconds)
    (sums,) = counts.all().values()
    assert sums[0] == pytest.approx(99.025)
    assert (sums[1], sums[3], sums[-1], sum(sums[1:])) == (2, 1, 1, 4)


def test_who_comes_after_goes_on_from_the_sums_of_who_ended(tmp_path: Path) -> None:
    first = RequestCounts(tmp_path)
    first.add(KEY, 0.02)
    assert number(first) == 1
    leave(first)
    second = RequestCounts(tmp_path)
    assert number(second) == 1
    second.add(KEY, 0.02)
    assert number(second) == 2
    assert [file.name for file in tmp_path.glob("*.json")] == [FILES.format(0)]


def test_a_full_disk_delays_the_counts_and_fails_no_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    counts = RequestCounts(tmp_path / "metrics")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        counts.add(KEY, 0.02)
    counts.add(KEY, 0.02)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        counts.add(KEY, 0.02)
        assert number(counts) < 3
    assert number(counts) == 3


def test_a_file_that_was_cut_short_counts_from_zero(tmp_path: Path) -> None:
    (tmp_path / FILES.format(0)).write_bytes(b'[["/jobs')
    counts = RequestCounts(tmp_path)
    counts.add(KEY, 0.02)
    assert number(counts) == 1
