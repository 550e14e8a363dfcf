"""What nothing refers to goes, all of it and nothing else."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from tests.collecting import collected, in_ledger, packed, put_in

from blobs import ledger
from blobs.digests import digests_of
from blobs.keys import blob_key
from blobs.models import Blob, PlainObject, Remnant, StoredObject
from blobs.packs import PackWriter
from blobs.puts import PlainPuts
from blobs.services import keep_bytes, store
from blobs.store import BlobStore
from catalog.models import Dataset
from core.errors import Unavailable
from jobs.models import Job
from jobs.services import ShardSpec, create_job

pytestmark = pytest.mark.both

Keys = Callable[[], set[str]]
DAY = timedelta(days=1)


def items(count: int, start: int = 0, size: int = 200) -> list[bytes]:
    return [f"{n:08d}".encode() * (size // 8) for n in range(start, start + count)]


def test_what_a_version_holds_stays_and_reads_back(bucket: BlobStore, dataset: Dataset, keys_in: Keys) -> None:
    blobs = packed(items(10))
    put_in(dataset, {str(n): blob for n, blob in enumerate(blobs)})
    put_in(dataset, {}, remove=tuple("0123456789"))  # the first version holds them still
    before = keys_in()
    assert not +collected()
    assert keys_in() == before == in_ledger()
    assert [store().get(blob.ref) for blob in blobs] == items(10)


def test_what_was_never_committed_goes_with_its_objects(bucket: BlobStore, db: None, keys_in: Keys) -> None:
    packed(items(10))
    keep_bytes(b"alone" * 1000, media_type="application/octet-stream")
    with PackWriter(store()) as writer:  # a killed upload: its pack was put, its rows were not made
        writer.add(b"killed")
        writer.close()
    sizes = sum(StoredObject.objects.values_list("size", flat=True))
    counted = collected()
    assert (counted["blobs"], counted["objects"], counted["bytes"]) == (11, 3, sizes)
    assert keys_in() == in_ledger() == set()
    assert not Blob.objects.exists()
    assert not Remnant.objects.exists()
    assert not +collected()


def test_nothing_goes_within_the_time_of_grace(bucket: BlobStore, db: None, keys_in: Keys) -> None:
    (blob,) = packed(items(1))
    assert not +collected(DAY)
    Blob.objects.update(seen=timezone.now() - 2 * DAY)
    assert collected(DAY) == {"blobs": 1}
    assert keys_in() == {blob.key}, "the object was written lately: somebody may still refer to its bytes"
    StoredObject.objects.update(written=timezone.now() - 2 * DAY)
    assert collected(DAY)["objects"] == 1
    assert keys_in() == set()


def test_a_direct_upload_that_nobody_adopted_goes_once_its_url_is_dead(bucket: BlobStore, db: None) -> None:
    upload = store().presigned_put(size=6)
    assert not +collected()
    assert in_ledger() == {f"tmp/{upload.upload_id}"}
    StoredObject.objects.update(written=timezone.now() - timedelta(minutes=11))
    assert collected()["objects"] == 1
    assert in_ledger() == set()


def test_a_pack_that_is_mostly_waste_is_rewritten(bucket: BlobStore, dataset: Dataset, keys_in: Keys) -> None:
    blobs = packed(items(10))
    put_in(dataset, {str(n): blob for n, blob in enumerate(blobs[:4])})
    old = blobs[0].key
    counted = collected()
    assert (counted["blobs"], counted["rewritten"], counted["objects"]) == (6, 1, 1)
    new = {blob.key for blob in Blob.objects.all()}
    assert keys_in() == in_ledger() == new
    assert old not in new
    assert [store().get(blob.ref) for blob in Blob.objects.order_by("pk")] == items(4)


def test_a_pack_that_is_mostly_wanted_stays_as_it_is(bucket: BlobStore, dataset: Dataset, keys_in: Keys) -> None:
    blobs = packed(items(10))
    put_in(dataset, {str(n): blob for n, blob in enumerate(blobs[:6])})
    assert collected() == {"blobs": 4}
    assert keys_in() == {blobs[0].key}
    assert Remnant.objects.count() == 4


def test_an_emptied_pack_stays_for_who_has_read_where_its_members_lie(
    bucket: BlobStore, dataset: Dataset, keys_in: Keys
) -> None:
    blobs = packed(items(10))
    put_in(dataset, {"one": blobs[3]})
    manifest = Dataset.objects.get().head.revisions.get().blob.ref  # type: ignore[union-attr]
    reader = create_job("practice", "reads by a manifest", shards=[ShardSpec()])
    counted = collected()
    assert (counted["rewritten"], counted["objects"]) == (1, 0)
    assert store().get(manifest) == items(10)[3]
    assert Blob.objects.get().key != manifest.key
    Job.objects.filter(pk=reader.pk).update(state=Job.State.SUCCEEDED)
    assert collected(DAY)["objects"] == 0, "a request may be on its way"
    assert collected()["objects"] == 1
    assert keys_in() == {Blob.objects.get().key}


def test_a_member_that_cannot_be_read_keeps_its_pack(bucket: BlobStore, dataset: Dataset, keys_in: Keys) -> None:
    blobs = packed(items(10))
    put_in(dataset, {"good": blobs[1], "bad": blobs[2]})
    store().blank(blobs[2].key, [(blobs[2].offset, 5)])
    assert collected()["rewritten"] == 0
    here = {blob.md5: blob.key for blob in Blob.objects.all()}
    assert here[blobs[2].md5] == blobs[2].key
    assert store().get(Blob.objects.get(md5=blobs[1].md5).ref) == items(10)[1]


@pytest.mark.parametrize("size", [200, 2 << 20])
def test_bytes_that_were_collected_can_be_sent_again(
    bucket: BlobStore, dataset: Dataset, keys_in: Keys, size: int
) -> None:
    (data,) = items(1, size=size)
    first = packed([data])[0].ref
    assert collected()["objects"] == 1
    (blob,) = packed([data])
    put_in(dataset, {"again": blob})
    assert blob.key != first.key, "a request to remove the first may still be on its way"
    assert not +collected()
    assert store().get(blob.ref) == data
    StoredObject.objects.filter(state="gone").update(closed=timezone.now() - timedelta(days=8))
    collected()
    assert not StoredObject.objects.filter(key=first.key).exists()
    assert in_ledger() == keys_in()


def test_a_commit_of_bytes_that_went_meanwhile_is_told_to_send_them_again(
    bucket: BlobStore, dataset: Dataset, keys_in: Keys
) -> None:
    (found,) = packed(items(1))  # an upload found these here, and did not send them
    with PackWriter(store()) as writer:  # and these it sent
        writer.add(b"sent")
        (sent,) = writer.close()
    assert collected()["objects"] == 2
    with pytest.raises(Unavailable) as caught:
        put_in(dataset, {"found": found})
    assert caught.value.code == "bytes_collected"
    with pytest.raises(Unavailable):
        put_in(dataset, {"sent": Blob.row(sent, width=1, height=1)})
    assert dataset.versions.count() == 0
    put_in(dataset, {str(n): blob for n, blob in enumerate(packed([*items(1), b"sent"]))})
    assert not +collected()


def test_what_was_put_after_its_object_was_closed_goes_a_week_later(bucket: BlobStore, db: None, keys_in: Keys) -> None:
    ref, placed = store().place(b"a writer that slept", digests_of(b"a writer that slept"))
    assert collected()["objects"] == 1
    store().send(placed)
    assert keys_in() == {ref.key}
    StoredObject.objects.update(closed=timezone.now() - timedelta(days=8))
    collected()
    assert keys_in() == set()
    assert not StoredObject.objects.exists()


def test_an_object_past_the_ledger_is_entered_with_its_first_row(bucket: BlobStore, db: None, keys_in: Keys) -> None:
    ref = BlobStore(bucket.config).put_bytes(b"by another program")
    assert not in_ledger()
    Blob.row(ref).save()
    assert collected()["objects"] == 1
    assert keys_in() == set()


def test_a_copy_in_dvcs_layout_stays_as_long_as_its_blob(bucket: BlobStore, dataset: Dataset, keys_in: Keys) -> None:
    kept, lost = packed(items(2))
    put_in(dataset, {"kept": kept})
    for blob in (kept, lost):
        copy = blob_key(blob.md5)
        ledger.enter_copies({copy: blob.size})
        list(PlainPuts(store().config, connections=1).put_all([(blob.ref, store().get(blob.ref))]))
        PlainObject.objects.create(blob=blob)
    collected()
    assert keys_in() == in_ledger() == {Blob.objects.get().key, blob_key(kept.md5)}
    ledger.enter_copies({blob_key(lost.md5): lost.size})
    assert StoredObject.objects.get(key=blob_key(lost.md5)).state == "present", "a copy may be put again at once"
