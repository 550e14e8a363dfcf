"""Links that a program asks for: one that the store refuses is replaced once, and what the store says is handed on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.platform.blobs.fault_proxy import HOST, FaultProxy, Faults

from blobs.digests import digests_of
from blobs.errors import BlobMissing, StoreMisconfigured
from blobs.lent_links import Borrower, Lender, LentStore
from blobs.store import BlobRef, BlobStore

DATA = os.urandom(5_000)


@contextmanager
def lent(store: BlobStore) -> Iterator[LentStore]:
    """What a program sees of the store."""
    lender = Lender(store)
    try:
        with lender.theirs.makefile("rwb") as stream:
            yield LentStore(Borrower(stream), None)
    finally:
        lender.close()


def read(store: LentStore, ref: BlobRef) -> bytes:
    return b"".join(data for _, data in store.get_many([ref]))


@pytest.mark.parametrize("refusals", [0, 1])
def test_a_link_that_is_refused_is_replaced(blob_store: BlobStore, refusals: int) -> None:
    ref = blob_store.put_bytes(DATA)
    with FaultProxy(int(blob_store.config.endpoint.rpartition(":")[2])) as proxy:
        proxy.set(Faults(status=403, connections=refusals))
        with lent(BlobStore(replace(blob_store.config, endpoint=f"{HOST}:{proxy.port}"))) as store:
            assert read(store, ref) == DATA


def test_a_store_that_goes_on_refusing_is_named_with_its_reason(blob_store: BlobStore) -> None:
    ref = blob_store.put_bytes(DATA)
    with (
        lent(BlobStore(replace(blob_store.config, secret_key="another"))) as store,
        pytest.raises(StoreMisconfigured, match=r"refuses our links \(SignatureDoesNotMatch\)"),
    ):
        read(store, ref)


def test_a_bucket_that_is_not_there_is_named_and_an_object_that_is_not_there_is_missing(blob_store: BlobStore) -> None:
    ref = BlobRef.alone(digests_of(os.urandom(100)))
    with lent(blob_store) as store, pytest.raises(BlobMissing):
        read(store, ref)
    with (
        lent(BlobStore(replace(blob_store.config, bucket="no-such-bucket"))) as store,
        pytest.raises(StoreMisconfigured, match=r"\((NoSuchBucket|AccessDenied)\)"),
    ):
        read(store, ref)
