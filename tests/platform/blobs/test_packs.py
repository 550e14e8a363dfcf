"""Packs: few objects, the same keys each time, every member found again."""

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.laws import examples

from blobs.digests import digests_of
from blobs.packs import PackWriter
from blobs.reading import GAP_BYTES, SPAN_BYTES, spans, windows
from blobs.refs import BlobRef
from blobs.store import BlobStore


def written(store: BlobStore, items: list[bytes], **sizes: int) -> list[BlobRef]:
    with PackWriter(store, **sizes) as writer:
        for item in items:
            writer.add(item)
        return writer.close()


@settings(max_examples=examples(25))
@given(items=some.lists(some.binary(max_size=300), max_size=40), target=some.integers(1, 3000), data=some.data())
def test_what_goes_into_packs_comes_out_in_any_order(
    blob_store: BlobStore, items: list[bytes], target: int, data: some.DataObject
) -> None:
    refs = written(blob_store, items, target_bytes=target, alone_bytes=250)
    assert [(ref.md5, ref.sha256, ref.size) for ref in refs] == [
        (digests.md5, digests.sha256, digests.size) for digests in map(digests_of, items)
    ]
    wanted = data.draw(some.permutations(list(zip(refs, items, strict=True))))
    assert list(blob_store.get_many([ref for ref, _ in wanted])) == wanted


def test_packs_have_the_same_keys_each_time_and_hold_each_blob_once(blob_store: BlobStore) -> None:
    items = [bytes([n]) * 100 for n in range(50)] * 3
    first = written(blob_store, items, target_bytes=1000)
    assert written(blob_store, items, target_bytes=1000) == first
    assert len(set(first)) == 50
    assert len({ref.key for ref in first}) == 5


def test_a_large_blob_gets_an_object_of_its_own(blob_store: BlobStore) -> None:
    small, large = written(blob_store, [b"s" * 10, os.urandom(2000)], alone_bytes=2000)
    assert small.packed
    assert not large.packed
    assert blob_store.exists(large)


def test_no_ref_is_handed_out_before_close(blob_store: BlobStore) -> None:
    with PackWriter(blob_store) as writer:
        member = writer.add(b"bytes")
        assert (member.index, member.digests) == (0, digests_of(b"bytes"))
        assert writer.add(b"bytes", digests=member.digests).index == 1
    assert written(blob_store, []) == []


@pytest.mark.parametrize("target", [0, -1, 1 << 30])
def test_a_pack_must_fit_one_put(blob_store: BlobStore, target: int) -> None:
    with pytest.raises(ValueError, match="target_bytes"):
        PackWriter(blob_store, target_bytes=target)


MEMBER = BlobRef("0" * 32, "0" * 64, 100, f"packs/00/{'0' * 64}")


@given(some.lists(some.tuples(some.integers(0, 1 << 26), some.integers(0, 1 << 20)), max_size=60))
def test_spans_hold_each_member_once_and_read_little_in_vain(places: list[tuple[int, int]]) -> None:
    members = [replace(MEMBER, offset=offset, size=size) for offset, size in places]
    found = list(spans(members))
    assert sorted((ref.offset, ref.size) for span in found for ref in span) == sorted(places)
    for span in found:
        end = span[0].end
        for ref in span[1:]:
            assert ref.offset - end <= GAP_BYTES
            end = max(end, ref.end)
        assert len(span) == 1 or end - span[0].offset <= SPAN_BYTES


@given(some.lists(some.integers(0, 1 << 24), max_size=200))
def test_windows_keep_the_order(sizes: list[int]) -> None:
    members = [replace(MEMBER, size=size) for size in sizes]
    assert [ref for window in windows(members) for ref in window] == members
