"""What processes count is added up once, whichever of them is asked, and no sum ever falls."""

import fcntl
import os
from pathlib import Path

import pytest
from tests.workers import wait_until

from core.host_metrics import BOUNDS, Histogram
from core.process_sums import ProcessSums

KEY = ("/jobs/{pk}", "GET")


def sums_in(folder: Path, *, living: bool = False) -> ProcessSums:
    return ProcessSums(lambda: folder, "requests", labels=2, living=living)


def number(sums: ProcessSums) -> float:
    """Of requests, as one process tells it."""
    return sum(sums.all().get(KEY, [0.0]))


def leave(sums: ProcessSums) -> None:
    """As the system does with the lock of a process that ends."""
    assert sums._held is not None
    fcntl.flock(sums._held, fcntl.LOCK_UN)


def test_every_process_tells_what_all_of_them_counted(tmp_path: Path) -> None:
    one, other = sums_in(tmp_path), sums_in(tmp_path)
    for sums in (one, one, other):
        sums.add(KEY, [1.0])
    wait_until(lambda: number(one) == number(other) == 3)
    assert len(list(tmp_path.glob("*.json"))) == 2
    assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir()} == {0}


def test_seconds_go_to_the_first_bound_that_holds_them(settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    durations = Histogram("seconds", "Seconds.", labels=("route",), file="requests")
    for seconds in (0.0, BOUNDS[0], 0.02, 99.0):
        durations.observe("/jobs", seconds=seconds)
    (values,) = durations.sums.all().values()
    assert values[0] == pytest.approx(99.025)
    assert (values[1], values[3], values[-1], sum(values[1:])) == (2, 1, 1, 4)
    counted = {sample.labels.get("le"): sample.value for sample in durations.family().samples if "le" in sample.labels}
    assert (counted["0.005"], counted["0.025"], counted["30.0"], counted["+Inf"]) == (2, 3, 3, 4)


def test_who_comes_after_goes_on_from_the_sums_of_who_ended(tmp_path: Path) -> None:
    first = sums_in(tmp_path)
    first.add(KEY, [1.0])
    assert number(first) == 1
    leave(first)
    second = sums_in(tmp_path)
    assert number(second) == 1
    second.add(KEY, [1.0])
    assert number(second) == 2
    assert [file.name for file in tmp_path.glob("*.json")] == ["requests-0.json"]


def test_what_holds_for_a_moment_ends_with_its_process(tmp_path: Path) -> None:
    one, other = sums_in(tmp_path, living=True), sums_in(tmp_path, living=True)
    one.add(KEY, [5.0])
    other.add(KEY, [2.0])
    wait_until(lambda: number(one) == 7)
    leave(other)
    assert number(one) == 5
    later = sums_in(tmp_path, living=True)
    later.add(KEY, [1.0])
    assert number(later) == 6


def test_a_forked_process_counts_in_a_file_of_its_own(tmp_path: Path) -> None:
    sums = sums_in(tmp_path)
    sums.add(KEY, [1.0])
    if not (child := os.fork()):
        sums.add(KEY, [1.0])
        sums.all()
        os._exit(0)
    os.waitpid(child, 0)
    sums.add(KEY, [1.0])
    assert number(sums) == 3
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_a_full_disk_delays_the_counts_and_fails_no_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    sums = sums_in(tmp_path / "metrics")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        sums.add(KEY, [1.0])
    sums.add(KEY, [1.0])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        sums.add(KEY, [1.0])
        assert number(sums) < 3
    assert number(sums) == 3


def test_a_file_that_was_cut_short_counts_from_zero(tmp_path: Path) -> None:
    (tmp_path / "requests-0.json").write_bytes(b'[["/jobs')
    sums = sums_in(tmp_path)
    sums.add(KEY, [1.0])
    assert number(sums) == 1
