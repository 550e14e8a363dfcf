"""The network between us and the store, spoiled in every way: nothing unverified comes out, and the errors are ours."""

import io
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.platform.blobs.fault_proxy import HOST, FaultProxy, Faults
from tests.s3_server import bucket_name, remove_bucket

from blobs.errors import BlobCorrupt, StoreFailed, StoreSilent, StoreUnavailable
from blobs.packs import PackWriter
from blobs.store import BlobRef, BlobStore, StoreConfig

DATA = os.urandom(600_000)
ALWAYS_DOWN = {
    "refused": Faults(refuse=True),
    "reset at once": Faults(refuse=True, reset=True),
    "cut": Faults(cut_after=200_000),
    "reset half-way": Faults(cut_after=200_000, reset=True),
    "503": Faults(status=503),
    "blackhole": Faults(blackhole=True),
}


@pytest.fixture(scope="module")
def blob_store(s3_server: StoreConfig) -> Iterator[BlobStore]:
    """One bucket for all of this file: nothing here depends on its being empty."""
    store = BlobStore(replace(s3_server, bucket=bucket_name()))
    store.ensure_bucket()
    yield store
    remove_bucket(store.config)


@pytest.fixture
def proxy(blob_store: BlobStore) -> Iterator[FaultProxy]:
    if not blob_store.config.endpoint.startswith(f"{HOST}:"):
        pytest.skip("the proxy stands before a local, plain http server")
    with FaultProxy(int(blob_store.config.endpoint.rpartition(":")[2])) as proxy:
        yield proxy


@pytest.fixture
def behind(blob_store: BlobStore, proxy: FaultProxy) -> BlobStore:
    """The store as seen through the proxy, with little patience."""
    there = f"{HOST}:{proxy.port}"
    quick = replace(blob_store.config, connect_timeout=2, read_timeout=0.3, backoff=0.01, rest=0.0)
    return BlobStore(replace(quick, endpoint=there))


def add_all(writer: PackWriter, items: list[bytes]) -> list[BlobRef]:
    for item in items:
        writer.add(item)
    return writer.close()


READERS: dict[str, Callable[[BlobStore, BlobRef], bytes]] = {
    "get": lambda store, ref: store.get(ref),
    "open": lambda store, ref: b"".join(store.open(ref)),
    "get_many": lambda store, ref: b"".join(data for _, data in store.get_many([ref])),
    "shuffled": lambda store, ref: b"".join(data for _, data in store.shuffled([ref], seed=0)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("fault", ALWAYS_DOWN)
def test_a_store_that_stays_down_is_unavailable(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy, fault: str, reader: str
) -> None:
    ref = blob_store.put_bytes(DATA)
    faults = ALWAYS_DOWN[fault]
    if faults.cut_after and reader == "open":
        faults = replace(faults, cut_after=100_000)  # each attempt resumes, so leave it too little to reach the end
    proxy.set(faults)
    started = time.monotonic()
    with pytest.raises(StoreUnavailable, match="try again later"):
        READERS[reader](behind, ref)
    assert time.monotonic() - started < 5
    proxy.set(Faults())
    assert READERS[reader](behind, ref) == DATA


def test_a_store_that_fails_is_told_from_a_silent_one(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy
) -> None:
    ref = blob_store.put_bytes(DATA)
    for fault, error, code in (("503", StoreFailed, "store_failed"), ("blackhole", StoreSilent, "store_unavailable")):
        proxy.set(ALWAYS_DOWN[fault])
        with pytest.raises(error) as caught:
            behind.get(ref)
        assert caught.value.code == code


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("fault", ALWAYS_DOWN)
def test_one_bad_connection_is_made_good(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy, fault: str, reader: str
) -> None:
    ref = blob_store.put_bytes(DATA)
    proxy.set(replace(ALWAYS_DOWN[fault], connections=1))
    assert READERS[reader](behind, ref) == DATA
    assert proxy.connections > 1


def test_a_flipped_byte_is_asked_for_again(blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy) -> None:
    ref = blob_store.put_bytes(DATA)
    proxy.set(Faults(flip_at=300_000))  # the second answer comes over the same connection, past the fault
    assert behind.get(ref) == DATA


@pytest.mark.parametrize("reader", ["get", "get_many", "shuffled"])
def test_bytes_that_are_flipped_each_time_are_never_handed_out(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy, reader: str
) -> None:
    ref = blob_store.put_bytes(DATA)
    proxy.set(Faults(flip_at=300_000, flip_again_after=200_000))
    with pytest.raises(BlobCorrupt, match=ref.md5):
        READERS[reader](behind, ref)


def test_a_stream_with_a_flipped_byte_ends_in_an_error(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy
) -> None:
    ref = blob_store.put_bytes(DATA)
    proxy.set(Faults(flip_at=300_000))
    with pytest.raises(BlobCorrupt):
        list(behind.open(ref))


def test_a_flipped_member_of_a_pack_is_read_again_alone(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy
) -> None:
    items = [os.urandom(1000) for _ in range(50)]
    with PackWriter(blob_store) as writer:
        refs = add_all(writer, items)
    proxy.set(Faults(flip_at=20_000))
    assert [data for _, data in behind.get_many(refs)] == items


@pytest.mark.parametrize(
    "fault", [Faults(cut_sent_after=200_000), Faults(cut_sent_after=200_000, reset=True), Faults(status=503)]
)
def test_a_put_that_breaks_off_leaves_nothing_and_can_be_repeated(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy, fault: Faults
) -> None:
    data = os.urandom(600_000)
    proxy.set(fault)
    with pytest.raises(StoreUnavailable):
        behind.put(io.BytesIO(data))
    proxy.set(replace(fault, connections=1))
    ref = behind.put_bytes(data)
    assert blob_store.get(ref) == data


def test_a_put_whose_answer_was_lost_succeeds_when_repeated(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy
) -> None:
    proxy.set(Faults(blackhole=True))
    with pytest.raises(StoreUnavailable):
        behind.put_bytes(b"acknowledged to nobody")
    proxy.set(Faults())
    assert blob_store.get(behind.put_bytes(b"acknowledged to nobody")) == b"acknowledged to nobody"


def test_a_pack_that_does_not_arrive_claims_nothing(behind: BlobStore, proxy: FaultProxy) -> None:
    proxy.set(Faults(cut_sent_after=10_000))
    writer = PackWriter(behind, target_bytes=50_000)
    with pytest.raises(StoreUnavailable), writer:
        add_all(writer, [os.urandom(1000) for _ in range(200)])
    with pytest.raises(StoreUnavailable):
        writer.close()


def test_nobody_waits_for_a_store_that_was_silent_a_moment_ago(
    blob_store: BlobStore, behind: BlobStore, proxy: FaultProxy
) -> None:
    resting = BlobStore(replace(behind.config, rest=1.0))
    ref = blob_store.put_bytes(DATA)
    proxy.set(Faults(blackhole=True))
    with pytest.raises(StoreSilent, match="ReadTimeoutError"):
        resting.get(ref)
    asked = proxy.connections
    with pytest.raises(StoreSilent, match="does not answer"):
        resting.get(ref)
    assert proxy.connections == asked
    proxy.set(Faults())
    deadline = time.monotonic() + 20
    while True:
        try:
            assert resting.get(ref) == DATA
        except StoreSilent:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            break
