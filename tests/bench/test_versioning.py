"""The machinery of the benchmark of versions, at a size that proves nothing but that it works."""

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.versioning import corpus, memory, reading, rows
from bench.versioning.table import Line, against, percentiles, seconds, show
from tests.s3_server import remove_bucket

from blobs.images import probe
from blobs.settings import StoreConfig


def test_a_promise_is_kept_from_its_target_on() -> None:
    assert against("load", 10.0, 1.0, target=10).verdict == "yes"
    assert against("load", 9.9, 1.0, target=10).verdict == "NO"
    assert against("load", 9.9, 1.0).verdict == ""


def test_the_table_shows_each_line(capsys: pytest.CaptureFixture[str]) -> None:
    show("Loads", [against("10 images", 12.0, 0.05, target=10), Line("memory", "1 MB", "2 MB")])
    shown = capsys.readouterr().out
    assert "Loads" in shown
    assert [word in shown for word in ("12.0 s", "50.0 ms", "240", ">= 10", "yes", "2 MB")] == [True] * 6


def test_percentiles_and_durations_are_readable() -> None:
    assert percentiles([float(n) for n in range(101)]) == (50.0, 95.0)
    assert [seconds(value) for value in (0.0123, 1.234, 123.4)] == ["12.3 ms", "1.23 s", "123.4 s"]


def test_small_images_are_real_small_and_different(tmp_path: Path) -> None:
    assert corpus.write_images(tmp_path, 60) == sum(path.stat().st_size for path in tmp_path.rglob("*.*"))
    found = [path.read_bytes() for path in sorted(tmp_path.rglob("*.*"))]
    assert len(set(found)) == 60
    assert {probe(data).media_type for data in found} == {"image/png", "image/jpeg"}
    assert all(300 <= len(data) <= 1000 for data in found)
    likenesses = [probe(data).likeness for data in found]
    assert len({one.phash for one in likenesses if one}) > 55


def test_the_large_archive_is_one_of_images() -> None:
    file = io.BytesIO()
    memory.write_archive(file, 5_000_000)
    assert file.tell() >= 5_000_000
    file.seek(0)
    with tarfile.open(fileobj=file) as archive:
        first = archive.extractfile(archive.getmembers()[0])
        assert first is not None
        assert probe(first.read()).width == memory.SIDE


@pytest.mark.django_db(transaction=True)
def test_rows_are_loaded_and_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, small in (("BATCH", 400), ("APPENDED", 20), ("BLOBS", 50), ("ASKED", 3), ("DIFFED", 2)):
        monkeypatch.setattr(rows, name, small)
    measured = rows.measure([400, 900])
    assert sorted(measured.loads) == [400, 900]
    assert {len(times) for sizes in measured.asked.values() for times in sizes.values()} == {2, 3}
    assert len(measured.lines()) == 2 + 2 * len(measured.asked)


def test_every_way_of_reading_brings_all_bytes(s3_server: StoreConfig, tmp_path: Path) -> None:
    packed, plain = replace(s3_server, bucket="bench-packs"), replace(s3_server, bucket="bench-plain")
    try:
        lines = reading.read_side(s3_server, tmp_path, 300_000)
    finally:
        remove_bucket(packed)
        remove_bucket(plain)
    assert [line.target for line in lines] == [reading.SHARE, None, None, None]
    assert all(line.ratio and np.isfinite(line.ratio) for line in lines)
