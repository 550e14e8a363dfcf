"""What any S3 store must do for us. Runs on the embedded server, or on the one MOTHERLODE_TEST_S3_ENDPOINT names."""

import hashlib
import io
import multiprocessing
import os
import pickle
import random
import socket
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest
import urllib3
from minio import Minio

from blobs.cache import BlobCache
from blobs.errors import (
    BlobCorrupt,
    BlobFault,
    BlobMissing,
    BlobTooLarge,
    DigestCollision,
    DigestMismatch,
    StoreMisconfigured,
    UploadMissing,
)
from blobs.keys import KEY_PATTERN, blob_key, upload_key
from blobs.packs import PackWriter
from blobs.store import BlobRef, BlobStore

MINUTE = timedelta(minutes=1)
# Two files of one md5 (Wang and Yu, 2005).
COLLISION = [
    bytes.fromhex(
        f"d131dd02c5e6eec4693d9a0698aff95c2fcab5{a}12467eab4004583eb8fb7f8955ad340609f4b30283e4888325{b}415a085125e8f7cdc9"
        f"9fd91dbd{c}80373c5bd8823e3156348f5bae6dacd436c919c6dd53e2{d}87da03fd02396306d248cda0e99f33420f577ee8ce54b67080"
        f"{e}0d1ec69821bcb6a8839396f965{f}6ff72a70"
    )
    for a, b, c, d, e, f in (("87", "71", "f2", "b4", "a8", "2b"), ("07", "f1", "72", "34", "28", "ab"))
]


@pytest.fixture(params=["without a cache", "with a cache"])
def store(blob_store: BlobStore, request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    cache = BlobCache(tmp_path / "cache") if request.param == "with a cache" else None
    return BlobStore(blob_store.config, cache)


@pytest.fixture
def raw(blob_store: BlobStore) -> Minio:
    """The same bucket without our store in between."""
    config = blob_store.config
    return Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)


def overwrite(raw: Minio, store: BlobStore, key: str, data: bytes) -> None:
    raw.put_object(store.config.bucket, key, io.BytesIO(data), len(data))


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def packed(store: BlobStore, items: list[bytes], **sizes: int) -> list[BlobRef]:
    with PackWriter(store, **sizes) as writer:
        for item in items:
            writer.add(item)
        return writer.close()


def http(method: str, url: str, *, body: bytes | None = None, chunked: bool = False) -> urllib3.BaseHTTPResponse:
    with urllib3.PoolManager(retries=False) as pool:
        return pool.request(method, url, body=body, chunked=chunked)


@pytest.mark.parametrize("data", [b"", b"x", os.urandom(300_000)], ids=["empty", "one byte", "300 kB"])
def test_bytes_come_back_as_they_were_put(store: BlobStore, data: bytes) -> None:
    ref = store.put_bytes(data)
    assert (ref.md5, ref.sha256, ref.size) == (md5(data), hashlib.sha256(data).hexdigest(), len(data))
    assert ref.key == f"files/md5/{ref.md5[:2]}/{ref.md5[2:]}"
    for _ in range(2):
        assert store.get(ref) == data
    assert b"".join(store.open(ref)) == data
    assert store.put(io.BytesIO(data)) == ref


def test_a_stream_too_long_for_one_put_comes_back_whole(blob_store: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blobs.bucket.SINGLE_PUT_BYTES", 1 << 20)
    data = random.Random(1).randbytes(1 << 20) * 18  # two parts
    ref = blob_store.put(io.BytesIO(data))
    digest = hashlib.sha256()
    for chunk in blob_store.open(ref):
        digest.update(chunk)
    assert digest.hexdigest() == ref.sha256 == hashlib.sha256(data).hexdigest()


def test_a_second_put_of_the_same_bytes_writes_nothing(blob_store: BlobStore, raw: Minio) -> None:
    ref = blob_store.put_bytes(b"once")
    first = raw.stat_object(blob_store.config.bucket, ref.key)
    assert blob_store.put_bytes(b"once") == ref
    assert raw.stat_object(blob_store.config.bucket, ref.key).last_modified == first.last_modified


def test_a_stream_over_the_limit_is_refused_and_leaves_nothing(blob_store: BlobStore, raw: Minio) -> None:
    with pytest.raises(BlobTooLarge):
        blob_store.put(io.BytesIO(b"x" * 101), max_bytes=100)
    assert not list(raw.list_objects(blob_store.config.bucket, recursive=True))


def test_other_bytes_with_the_same_md5_are_refused_and_the_first_ones_stay(blob_store: BlobStore) -> None:
    first, forged = COLLISION
    assert first != forged
    ref = blob_store.put_bytes(first)
    with pytest.raises(DigestCollision):
        blob_store.put_bytes(forged)
    assert blob_store.get(ref) == first


def test_an_object_another_program_put_there_is_taken_as_it_is(blob_store: BlobStore, raw: Minio) -> None:
    key = blob_key(md5(b"theirs"))
    overwrite(raw, blob_store, key, b"theirs")
    assert blob_store.get(blob_store.put_bytes(b"theirs")) == b"theirs"


def test_a_put_heals_a_wrecked_object(blob_store: BlobStore, raw: Minio) -> None:
    ref = blob_store.put_bytes(b"whole bytes")
    overwrite(raw, blob_store, ref.key, b"wrecked....")
    assert blob_store.put_bytes(b"whole bytes") == ref
    assert blob_store.get(ref) == b"whole bytes"


@pytest.mark.parametrize("wreck", [b"wrecked", b"short", b"longer than it was", b""])
def test_stored_bytes_that_changed_are_never_handed_out(blob_store: BlobStore, raw: Minio, wreck: bytes) -> None:
    ref = blob_store.put_bytes(b"as sent")
    overwrite(raw, blob_store, ref.key, wreck)
    with pytest.raises(BlobCorrupt, match=ref.md5):
        blob_store.get(ref)
    with pytest.raises(BlobCorrupt, match=ref.md5):
        list(blob_store.open(replace(ref, size=ref.size)))
    with pytest.raises(BlobCorrupt, match=ref.md5):
        list(blob_store.get_many([ref]))


def test_a_missing_blob_is_named(store: BlobStore) -> None:
    ref = store.put_bytes(b"gone soon")
    store.remove_object(ref.key)
    store.forget([ref.md5])
    assert not store.exists(ref)
    with pytest.raises(BlobMissing, match=ref.key):
        store.get(ref)
    with pytest.raises(BlobMissing):
        list(store.open(ref))
    store.remove_object(ref.key)


def test_exists_looks_at_the_size(blob_store: BlobStore, raw: Minio) -> None:
    ref = blob_store.put_bytes(b"whole")
    assert blob_store.exists(ref)
    overwrite(raw, blob_store, ref.key, b"who")
    assert not blob_store.exists(ref)


def test_a_store_with_wrong_keys_or_bucket_says_so(blob_store: BlobStore) -> None:
    ref = blob_store.put_bytes(b"x")
    for config in (replace(blob_store.config, secret_key="wrong"), replace(blob_store.config, bucket="no-such-bucket")):
        with pytest.raises((StoreMisconfigured, BlobMissing)) as caught:
            BlobStore(config).get(ref)
        assert "secret" not in str(caught.value)
    assert blob_store.config.secret_key not in repr(blob_store.config)


# -- many at once --


def test_many_blobs_come_in_the_order_asked_for(store: BlobStore) -> None:
    dice = random.Random(3)
    refs = packed(store, [dice.randbytes(dice.randrange(900)) for _ in range(3000)], target_bytes=200_000)
    refs += [store.put_bytes(dice.randbytes(2000)) for _ in range(40)]
    for _ in range(2):
        dice.shuffle(refs)
        wanted = refs + refs[:10]
        got = list(store.get_many(wanted))
        assert [ref for ref, _ in got] == wanted
        assert all(ref.verifies(data) for ref, data in got)


def test_one_corrupt_member_is_named_and_the_others_are_sound(store: BlobStore, raw: Minio) -> None:
    items = [bytes([n]) * 50 for n in range(100)]
    refs = packed(store, items)
    spoiled = bytearray(b"".join(items))
    spoiled[refs[40].offset] ^= 1
    overwrite(raw, store, refs[0].key, bytes(spoiled))
    with pytest.raises(BlobCorrupt, match=refs[40].md5):
        list(store.get_many(refs))
    faults: list[tuple[BlobRef, BlobFault]] = []
    got = list(store.get_many(refs, on_error=lambda ref, fault: faults.append((ref, fault))))
    assert [data for _, data in got] == items[:40] + items[41:]
    assert [(ref, fault.code) for ref, fault in faults] == [(refs[40], "blob_corrupt")]
    assert store.get(refs[41]) == items[41]


def test_missing_packs_and_objects_are_handed_to_on_error(store: BlobStore, raw: Minio) -> None:
    gone = [*packed(store, [b"a" * 30, b"b" * 30]), store.put_bytes(b"alone")]
    stays = store.put_bytes(b"stays")
    for key in {ref.key for ref in gone}:
        raw.remove_object(store.config.bucket, key)
    faults: list[str] = []
    got = list(store.get_many([*gone, stays], on_error=lambda _, fault: faults.append(fault.code)))
    assert got == [(stays, b"stays")]
    assert faults == ["blob_missing"] * 3


def test_a_pack_that_is_read_again_and_again_comes_into_the_cache(blob_store: BlobStore, tmp_path: Path) -> None:
    refs = packed(blob_store, [bytes([n]) * 50 for n in range(20)])
    cache = BlobCache(tmp_path / "cache")
    store = BlobStore(blob_store.config, cache)
    assert [store.get(ref) for ref in refs[:10]] == [bytes([n]) * 50 for n in range(10)]
    assert cache.get(refs[19]) == bytes([19]) * 50


def test_reading_may_stop_half_way(store: BlobStore) -> None:
    refs = [store.put_bytes(bytes([n]) * 10) for n in range(40)]
    reader = store.get_many(refs)
    assert next(reader) == (refs[0], b"\0" * 10)
    cast("Generator[tuple[BlobRef, bytes]]", reader).close()


def test_threads_putting_one_blob_agree(blob_store: BlobStore) -> None:
    data = os.urandom(200_000)
    with ThreadPoolExecutor(8) as pool:
        refs = list(pool.map(lambda _: blob_store.put_bytes(data), range(24)))
    assert len(set(refs)) == 1
    assert blob_store.get(refs[0]) == data


def put_in_child(store: BlobStore, data: bytes) -> BlobRef:
    return store.put_bytes(data)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_a_store(blob_store: BlobStore, method: str) -> None:
    """Forked ones must not share sockets with their parent, spawned ones get it by pickle."""
    data = os.urandom(100_000)
    blob_store.put_bytes(b"a connection is open now")
    if method == "spawn":
        assert pickle.loads(pickle.dumps(blob_store)).get(blob_store.put_bytes(data)) == data  # noqa: S301 - our own bytes
        return
    with multiprocessing.get_context("fork").Pool(4) as pool:
        jobs = [pool.apply_async(put_in_child, (blob_store, data)) for _ in range(12)]
        refs = {job.get(30) for job in jobs} | {blob_store.put_bytes(data)}
    assert len(refs) == 1
    assert blob_store.get(refs.pop()) == data


# -- clients without the platform in between --


def test_an_adopted_upload_is_out_of_its_urls_reach(blob_store: BlobStore, raw: Minio) -> None:
    upload = blob_store.presigned_put(size=10)
    assert upload.url not in repr(upload)
    assert http("PUT", upload.url, body=b"the first!").status == 200
    ref = blob_store.adopt(upload.upload_id, max_bytes=100)
    assert http("PUT", upload.url, body=b"the second").status == 200
    assert blob_store.get(ref) == b"the first!"
    assert blob_store.get(blob_store.adopt(upload.upload_id, max_bytes=100)) == b"the second"
    with pytest.raises(UploadMissing):
        blob_store.adopt(upload.upload_id, max_bytes=100)
    keys = {item.object_name for item in raw.list_objects(blob_store.config.bucket, recursive=True)}
    assert all(KEY_PATTERN.fullmatch(key or "") for key in keys)
    assert not any((key or "").startswith("tmp/") for key in keys)


def test_an_upload_that_is_not_as_announced_is_refused_and_removed(blob_store: BlobStore, raw: Minio) -> None:
    upload = blob_store.presigned_put(size=50)
    http("PUT", upload.url, body=b"x" * 50)
    with pytest.raises(BlobTooLarge):
        blob_store.adopt(upload.upload_id, max_bytes=49)
    http("PUT", upload.url, body=b"x" * 50)
    with pytest.raises(DigestMismatch):
        blob_store.adopt(upload.upload_id, max_bytes=50, sha256=hashlib.sha256(b"y").hexdigest())
    assert not list(raw.list_objects(blob_store.config.bucket, recursive=True))


@pytest.mark.parametrize("sent", [b"x" * 49, b"x" * 51, b"x" * 25_000, b""])
def test_an_upload_url_takes_as_many_bytes_as_were_announced(blob_store: BlobStore, raw: Minio, sent: bytes) -> None:
    upload = blob_store.presigned_put(size=50)
    assert http("PUT", upload.url, body=sent).status == 403
    assert http("PUT", upload.url, body=sent, chunked=True).status in {403, 411}
    assert not list(raw.list_objects(blob_store.config.bucket, recursive=True))
    assert http("PUT", upload.url, body=b"x" * 50).status == 200


def test_upload_urls_are_short_lived(blob_store: BlobStore) -> None:
    with pytest.raises(ValueError, match="expires"):
        blob_store.presigned_put(size=1, expires=timedelta(hours=1))


def test_an_upload_begins_before_its_url_expires_and_ends_when_it_ends(blob_store: BlobStore) -> None:
    upload = blob_store.presigned_put(size=10, expires=timedelta(seconds=3))
    ends = time.monotonic() + 3
    parts = urlsplit(upload.url)
    begun = HTTPConnection(parts.netloc, timeout=30)
    begun.putrequest("PUT", f"{parts.path}?{parts.query}")
    begun.putheader("Content-Length", "10")
    begun.putheader("Expect", "100-continue")
    begun.endheaders(b"begun")
    assert begun.sock.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 100", "it was let in, and its body is being read"
    time.sleep(max(0.0, ends - time.monotonic()) + 1.1)
    assert http("PUT", upload.url, body=b"too late!!").status == 403
    begun.send(b" ends")
    assert begun.getresponse().status == 200
    begun.close()
    assert blob_store.get(blob_store.adopt(upload.upload_id, max_bytes=10)) == b"begun ends"


@pytest.mark.parametrize(
    "upload_id", ["", "..", "../files/md5/aa", "A" * 32, "0" * 31, "0" * 33, "0" * 32 + "\n", "%2e" * 10]
)
def test_an_upload_id_of_the_clients_making_reaches_no_key(blob_store: BlobStore, upload_id: str) -> None:
    with pytest.raises(UploadMissing):
        upload_key(upload_id)
    with pytest.raises(UploadMissing):
        blob_store.adopt(upload_id, max_bytes=1)


# -- a ledger, and what it closes --


def entering(closed: set[str], entered: list[str]) -> Callable[[str, int], bool]:
    """A ledger with some keys closed, which notes all others."""

    def enter(key: str, size: int) -> bool:
        if key not in closed:
            entered.append(key)
        return key not in closed

    return enter


def test_every_object_is_entered_before_it_is_written(blob_store: BlobStore, raw: Minio) -> None:
    entered: list[str] = []
    store = BlobStore(blob_store.config, enter=entering(set(), entered))
    store.put_bytes(b"in memory")
    store.put(io.BytesIO(b"a stream"))
    packed(store, [b"one", b"two", b"x" * 100], alone_bytes=100)
    http("PUT", store.presigned_put(size=6).url, body=b"direct")
    assert {item.object_name for item in raw.list_objects(store.config.bucket, recursive=True)} == set(entered)


@pytest.mark.parametrize("way", ["bytes", "stream", "alone in a pack", "pack"])
def test_what_the_ledger_has_closed_goes_under_a_key_that_never_was(
    blob_store: BlobStore, raw: Minio, way: str
) -> None:
    data = b"the same bytes" * 10
    ways: dict[str, Callable[[BlobStore], BlobRef]] = {
        "bytes": lambda store: store.put_bytes(data),
        "stream": lambda store: store.put(io.BytesIO(data)),
        "alone in a pack": lambda store: packed(store, [data], alone_bytes=10)[0],
        "pack": lambda store: packed(store, [b"before", data, b"after"])[1],
    }
    first = ways[way](blob_store)
    raw.remove_object(blob_store.config.bucket, first.key)
    closed = BlobStore(blob_store.config, enter=entering({first.key}, []))
    second, third = ways[way](closed), ways[way](closed)
    assert len({first.key, second.key, third.key}) == 3
    assert (second.md5, second.sha256, second.size) == (first.md5, first.sha256, first.size)
    assert [closed.get(second), closed.get(third)] == [data, data]
    assert not blob_store.exists(first)


def test_a_blanked_part_of_a_pack_is_gone_and_its_neighbours_stay(store: BlobStore, raw: Minio) -> None:
    refs = packed(store, [bytes([n + 1]) * 50 for n in range(30)])
    store.get(refs[7])
    store.blank(refs[0].key, [(refs[7].offset, refs[7].size)])
    store.forget([refs[7].md5])
    assert b"\x08" not in raw.get_object(store.config.bucket, refs[0].key).data
    with pytest.raises(BlobCorrupt):
        store.get(refs[7])
    kept = refs[:7] + refs[8:]
    assert [data for _, data in store.get_many(kept)] == [bytes([n + 1]) * 50 for n in range(30) if n != 7]
    assert all(store.get(ref) for ref in kept)
