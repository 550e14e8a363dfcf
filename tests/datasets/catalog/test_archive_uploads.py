"""An archive in parts: a broken upload goes on where it was, and the commit is that of the archive sent at once."""

import io
import tarfile
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from tests.datasets.conftest import png
from tests.working import work_on

from blobs.models import Blob
from catalog import models
from catalog.intake import archive_uploads
from catalog.models import ArchivePart, ArchiveUpload
from jobs.models import Job
from jobs.services import claimable_count

pytestmark = [pytest.mark.django_db, pytest.mark.both]
NAMES = [f"train/{'cat' if place % 2 else 'dog'}/{place}.png" for place in range(12)]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (models, archive_uploads):
        monkeypatch.setattr(module, "PART_BYTES", 1000)


@pytest.fixture
def archive(api, object_store) -> bytes:
    body = {"name": "pets", "task": "classification", "classes": ["cat", "dog"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for place, name in enumerate(NAMES):
            data = png(place)
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def begin(api, data: bytes, fingerprint: str = "1") -> dict[str, Any]:
    body = {"name": "pets.tar.gz", "size": len(data), "fingerprint": fingerprint}
    answer = api.post("/datasets/pets/archives", body, format="json")
    assert answer.status_code == 201, answer.content
    begun: dict[str, Any] = answer.json()
    return begun


def send(api, upload: dict[str, Any], data: bytes, number: int):
    part = data[number * 1000 : (number + 1) * 1000]
    address = f"/datasets/pets/archives/{upload['id']}/parts/{number}"
    return api.put(address, part, content_type="application/octet-stream")


def commit(api, upload: dict[str, Any], **terms):
    return api.post("/datasets/pets", {"archive": {"upload": upload["id"]}} | terms, format="json")


def test_a_broken_upload_goes_on_and_becomes_one_commit(api, archive: bytes) -> None:
    upload = begin(api, archive)
    assert upload["parts"] > 1
    for number in reversed(range(1, upload["parts"])):
        assert send(api, upload, archive, number).status_code == 200
    refused = commit(api, upload)
    assert (refused.status_code, refused.json()["code"], refused.json()["missing"]) == (409, "parts_missing", [0])
    again = begin(api, archive)  # the page was closed, the machine restarted: the same file is chosen again
    assert (again["id"], again["received"]) == (upload["id"], list(range(1, upload["parts"])))
    assert send(api, again, archive, 0).json()["received"] == list(range(upload["parts"]))
    answer = commit(api, again, message="by parts")
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(pk=answer.json()["job"]["id"])
    while claimable_count(job.pk):
        assert work_on(job.pk)
    result = Job.objects.get(pk=job.pk).result or {}
    assert (result["added"], result["labelled"], result["rejected"]) == (12, 12, [])
    assert not ArchiveUpload.objects.exists()


def test_a_part_of_another_length_is_refused_and_says_which(api, archive: bytes) -> None:
    upload = begin(api, archive)
    address = f"/datasets/pets/archives/{upload['id']}/parts"
    for number, data in ((0, b"short"), (0, b"x" * 1001), (99, b"x")):
        answer = api.put(f"{address}/{number}", data, content_type="application/octet-stream")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["part"]), answer.content
    assert api.get(f"/datasets/pets/archives/{upload['id']}").json()["received"] == []


def test_an_upload_is_its_beginners_alone(api, evas_api, archive: bytes) -> None:
    upload = begin(api, archive)
    assert send(evas_api, upload, archive, 0).status_code == 404
    assert begin(evas_api, archive)["id"] != upload["id"]
    assert begin(api, archive, fingerprint="another file")["id"] != upload["id"]


def test_an_upload_whose_job_has_waited_for_a_week_is_kept_for_it(api, archive: bytes) -> None:
    upload = begin(api, archive)
    for number in range(-(-len(archive) // 1000)):
        assert send(api, upload, archive, number).status_code == 200
    job = commit(api, upload).json()["job"]["id"]
    ArchivePart.objects.update(received=timezone.now() - timedelta(days=8))
    assert archive_uploads.forget_abandoned() == 0
    while claimable_count(job):
        work_on(job)
    result = Job.objects.get(pk=job).result
    assert result is not None
    assert result["added"] == len(NAMES)


def test_what_is_given_up_or_forgotten_for_a_week_is_let_go_of(api, archive: bytes) -> None:
    upload, other = begin(api, archive), begin(api, archive, fingerprint="2")
    assert send(api, upload, archive, 0).status_code == 200
    assert api.delete(f"/datasets/pets/archives/{upload['id']}").status_code == 204
    assert not ArchivePart.objects.exists()
    send(api, other, archive, 0)
    assert archive_uploads.forget_abandoned() == 0
    ArchivePart.objects.update(received=timezone.now() - timedelta(days=8))
    assert archive_uploads.forget_abandoned() == 1
    assert not ArchiveUpload.objects.exists()
    assert Blob.objects.exists()  # the collector takes the bytes, as any that nothing refers to
