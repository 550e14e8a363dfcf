"""The machinery of the benchmark of scoring, at a size that proves nothing but that it works."""

import os

import pytest
from bench.mining import bucket, scoring

from demo.mnist import sklearn_digits


@pytest.fixture
def pool(blob_store, tmp_path, monkeypatch):
    monkeypatch.setattr(bucket, "digits", lambda _: sklearn_digits())
    return bucket.mnist(blob_store.config, tmp_path, 1400)


@pytest.mark.clock
def test_every_image_of_a_pool_is_another(pool):
    assert len({sample.md5 for sample in pool.samples}) == 1400


@pytest.mark.clock
def test_scoring_is_compared_with_the_bare_loop_and_the_decoder(pool, blob_store, tmp_path):
    lines = scoring.throughput(pool, blob_store.config, tmp_path, [(0, 40), (40, 80), (80, 100)])
    assert [line.target for line in lines] == [scoring.SHARE, None, None, None, None, scoring.FLAT]
    assert lines[0].ratio is not None
    assert lines[-1].ratio is not None
    assert lines[0].ratio > 0
    assert 0 < lines[-1].ratio <= 1


@pytest.mark.clock
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_two_processes_are_compared_with_one(pool, blob_store, tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "BARE_SECONDS", 0.2)
    lines = scoring.scaling(pool, blob_store.config, tmp_path, [(at, at + 200) for at in range(0, 1400, 200)])
    ours, bare = lines
    assert (ours.target, bare.target) == (scoring.SCALING, None), "what the machine gives is told, not promised"
    assert all(line.ratio is not None and line.ratio > 0 for line in lines)
