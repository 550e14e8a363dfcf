"""What projects hold in the object store: each blob once, within a limit; and what no project is charged for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from rest_framework.test import APIClient
from tests.threads import at_once

from accounts.models import AuditEvent, Membership, Project, Role, User
from accounts.projects import create_project
from blobs.models import Blob, StoredObject
from blobs.references import referring
from catalog.models import ArchivePart, ArchiveUpload, Dataset
from catalog.versions.datasets import create_dataset
from core.errors import Conflict
from jobs import storage
from jobs.models import Job, Storage
from jobs.services import ShardSpec, create_job
from lakes.models import LakePack, LakePart

pytestmark = [pytest.mark.django_db, pytest.mark.both]

NOBODYS = {
    "backtests.Replay.blob": "kept for every project that asks for the same again",
    "mining_jobs.Backbone.onnx": "the platform's own",
    "similarity.Lexicon.text": "the platform's own",
    "similarity.Lexicon.posterior": "the platform's own",
    "blobs.Conversion.original": "says something about a blob",
    "blobs.Conversion.made": "says something about a blob",
    "blobs.PlainObject.blob": "says something about a blob",
    "blobs.Remnant.object": "says something about an object",
    "catalog.SentBytes.blob": "says who may name a blob",
}
"""Foreign keys to bytes for which no project is charged, and why."""
KB = 1000


@pytest.fixture
def roads(alice: User) -> Dataset:
    return made("roads", alice)


def made(name: str, author: User) -> Dataset:
    project = create_project(name)
    return create_dataset(name, task="classification", classes=["a"], description="", author=author, project=project)


def blob(number: int, size: int = KB, key: str = "") -> Blob:
    md5 = f"{number:032x}"
    return Blob.objects.create(md5=md5, sha256=f"{number:064x}", size=size, key=key or f"files/md5/{md5}")


def hold(dataset: Dataset, *blobs: Blob) -> None:
    """Rows of the dataset's project refer to these: the parts of an upload are the smallest that do."""
    told = {"dataset": dataset, "author": dataset.created_by, "name": "a.tar", "size": 1, "fingerprint": "1"}
    upload = ArchiveUpload.objects.create(pk=uuid4().hex, **told)
    ArchivePart.objects.bulk_create(ArchivePart(upload=upload, number=at, blob=one) for at, one in enumerate(blobs))


def lake_of(dataset: Dataset, *objects: StoredObject) -> None:
    job = create_job("practice", "a lake", shards=[ShardSpec()], project=dataset.project_id)
    part = LakePart.objects.create(dataset=dataset, source="archive", first=b"a", last=b"b", rows=1, bytes=1, job=job,
                                   created_by=dataset.created_by)  # fmt: skip
    LakePack.objects.bulk_create(LakePack(part=part, object=one) for one in objects)


def test_every_reference_to_bytes_is_charged_to_a_project_or_to_nobody() -> None:
    fields = {
        f"{field.model._meta.label}.{field.name}" for target in (Blob, StoredObject) for field in referring(target)
    }
    assert {*storage.registered()} | NOBODYS.keys() == fields
    assert not {*storage.registered()} & NOBODYS.keys()


def test_a_project_holds_each_blob_once_whoever_else_does(roads: Dataset, alice: User) -> None:
    rail, shared, own = made("rail", alice), blob(1), blob(2, 5)
    hold(roads, shared, shared, own)
    hold(roads, shared)
    hold(rail, shared)
    assert [storage.counted(one.project_id) for one in (roads, rail)] == [KB + 5, KB]


def test_a_lake_counts_by_its_packs_and_its_picks_not_again(roads: Dataset) -> None:
    pack = StoredObject.objects.create(key="packs/1", size=70)
    hold(roads, blob(1, 30, key=pack.key), blob(2, 5))
    lake_of(roads, pack)
    assert storage.counted(roads.project_id) == 70 + 5


def test_what_is_charged_fills_the_limit_and_known_bytes_cost_nothing(roads: Dataset) -> None:
    held = [blob(1), blob(2)]
    storage.set_limit(roads.project_id, 3 * KB)
    for one in held:
        storage.charge(roads.project_id, {one.pk: one.size})
        hold(roads, one)
    storage.charge(roads.project_id, {one.pk: one.size for one in held})  # by an estimate there is no room for these
    more = blob(3), blob(4, 1)
    storage.charge(roads.project_id, {more[0].pk: KB})
    hold(roads, more[0])
    with pytest.raises(Conflict, match=r"roads holds 3 kB of the 3 kB") as refused:
        storage.charge(roads.project_id, {more[1].pk: 1})
    assert (refused.value.code, refused.value.extra) == ("storage_quota", {"held": 3 * KB, "limit": 3 * KB})
    ArchivePart.objects.filter(blob=held[0]).delete()
    storage.charge(roads.project_id, {more[1].pk: 1})  # what went makes room, though nobody counted


def test_without_a_limit_nothing_is_charged(roads: Dataset) -> None:
    storage.charge(roads.project_id, {blob(1).pk: KB})
    assert not Storage.objects.exists()
    storage.check_room(roads.project_id, 1 << 50)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_not_both_take_the_last_room(roads: Dataset) -> None:
    storage.set_limit(roads.project_id, 3 * KB)
    blobs = [blob(number) for number in range(6)]

    def bring(number: int) -> bool:
        try:
            with transaction.atomic():
                storage.charge(roads.project_id, {blobs[number].pk: KB})
                hold(roads, blobs[number])
        except Conflict:
            return False
        return True

    assert sum(at_once(6, bring)) == 3
    assert storage.counted(roads.project_id) == 3 * KB


def test_what_is_due_is_counted_and_what_came_meanwhile_is_kept(
    roads: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(roads, blob(1))
    assert storage.count_due() == Project.objects.count()
    assert storage.count_due() == 0
    storage.set_limit(roads.project_id, 10 * KB)
    old = timezone.now() - timedelta(seconds=storage.COUNTED_EVERY + 1)
    Storage.objects.update(counted=old, added=7)
    honest = storage.counted

    def counted(project: int) -> int:
        found = honest(project)
        if project == roads.project_id:
            storage.charge(project, {blob(2).pk: KB})
        return found

    monkeypatch.setattr(storage, "counted", counted)
    storage.count_due()
    row = Storage.objects.get(project=roads.project)
    assert (row.held, row.added) == (KB, KB)
    Storage.objects.update(counted=old, took=60.0)
    assert storage.count_due() == 0, "counting has a hundredth of the time"


def test_jobs_that_store_more_are_not_begun_when_all_is_used(roads: Dataset, settings: Any) -> None:
    def begin(kind: str) -> Job:
        return create_job(kind, "a job", shards=[ShardSpec()], project=roads.project_id)

    assert settings.JOB_HANDLERS.keys() >= settings.JOB_STORING
    hold(roads, blob(1))
    storage.set_limit(roads.project_id, KB)
    for kind in settings.JOB_STORING:
        with pytest.raises(Conflict, match="more is beyond that"):
            begin(kind)
    assert not Job.objects.exists()
    assert [begin(kind).kind for kind in ("delete", "edit", "ingest", "publish")]
    storage.set_limit(roads.project_id, KB + 1)
    assert begin("train")


def test_owners_of_the_platform_set_the_limit_and_members_read_what_is_held(api: APIClient, roads: Dataset) -> None:
    path = "/projects/roads/quota"
    unknown = api.get(path).json()
    assert (unknown["storage"], unknown["held"], unknown["counted"]) == (None, None, None)
    hold(roads, blob(1))
    changed = api.patch(path, {"storage": 5 * KB}, format="json")
    assert (changed.status_code, changed.json()["storage"], changed.json()["held"]) == (200, 5 * KB, KB), changed.json()
    assert changed.json()["counted"]
    storage.charge(roads.project_id, {blob(2).pk: KB})
    assert api.get(path).json()["held"] == 2 * KB
    assert api.patch(path, {"storage": None}, format="json").json()["storage"] is None
    events = AuditEvent.objects.filter(kind="quota").order_by("pk")
    assert [(one.before, one.after) for one in events] == [
        ({"storage": None}, {"storage": 5 * KB}), ({"storage": 5 * KB}, {"storage": None}),
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1 GB", 1 << 61])
def test_a_limit_that_is_none_is_refused(api: APIClient, roads: Dataset, limit: Any) -> None:
    answer = api.patch("/projects/roads/quota", {"storage": limit}, format="json")
    assert (answer.status_code, [*answer.json()["errors"]]) == (400, ["storage"])
    assert not Storage.objects.exists()


def test_an_owner_of_the_project_sets_none(roads: Dataset, bob: User, api_of: Callable[[User], APIClient]) -> None:
    Membership.objects.create(project=roads.project, user=bob, role=Role.OWNER)
    refused = api_of(bob).patch("/projects/roads/quota", {"storage": 1}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "owners_only")
    assert api_of(bob).get("/projects/roads/quota").json()["storage"] is None


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (999, "999 B"), (48_200_000, "48.2 MB"), (10**12, "1 TB"), (12_345 * 10**12, "12,345 TB")],
)
def test_sizes_are_told_in_words(size: int, words: str) -> None:
    assert storage.told(size) == words
