"""An erased sample is in no version, no count, no task and no object; what had contained it is listed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from minio import Minio
from rest_framework.test import APIClient
from tests.collecting import Killed, collected, killing_at, packed
from tests.datasets.conftest import change, changes, jpeg, png
from tests.working import work_on

from accounts.models import User
from blobs.models import Blob, StoredObject
from blobs.services import keep_bytes, store
from blobs.store import BlobStore
from catalog.duplicates.hash_pages import add_pages, read_pages
from catalog.erasure.rows import start_erasure
from catalog.models import (
    Dataset,
    Erasure,
    Export,
    Label,
    Revision,
    RevisionClass,
    Sample,
    SchemaExample,
    Tally,
    Version,
)
from catalog.reading.queries import chosen_samples, facets, total
from catalog.schemas import reading as schemas
from catalog.schemas.changing import change_schema
from catalog.versions.commit import commit
from catalog.versions.forks import fork
from core.errors import Invalid
from jobs.models import Job
from labeling.models import Queue, Task
from labeling.services import QueueItem, create_queue
from publishing.models import Repository
from publishing.services import publish

Erase = Callable[..., dict[str, Any]]
# A job keeps its lease from a thread of its own.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def erase(dataset: Dataset, alice: User, bucket: BlobStore) -> Erase:
    def run(*keys: str, of: Dataset = dataset, everywhere: bool = False) -> dict[str, Any]:
        job = start_erasure(of, keys, reason="asked to", confirm=of.name, everywhere=everywhere, by=alice)
        assert work_on(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.SUCCEEDED, job.error
        return job.result or {}

    return run


def put(dataset: Dataset, images: dict[str, bytes], **given: Any) -> Version:
    blobs = dict(zip(images, packed(list(images.values())), strict=True))
    result = commit(
        dataset, changes(*(change(key, blob, **given) for key, blob in blobs.items())), author=dataset.created_by
    )
    assert result.version is not None
    return result.version


def all_bytes(bucket: BlobStore) -> bytes:
    """Everything that lies in the bucket, one after the other."""
    config = bucket.config
    client = Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)
    names = [item.object_name or "" for item in client.list_objects(config.bucket, recursive=True)]
    return b"".join(client.get_object(config.bucket, name).data for name in names)


def counts_are_true(dataset: Dataset) -> None:
    """Every version's counts, and the tally, are those of the rows it has."""
    for version in dataset.versions.select_related("dataset"):
        rows = list(version.revisions.select_related("label"))
        assert version.counts["samples"] == len(rows) == total(version, chosen_samples({}, dataset))
        assert version.counts["labelled"] == sum(row.label is not None for row in rows)
        for name in {row.split for row in rows} | set(version.counts["by_split"]):
            assert version.counts["by_split"].get(name, 0) == sum(row.split == name for row in rows)
            assert total(version, chosen_samples({"split": name}, dataset)) == version.counts["by_split"].get(name, 0)
        shown = facets(version, chosen_samples({}, dataset))
        assert (shown["total"], shown["labelled"]["true"]) == (len(rows), version.counts["labelled"])


def test_a_sample_is_gone_from_every_version_and_its_bytes_from_the_bucket(
    dataset: Dataset,
    erase: Erase,
    bucket: BlobStore,
) -> None:
    images = {f"{n}.png": png(n) for n in range(10)}
    put(dataset, images)
    commit(dataset, changes(change("3.png", label={"class": "cat"})), author=dataset.created_by)
    put(dataset, {"3.png": png(33)})
    put(dataset, {"10.png": png(10)})
    commit(dataset, changes(remove=["3.png"]), author=dataset.created_by)
    assert png(3) in all_bytes(bucket)
    result = erase("3.png")
    assert (result["samples"], result["blobs"], result["blobs_kept"]) == (1, 2, 0)
    assert result["erasures"][0]["versions"] == [
        {"dataset": "digits", "first": 1, "last": 1, "split": "pool", "labelled": False},
        {"dataset": "digits", "first": 2, "last": 4, "split": "train", "labelled": True},
    ]
    left = all_bytes(bucket)
    assert png(3) not in left
    assert png(33) not in left
    assert [version.erased for version in dataset.versions.order_by("number")] == [1, 1, 1, 1, 0]
    counts_are_true(dataset)
    assert not Sample.objects.filter(key="3.png").exists()
    assert not Label.objects.exists()
    head = Dataset.objects.get(pk=dataset.pk).head
    assert head is not None
    data = {row.sample.key: store().get(row.blob.ref) for row in head.revisions.select_related("blob", "sample")}
    assert data == {f"{n}.png": png(n) for n in range(11) if n != 3}


def test_forks_that_share_the_sample_lose_it_too(dataset: Dataset, erase: Erase, alice: User) -> None:
    put(dataset, {"a.png": png(1), "b.png": png(2)}, label={"class": "dog"})
    first = dataset.versions.get(number=1)
    kept = fork(first, "keeps", description="", author=alice)
    changed = fork(first, "changes", description="", author=alice)
    commit(changed, changes(change("a.png", label={"class": "cat"})), author=alice)
    commit(changed, changes(remove=["b.png"]), author=alice)
    put(dataset, {"c.png": png(3)})
    deeper = fork(changed.versions.get(number=2), "deeper", description="", author=alice)
    later = fork(dataset.versions.get(number=2), "later", description="", author=alice)
    result = erase("a.png", of=changed)
    told = {(row["dataset"], row["first"], row["last"]) for row in result["erasures"][0]["versions"]}
    assert told == {("digits", 1, 2), ("keeps", 1, 1), ("changes", 1, 3), ("deeper", 1, 1), ("later", 1, 1)}
    for one in (dataset, kept, changed, deeper, later):
        counts_are_true(one)
        assert all(version.erased == 1 for version in one.versions.all())
    assert not Revision.objects.filter(sample__key="a.png").exists()


def test_boxes_are_uncounted_too(detection: Dataset, erase: Erase) -> None:
    boxes = {"boxes": [{"class": "car", "box": [0, 0, 5, 5]}, {"class": "car", "box": [1, 1, 5, 5]}]}
    put(detection, {"a.png": png(1), "b.png": png(2)}, label=boxes)
    erase("a.png", of=detection)
    version = detection.versions.get()
    assert version.counts["by_class"] == {"car": 2}
    assert RevisionClass.objects.count() == 1
    counts_are_true(detection)


def test_bytes_that_another_sample_has_stay_and_the_report_says_where(
    dataset: Dataset,
    detection: Dataset,
    erase: Erase,
    bucket: BlobStore,
) -> None:
    put(dataset, {"mine.png": png(1)})
    put(detection, {"theirs.png": png(1)})
    result = erase("mine.png")
    assert (result["blobs"], result["blobs_kept"]) == (0, 1)
    assert result["erasures"][0]["shared_with"] == ["roads"]
    assert store().get(Blob.objects.get().ref) == png(1)
    put(dataset, {"mine.png": png(1)})
    result = erase("mine.png", everywhere=True)
    assert {row["dataset"] for row in result["erasures"]} == {"digits", "roads"}
    assert (result["samples"], result["blobs"]) == (2, 1)
    assert png(1) not in all_bytes(bucket)
    assert not Revision.objects.exists()


def test_what_was_erased_can_be_sent_again(
    dataset: Dataset,
    erase: Erase,
    bucket: BlobStore,
) -> None:
    for size in ((28, 28), (1400, 1400)):  # in a pack, and alone
        put(dataset, {"a.png": png(1, size)})
        erase("a.png")
        assert png(1, size) not in all_bytes(bucket)
        version = put(dataset, {"a.png": png(1, size)})
        assert version.revisions.count() == 1
        assert store().get(version.revisions.get().blob.ref) == png(1, size)
        counts_are_true(dataset)
        erase("a.png")


def test_other_copies_that_lie_in_packs_go_too(
    dataset: Dataset,
    erase: Erase,
    bucket: BlobStore,
) -> None:
    """One left behind when its row was collected, one in a pack that was emptied and waits for its readers."""
    many = {f"{n}.png": png(n) for n in range(12)}
    packed(list(many.values()))
    put(dataset, {f"{n}.png": png(n) for n in range(8)})
    collected()
    put(dataset, {f"{n}.png": png(n) for n in range(8, 12)})
    commit(dataset, changes(remove=["0.png"]), author=dataset.created_by)
    erase(*(f"{n}.png" for n in range(1, 7)))
    assert collected()["rewritten"] >= 0
    result = erase("9.png", "0.png")
    left = all_bytes(bucket)
    assert png(9) not in left
    assert png(0) not in left
    assert result["blobs"] == 2
    assert all(store().get(blob.ref) for blob in Blob.objects.all())


def test_who_has_read_where_others_lie_still_finds_them(dataset: Dataset, erase: Erase) -> None:
    put(dataset, {f"{n}.png": png(n) for n in range(10)})
    manifest = {blob.md5: blob.ref for blob in Blob.objects.all()}
    Job.objects.create(kind="practice", title="reads by the manifest", state=Job.State.RUNNING)
    erase("4.png")
    still = [manifest[blob.md5] for blob in Blob.objects.all()]
    assert len(still) == 9
    assert len(list(store().get_many(still))) == 9
    assert {blob.key for blob in Blob.objects.all()}.isdisjoint(ref.key for ref in manifest.values())


def test_tasks_of_an_erased_sample_go_and_its_queue_may_be_complete(
    dataset: Dataset, erase: Erase, alice: User
) -> None:
    put(dataset, {"a.png": png(1), "b.png": png(2)})
    a, b = (Sample.objects.get(key=key) for key in ("a.png", "b.png"))
    near = [
        {"key": "a.png", "thumb": f"/thumbs/{Revision.objects.get(sample=a).blob.md5}"},
        {"key": "c", "thumb": "/t"},
    ]
    create_queue(dataset, "one", items=[QueueItem(a.pk)], created_by=alice)
    create_queue(dataset, "two", items=[QueueItem(a.pk), QueueItem(b.pk, why={"neighbours": near})], created_by=alice)
    erase("a.png")
    assert {queue.name: queue.state for queue in Queue.objects.all()} == {"one": "complete", "two": "open"}
    assert Task.objects.get().why == {"neighbours": [{"key": "c", "thumb": "/t"}]}


def test_an_erasure_does_not_tell_what_it_erased(dataset: Dataset, erase: Erase, api: APIClient) -> None:
    put(dataset, {"jane-doe.png": png(1), "b.png": png(2)})
    erase("jane-doe.png")
    kept = [*Job.objects.values_list("title", "params", "result"), *Erasure.objects.values_list("report", "reason")]
    assert "jane-doe" not in str(kept)
    assert "jane-doe" not in str(list(Job.objects.get(kind="erase").shards.values_list("params", "result")))
    (row,) = api.get("/datasets/digits/erasures").json()["results"]
    assert (row["reason"], row["by"], row["state"]) == ("asked to", "alice", "succeeded")
    assert api.get("/datasets/digits/erasures", {"key": "jane-doe.png"}).json()["results"] == [row]
    assert api.get("/datasets/digits/erasures", {"key": "b.png"}).json()["results"] == []


def test_only_owners_erase_and_only_with_the_datasets_name(
    dataset: Dataset,
    bucket: BlobStore,
    api: APIClient,
    bobs_api: APIClient,
) -> None:
    put(dataset, {"a.png": png(1)})
    body = {"key": "a.png", "reason": "asked to", "confirm": "digits"}
    address = "/datasets/digits/erasures"
    assert bobs_api.post(address, body, format="json").status_code == 403
    assert api.post(address, body | {"confirm": "digit"}, format="json").json()["errors"].keys() == {"confirm"}
    assert api.post(address, {"reason": "x", "confirm": "digits"}, format="json").status_code == 400
    unknown = api.post(address, body | {"keys": ["nobody.png"]}, format="json")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "sample_unknown")
    assert not Job.objects.filter(kind="erase").exists()
    answer = api.post(address, body, format="json")
    assert answer.status_code == 202
    assert work_on(answer.json()["job"]["id"])
    assert api.get(f"/jobs/{answer.json()['job']['id']}").json()["result"]["samples"] == 1
    assert api.get("/datasets/digits/versions/1").json()["erased"] == 1


def test_too_many_keys_are_refused(dataset: Dataset, alice: User) -> None:
    with pytest.raises(Invalid):
        start_erasure(dataset, [str(n) for n in range(1001)], reason="", confirm="digits", by=alice)


def test_the_lineage_of_a_sample_says_what_contains_it(dataset: Dataset, api: APIClient, bucket: BlobStore) -> None:
    put(dataset, {"a.jpg": jpeg(1)})
    put(dataset, {"b.jpg": jpeg(2)})
    found = api.get("/datasets/digits/samples/a.jpg/lineage").json()["contained_in"]
    assert found["versions"] == [{"dataset": "digits", "first": 1, "last": 2, "split": "pool", "labelled": False}]
    assert (found["models"], found["mining_jobs"], found["score_files"]) == ([], [], [])


def test_an_erasure_that_is_killed_anywhere_is_finished_by_the_next_run(
    dataset: Dataset,
    alice: User,
    bucket: BlobStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(dataset, {f"{n}.png": png(n) for n in range(6)})
    job = start_erasure(dataset, ["2.png"], reason="asked to", confirm="digits", by=alice)
    for step in range(1, 60):
        with monkeypatch.context() as patch, killing_at(step, patch) as armed:
            try:
                assert work_on(job.pk)
            except Killed:
                job.shards.update(state="todo", lease_until=None)
        job.refresh_from_db()
        if not armed.fired or not job.is_open:  # the last moment is the one after its last commit
            break
    result = job.result or {}
    assert (job.state, result["blobs"], result["samples"]) == ("succeeded", 1, 1)
    assert step > 5
    assert png(2) not in all_bytes(bucket)
    assert [version.erased for version in dataset.versions.all()] == [1]
    counts_are_true(dataset)
    assert all(store().get(blob.ref) for blob in Blob.objects.all())
    assert Tally.objects.exists()
    assert StoredObject.objects.filter(state="closed").count() == 1, "the emptied pack waits for its readers"


def test_exports_and_listings_that_contained_it_are_taken_away(
    dataset: Dataset, erase: Erase, alice: User, bucket: BlobStore
) -> None:
    put(dataset, {"jane-doe.png": png(1), "b.png": png(2)})
    put(dataset, {"c.png": png(3)})
    commit(dataset, changes(remove=["jane-doe.png"]), author=alice)
    versions = {version.number: version for version in dataset.versions.all()}
    for number in (1, 3):
        job = Job.objects.create(kind="export", title="an export")
        archive = keep_bytes(b"archive of v%d with jane-doe" % number, media_type="application/zip")
        Export.objects.create(
            dataset=dataset, version=versions[number], format="coco", blob=archive, job=job, created_by=alice
        )
    repository, _ = Repository.objects.get_or_create(kind=Repository.Kind.DATASETS, name="digits")
    commits = [publish(repository, number).commit for number in (1, 2, 3)]
    assert all_bytes(bucket).count(b"jane-doe.png") == 4, "the listings of two versions, and their labels"
    result = erase("jane-doe.png")
    assert [row["dataset_version"] for row in result["erasures"][0]["exports"]] == [1]
    assert [row.version.number for row in Export.objects.all()] == [3]
    left = all_bytes(bucket)
    assert b"jane-doe.png" not in left
    assert b"archive of v1" not in left
    assert b"archive of v3" in left
    rows = list(repository.publications.select_related("listing").order_by("number"))
    assert [row.nfiles for row in rows] == [3, 4, 4], "with labels.jsonl and schema.json"
    assert all(store().get(row.listing.ref) for row in rows)
    assert all(row.commit != before for row, before in zip(rows, commits, strict=True))


def test_what_is_kept_of_its_looks_goes_too(dataset: Dataset, erase: Erase) -> None:
    put(dataset, {"a.png": png(1), "b.png": png(2)})
    a, b = (Sample.objects.get(key=key) for key in ("a.png", "b.png"))
    ids = np.array([a.pk, b.pk], np.int64)
    add_pages(dataset, ids, np.array([7, 8], np.uint64), test=False)
    erase("a.png")
    found, values = read_pages(dataset.versions.get(), test=False)
    assert (found.tolist(), values.tolist()) == ([b.pk], [8])


def test_an_erased_sample_is_an_example_of_no_class_in_any_version_of_the_schema(
    erase: Erase, dataset: Dataset, alice: User
) -> None:
    put(dataset, {"a.png": png(1), "b.png": png(2)})
    shown = [{"key": "a.png", "note": "seen from behind"}, {"key": "b.png"}]
    change_schema(dataset, [{"name": "cat", "examples": shown}, {"name": "dog"}, {"name": "3"}], parent=1, author=alice)
    change_schema(dataset, [{"name": name} for name in ("cat", "dog", "3", "bird")], parent=2, author=alice)
    erase("a.png")
    for version in (2, 3):
        told = schemas.version_document(dataset, version)["classes"][0]["examples"]
        assert [one["key"] for one in told] == ["b.png"]
    assert not SchemaExample.objects.filter(note="seen from behind").exists()
