"""Whatever brings bytes into a project that may not hold them is refused, leaves nothing, and spares what is there."""

import io
import tarfile
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import Post, data, multipart, png, row_counts
from tests.working import work_on

from accounts.models import Project
from blobs.digests import digests_of
from blobs.store import BlobStore
from catalog import models
from catalog.intake import archive_uploads, archives
from catalog.models import ArchivePart, ArchiveUpload, Dataset, Revision
from jobs import storage
from jobs.models import Job, Storage
from jobs.services import claimable_count
from publishing.models import Upload

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def held(dataset: Dataset) -> int:
    return storage.counted(dataset.project_id)


def leave(dataset: Dataset, room: int) -> None:
    """Its project may hold so many bytes more than it does."""
    storage.set_limit(dataset.project_id, held(dataset) + room)


def tar_of(*seeds: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for seed in seeds:
            member = tarfile.TarInfo(f"pool/{seed}.png")
            member.size = len(png(seed))
            tar.addfile(member, io.BytesIO(png(seed)))
    return stream.getvalue()


def finish(job_id: int) -> Job:
    while claimable_count(job_id):
        assert work_on(job_id)
    return Job.objects.get(pk=job_id)


@pytest.fixture
def full(post: Post, dataset: Dataset) -> Dataset:
    """One sample, and no room for another."""
    sample = {"key": "a.png", "data": data(png(1)), "split": "pool"}
    assert post(samples=[sample]).status_code == 201
    leave(dataset, len(png(2)) - 1)
    return dataset


def test_a_commit_beyond_the_limit_is_refused_whole(api: APIClient, full: Dataset, post: Post) -> None:
    before = row_counts()
    samples = [{"key": f"{seed}.png", "data": data(png(seed)), "split": "pool"} for seed in (2, 3)]
    refused = post(samples=samples)
    told = refused.json()
    assert (refused.status_code, told["code"], told["held"]) == (409, "storage_quota", len(png(1)))
    assert told["limit"] == Storage.objects.get().limit
    assert "ask an owner of the platform for a larger limit" in told["detail"]
    assert row_counts() == before
    files = multipart([("files", "2.png", png(2))])
    assert api.post(f"/datasets/{full.name}", **files).json()["code"] == "storage_quota"
    leave(full, len(png(2)))
    assert api.post(f"/datasets/{full.name}", **files).json()["added"] == 1


def test_what_is_held_is_labelled_sent_again_read_and_removed(api: APIClient, full: Dataset, post: Post) -> None:
    storage.set_limit(full.project_id, 1)  # far below what it holds
    again = {"key": "twin.png", "data": data(png(1)), "split": "pool"}
    label = {"key": "a.png", "label": {"class": "cat"}, "meta": {"seen": True}}
    assert post(samples=[label]).json()["labelled"] == 1
    assert post(samples=[again]).json()["added"] == 1, "its bytes are charged already"
    assert api.get(f"/datasets/{full.name}/samples/a.png").status_code == 200
    assert post(remove=["twin.png"]).json()["removed"] == 1


def test_two_commits_fill_what_there_is_and_no_more(full: Dataset, post: Post) -> None:
    leave(full, len(png(2)) + len(png(3)))
    for seed in (2, 3):
        assert post(samples=[{"key": f"{seed}.png", "data": data(png(seed)), "split": "pool"}]).status_code == 201
    assert post(samples=[{"key": "4.png", "data": data(png(4)), "split": "pool"}]).status_code == 409
    row = Storage.objects.get()
    assert row.in_all == row.limit == held(full)


def test_an_archive_in_parts_is_refused_before_it_is_sent(
    api: APIClient, full: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (models, archive_uploads):
        monkeypatch.setattr(module, "PART_BYTES", 1000)
    archive = tar_of(2, 3, 4)
    body = {"name": "more.tar.gz", "size": len(archive), "fingerprint": "1"}
    address = f"/datasets/{full.name}/archives"
    assert api.post(address, body, format="json").json()["code"] == "storage_quota"
    assert not ArchiveUpload.objects.exists()
    images = sum(len(png(seed)) for seed in (2, 3, 4))
    leave(full, max(images, len(archive)))  # room for the parts, then for the images in their place
    upload = api.post(address, body, format="json").json()
    for number in range(upload["parts"]):
        part = archive[number * 1000 : (number + 1) * 1000]
        path = f"{address}/{upload['id']}/parts/{number}"
        assert api.put(path, part, content_type="application/octet-stream").status_code == 200
    assert Storage.objects.get().added == len(archive)
    answer = api.post(f"/datasets/{full.name}", {"archive": {"upload": upload["id"]}}, format="json")
    job = finish(answer.json()["job"]["id"])
    assert job.result is not None, job.error
    assert (job.result["added"], ArchivePart.objects.exists()) == (3, False)


def test_a_job_that_would_go_beyond_fails_once_and_commits_nothing(
    api: APIClient, full: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "AT_ONCE_MEMBERS", 1)
    archive = tar_of(2, 3)
    refused = api.post(f"/datasets/{full.name}", **multipart([("archive", "a.tar.gz", archive)]))
    assert (refused.json()["code"], Job.objects.exists()) == ("storage_quota", False)
    leave(full, len(archive))
    started = api.post(f"/datasets/{full.name}", **multipart([("archive", "a.tar.gz", archive)]))
    Storage.objects.update(limit=held(full) + len(png(2)))  # room for one of the two
    job = finish(started.json()["job"]["id"])
    assert (job.state, (job.error or {})["code"]) == (Job.State.FAILED, "storage_quota")
    assert Revision.objects.count() == 1


def test_places_and_staged_bytes_need_room(api: APIClient, full: Dataset) -> None:
    address = f"/datasets/{full.name}/uploads"
    presigned = api.post(address, {"presign": [{"size": 5000}]}, format="json")
    assert (presigned.status_code, presigned.json()["code"]) == (409, "storage_quota")
    assert api.post(address, **multipart([("files", "2.png", png(2))])).json()["code"] == "storage_quota"
    leave(full, 50_000)
    assert api.post(address, {"presign": [{"size": 5000}]}, format="json").status_code == 201
    assert api.post(address, **multipart([("files", "2.png", png(2))])).status_code == 201


def test_a_push_is_refused_before_its_bytes_are_stored(api: APIClient, full: Dataset, object_store: BlobStore) -> None:
    def push(image: bytes) -> Any:
        md5 = digests_of(image).md5
        address = f"/dvc/datasets/{full.name}/files/md5/{md5[:2]}/{md5[2:]}"
        return api.put(address, image, content_type="application/octet-stream")

    before = row_counts()
    refused = push(png(2))
    assert (refused.status_code, refused.json()["code"]) == (409, "storage_quota")
    assert (row_counts(), Upload.objects.exists()) == (before, False)
    assert push(png(1)).status_code == 201, "what it holds already costs nothing"
    leave(full, len(png(2)))
    assert push(png(2)).status_code == 201
    assert held(full) == len(png(1)) + len(png(2))


def test_other_projects_are_not_kept_from_anything(api: APIClient, full: Dataset, object_store: BlobStore) -> None:
    project = Project.objects.create(name="other")
    body = {"name": "others", "task": "classification", "classes": ["cat"], "project": project.name}
    assert api.post("/datasets", body, format="json").status_code == 201
    sample = {"key": "2.png", "data": data(png(2)), "split": "pool"}
    assert api.post("/datasets/others", {"samples": [sample]}, format="json").status_code == 201
    assert storage.counted(project.pk) == len(png(2))
