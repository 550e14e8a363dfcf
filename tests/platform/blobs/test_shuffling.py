"""A version in shuffled order: each blob once, verified, in an order that neither threads nor the rows order decide."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.s3_server import bucket_name, remove_bucket

from blobs.errors import BlobFault, BlobMissing
from blobs.packs import PackWriter
from blobs.settings import StoreConfig
from blobs.shuffling import behind, blocks
from blobs.store import BlobRef, BlobStore

PACK = BlobRef("0" * 32, "0" * 64, 100, f"packs/00/{'0' * 64}")
PLACES = some.tuples(some.integers(0, 9), some.integers(0, 60), some.integers(1, 20))


@pytest.fixture(scope="module")
def stored(s3_server: StoreConfig) -> Iterator[BlobStore]:
    """One bucket for all of this file."""
    store = BlobStore(replace(s3_server, bucket=bucket_name()))
    store.ensure_bucket()
    yield store
    remove_bucket(store.config)


def members(places: list[tuple[int, int, int]]) -> list[BlobRef]:
    return [
        replace(PACK, key=f"packs/0{pack}/0{pack}{'0' * 62}", offset=offset, size=size) for pack, offset, size in places
    ]


@given(some.lists(PLACES, max_size=80), some.integers(0, 5), some.integers(1, 400))
def test_each_once_within_memory_and_whatever_order_the_rows_have(
    places: list[tuple[int, int, int]], seed: int, memory: int
) -> None:
    refs = members(places)
    found = blocks(refs, seed=seed, memory=memory)
    order = [ref for block in found for ref in block.order]
    assert sorted(order, key=repr) == sorted(set(refs), key=repr)
    mixed = refs[:]
    random.shuffle(mixed)
    assert [ref for block in blocks(mixed, seed=seed, memory=memory) for ref in block.order] == order
    for block in found:
        assert len(block.runs) == 1 or sum(run.size for run in block.runs) <= memory // 2


@given(some.lists(PLACES, max_size=40), some.integers(1, 200), some.integers(0, 50))
def test_what_lies_in_front_is_left_out_and_no_byte_of_it_read(
    places: list[tuple[int, int, int]], memory: int, skip: int
) -> None:
    whole = blocks(members(places), seed=3, memory=memory)
    order = [ref for block in whole for ref in block.order]
    found, left = behind(whole, skip)
    assert [ref for block in found for ref in block.order] == order[skip:]
    assert left == max(0, skip - len(order))
    assert {ref for block in found for run in block.runs for ref in run.members} == set(order[skip:])


def test_all_come_once_as_they_were_put_with_any_number_of_threads(stored: BlobStore) -> None:
    items = [random.Random(number).randbytes(2000 + number) for number in range(300)]
    with PackWriter(stored, target_bytes=50_000, alone_bytes=2290) as writer:
        for data in [*items, b""]:
            writer.add(data)
        refs = writer.close()
    expected = dict(zip(refs, [*items, b""], strict=True))
    orders = []
    for threads, memory in ((1, 200_000), (7, 200_000), (3, 1 << 30)):
        found = list(stored.shuffled([*refs, refs[0]], seed=4, memory=memory, threads=threads))
        assert dict(found) == expected
        assert len(found) == len(expected)
        orders.append([ref for ref, _ in found])
    assert orders[0] == orders[1]
    other = [ref for ref, _ in stored.shuffled(refs, seed=5, memory=200_000)]
    assert other != orders[0]
    neighbours = sum(one.key == two.key for one, two in zip(orders[2], orders[2][1:], strict=False))
    assert neighbours < len(refs) // 4, "members of a pack do not follow each other when memory holds all packs"


def test_what_is_missing_is_told_and_the_rest_comes(stored: BlobStore) -> None:
    with PackWriter(stored) as writer:
        for number in range(5):
            writer.add(random.Random(f"kept {number}").randbytes(500))
        refs = writer.close()
    lost = replace(refs[0], key=f"packs/ff/{'f' * 64}")
    wrong = replace(refs[1], sha256="1" * 64)
    told: list[tuple[BlobRef, BlobFault]] = []
    wanted = [lost, wrong, *refs[2:]]
    found = stored.shuffled(wanted, seed=0, on_error=lambda ref, fault: told.append((ref, fault)))
    assert {ref for ref, _ in found} == set(refs[2:])
    assert {ref: type(fault).__name__ for ref, fault in told} == {lost: "BlobMissing", wrong: "BlobCorrupt"}
    with pytest.raises(BlobMissing):
        list(stored.shuffled([lost], seed=0))


def test_a_reading_that_is_given_up_ends(stored: BlobStore) -> None:
    with PackWriter(stored, target_bytes=5000) as writer:
        for number in range(100):
            writer.add(random.Random(f"left {number}").randbytes(900))
        refs = writer.close()
    reading = stored.shuffled(refs, seed=0, memory=10_000)
    assert next(iter(reading))[0] in refs
    reading.close()  # type: ignore[attr-defined]  # it is a generator
