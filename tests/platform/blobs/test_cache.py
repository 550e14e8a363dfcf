"""The local cache: bounded, shared, and never believed."""

import multiprocessing
import os
import random
import time
from pathlib import Path

import pytest

from blobs.cache import BlobCache
from blobs.digests import digests_of
from blobs.errors import StoreMisconfigured
from blobs.keys import pack_key, pack_sha256
from blobs.refs import BlobRef


def item(number: int, size: int = 1000) -> tuple[BlobRef, bytes]:
    data = random.Random(number).randbytes(size)
    return BlobRef.alone(digests_of(data)), data


def on_disk(cache: BlobCache) -> int:
    return sum(path.stat().st_size for path in cache.directory.glob("??/*"))


def age(cache: BlobCache, ref: BlobRef, seconds: float) -> None:
    path = cache.directory / ref.md5[:2] / ref.md5
    os.utime(path, (time.time() - seconds,) * 2)


def test_what_was_put_is_there_until_dropped(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, 10_000)
    ref, data = item(1)
    assert cache.get(ref) is None
    cache.put(ref.md5, data)
    cache.put(ref.md5, data)
    assert BlobCache(tmp_path).get(ref) == data
    assert cache.total_bytes() == on_disk(cache) == 1000
    cache.drop(ref.md5)
    cache.drop(ref.md5)
    assert cache.get(ref) is None
    assert cache.total_bytes() == 0


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, 10_000)
    items = [item(number) for number in range(10)]
    for number, (ref, data) in enumerate(items):
        cache.put(ref.md5, data)
        age(cache, ref, 1000 - number)
    assert cache.get(items[0][0]) == items[0][1]  # the oldest is used again
    new, data = item(99)
    cache.put(new.md5, data)
    assert on_disk(cache) == cache.total_bytes() == 9000
    kept = [cache.get(ref) is not None for ref, _ in items]
    assert kept == [True, False, False, *[True] * 7]
    assert cache.get(new) == data


@pytest.mark.parametrize("spoil", [lambda data: data[:0], lambda data: data[:-1], lambda data: b"X" + data[1:]])
def test_a_spoiled_file_is_dropped(tmp_path: Path, spoil: object) -> None:
    assert callable(spoil)
    cache = BlobCache(tmp_path)
    ref, data = item(1)
    cache.put(ref.md5, data)
    (tmp_path / ref.md5[:2] / ref.md5).write_bytes(spoil(data))
    assert cache.get(ref) is None
    cache.put(ref.md5, data)
    assert cache.get(ref) == data


def test_members_are_cut_out_of_a_cached_pack_and_verified(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    pieces = [random.Random(number).randbytes(100) for number in range(3)]
    pack = b"".join(pieces)
    key = pack_key(digests_of(pack).sha256)
    refs = []
    for number, digests in enumerate(map(digests_of, pieces)):
        refs.append(BlobRef(digests.md5, digests.sha256, digests.size, key, number * 100))
    cache.put(pack_sha256(key), pack)
    assert [cache.get(ref) for ref in refs] == pieces
    (tmp_path / pack_sha256(key)[:2] / pack_sha256(key)).write_bytes(pack[:150] + b"X" * 150)
    assert cache.get(refs[0]) == pieces[0]
    assert cache.get(refs[1]) is None
    assert cache.get(refs[0]) is None


def test_a_blob_larger_than_the_cache_is_not_kept(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, 500)
    ref, data = item(1)
    cache.put(ref.md5, data)
    assert cache.get(ref) is None
    assert on_disk(cache) == 0


def test_half_written_files_of_dead_processes_go_at_eviction(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, 1500)
    abandoned, fresh = tmp_path / "ab" / ".part-old", tmp_path / "ab" / ".part-new"
    abandoned.parent.mkdir()
    for path in (abandoned, fresh):
        path.write_bytes(b"half")
    os.utime(abandoned, (0, 0))
    for number in range(2):
        ref, data = item(number)
        cache.put(ref.md5, data)
    assert not abandoned.exists()
    assert fresh.exists()


def test_a_disk_that_takes_nothing_is_only_a_slower_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = BlobCache(tmp_path)
    ref, data = item(1)
    (tmp_path / ref.md5[:2]).write_bytes(b"a file where a folder should be")
    cache.put(ref.md5, data)
    assert cache.get(ref) is None
    assert "takes nothing" in caplog.text


def churn(directory: Path, seed: int) -> int:
    """Use a small cache hard; the number of wrong answers."""
    cache = BlobCache(directory, 50_000)
    dice, wrong = random.Random(seed), 0
    for _ in range(400):
        ref, data = item(dice.randrange(100))
        found = cache.get(ref)
        wrong += found not in (None, data)
        if found is None:
            cache.put(ref.md5, data)
    return wrong


def test_many_processes_share_one_cache(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.starmap(churn, [(tmp_path, seed) for seed in range(4)]) == [0] * 4
    cache = BlobCache(tmp_path, 50_000)
    assert on_disk(cache) <= 50_000
    assert abs(cache.total_bytes() - on_disk(cache)) <= 5_000


def test_the_cache_is_named_by_the_environment(tmp_path: Path) -> None:
    assert BlobCache.from_env({}) is None
    cache = BlobCache.from_env({"MOTHERLODE_CACHE_DIR": str(tmp_path), "MOTHERLODE_CACHE_BYTES": "123"})
    assert cache is not None
    assert (cache.directory, cache.max_bytes) == (tmp_path, 123)
    with pytest.raises(StoreMisconfigured, match="MOTHERLODE_CACHE_BYTES"):
        BlobCache.from_env({"MOTHERLODE_CACHE_DIR": str(tmp_path), "MOTHERLODE_CACHE_BYTES": "4 GB"})
