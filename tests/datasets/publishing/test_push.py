"""`dvc push` from a person's own project becomes a version, and what can't be taken is told."""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png
from tests.datasets.publishing.conftest import Clients, commit, drain, files_below, push
from tests.datasets.publishing.test_remote import md5

from accounts.models import Scope, Token, User
from blobs.models import Blob
from catalog.models import Dataset, Version
from catalog.publication import adoption
from jobs.models import Job
from publishing.models import Publication, Upload
from publishing.uploads import forget_abandoned

pytestmark = pytest.mark.production


def test_a_push_becomes_one_version_and_comes_out_as_it_went_in(clients: Clients, project: Path) -> None:
    files = {"a/1.png": png(1), "deep/er/3.png": png(3), "ü.png": png(4)}
    push(clients, project, files)
    drain()
    head = Version.objects.get(number=3)
    assert (head.added, head.updated, head.removed) == (2, 0, 1)
    clients.dvc("get", clients.repository("pets"), "data", "--rev", "v3", "-o", "back")
    assert files_below(clients.folder / "back") == files
    assert not Upload.objects.filter(listing=False).exists(), "the version holds them now"


def test_pushing_again_makes_no_version(clients: Clients, project: Path, api: APIClient) -> None:
    push(clients, project, {"x.png": png(3)})
    drain()
    clients.dvc("push", at="mine")
    drain()
    assert Version.objects.count() == 3
    push(clients, project, {"y.png": png(4)})
    drain()
    assert (Version.objects.count(), Version.objects.get(number=4).added) == (4, 1)


def test_what_is_no_image_is_left_out_and_told_and_can_still_be_pulled(
    clients: Clients, project: Path, api: APIClient
) -> None:
    push(clients, project, {"x.png": png(3), "notes.txt": b"not an image"})
    drain()
    result = Job.objects.get(kind="adopt").result
    assert result is not None
    assert [(item["key"], item["code"]) for item in result["rejected"]] == [("notes.txt", "not_an_image")]
    assert "notes.txt" in Version.objects.get(number=3).message
    shutil.rmtree(project / ".dvc/cache")
    shutil.rmtree(project / "images")
    clients.dvc("pull", at="mine")
    assert (project / "images/notes.txt").read_bytes() == b"not an image"


def test_a_push_with_half_images_says_so_and_removes_nothing(clients: Clients, project: Path) -> None:
    whole = png(9)
    push(clients, project, {"x.png": png(3), "half.png": whole[: len(whole) // 2]})
    drain()
    job = Job.objects.get(kind="adopt")
    assert job.result is not None
    (refused,) = job.result["rejected"]
    assert (refused["key"], refused["code"]) == ("half.png", "image_truncated")
    assert (job.result["removed"], job.result["not_removed"]) == (0, 2)
    assert "Not removed, though not in the directory: 2 samples" in str(job.events.values_list("data"))
    head = Version.objects.get(number=3)
    assert (head.added, head.removed, head.counts["samples"]) == (1, 0, 3)
    assert "1 not taken: half.png" in head.message


def test_a_push_of_which_nothing_can_be_taken_removes_nothing(clients: Clients, project: Path) -> None:
    push(clients, project, {"notes.txt": b"not an image"})
    drain()
    job = Job.objects.get(kind="adopt")
    assert job.state == Job.State.FAILED
    assert job.error is not None
    assert job.error["code"] == "push_refused"
    assert "nothing can be taken of the directory's 1 file" in job.error["detail"]
    assert "its 2 samples" in job.error["detail"]
    head = Dataset.objects.get(name="pets").head
    assert head is not None
    assert (head.number, head.counts["samples"]) == (2, 2)


def put(clients: Clients, digest: str, content: bytes, *, suffix: str = "", token: str | None = None) -> httpx.Response:
    """In chunks, as DVC does."""
    address = f"{clients.url}/dvc/datasets/pets/files/md5/{digest[:2]}/{digest[2:]}{suffix}"
    pieces = (content[at : at + 100] for at in range(0, len(content), 100))
    headers = {"X-Motherlode-Token": token or clients.token}
    return httpx.put(address, content=pieces, headers=headers)


def test_bytes_must_be_what_their_name_says(clients: Clients, pets: Dataset) -> None:
    before = Blob.objects.count()
    answer = put(clients, md5(png(5)), png(6))
    assert (answer.status_code, answer.json()["code"]) == (400, "digest_mismatch")
    assert put(clients, "Z" * 32, png(6)).json()["code"] == "digest_invalid"
    assert put(clients, md5(png(5)), png(5), token="ml_wrong").status_code == 401
    assert Blob.objects.count() == before
    assert put(clients, md5(png(5)), png(5)).status_code == 201


def test_a_token_that_only_reads_fetches_and_sends_nothing(clients: Clients, pets: Dataset, alice: User) -> None:
    before = Blob.objects.count()
    _, secret = Token.objects.issue(alice, "dashboard", scope=Scope.READ)
    answer = put(clients, md5(png(5)), png(5), token=secret)
    assert (answer.status_code, answer.json()["code"]) == (403, "token_only_reads")
    assert Blob.objects.count() == before
    head = {"X-Motherlode-Token": secret}
    advertised = httpx.get(f"{clients.url}/datasets/pets.git/info/refs?service=git-upload-pack", headers=head)
    assert advertised.status_code == 200


def test_a_token_that_expired_is_refused_with_its_end_and_git_is_asked_for_another(
    clients: Clients, pets: Dataset, alice: User
) -> None:
    _, secret = Token.objects.issue(alice, "week", expires=timezone.now())
    for answer in (
        put(clients, md5(png(5)), png(5), token=secret),
        httpx.get(f"{clients.url}/datasets/pets.git/info/refs?service=git-upload-pack", auth=("alice", secret)),
    ):
        assert (answer.status_code, "'week' expired on" in answer.json()["detail"]) == (401, True)
        assert answer.headers["WWW-Authenticate"].startswith("Basic")


def test_a_digest_alone_gives_nobody_the_bytes_of_others(clients: Clients, pets: Dataset, api: APIClient) -> None:
    """A listing that names what another dataset holds, and what was never sent here."""
    api.post("/datasets", {"name": "other", "task": "classification", "classes": ["x"]}, format="json")
    commit(api, {"secret.png": png(50)}, name="other")
    listing = json.dumps([{"md5": md5(png(50)), "relpath": "mine.png"}]).encode()
    assert put(clients, md5(listing), listing, suffix=".dir").status_code == 201
    drain()
    job = Job.objects.get(kind="adopt")
    assert job.error is not None
    assert (job.state, job.error["code"]) == ("failed", "objects_missing")
    assert Version.objects.filter(dataset=pets).count() == 2


@pytest.mark.parametrize("listing", [b"{}", b"no json", b'[{"md5": "x", "relpath": "a"}]'])
def test_a_listing_that_is_none_fails_its_job(clients: Clients, pets: Dataset, listing: bytes) -> None:
    put(clients, md5(listing), listing, suffix=".dir")
    drain()
    error = Job.objects.get(kind="adopt").error
    assert error is not None
    assert error["code"] == "listing_malformed"


def test_a_head_that_moved_meanwhile_is_met_by_looking_again(
    clients: Clients, project: Path, api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(clients, project, {"x.png": png(3)})
    compared = adoption._changes

    def slow(*args: object, author: User) -> object:
        found = compared(*args, author=author)  # type: ignore[arg-type]  # passed through
        monkeypatch.setattr(adoption, "_changes", compared)
        samples = [{"key": "meanwhile.png", "data": data(png(8))}]
        assert api.post("/datasets/pets", {"samples": samples}, format="json").status_code == 201
        return found

    monkeypatch.setattr(adoption, "_changes", slow)
    drain()
    assert Version.objects.get(number=4).removed == 3, "what came meanwhile is not in the listing either"


def test_an_abandoned_push_is_let_go_of_after_a_week(clients: Clients, pets: Dataset) -> None:
    put(clients, md5(png(5)), png(5))
    assert forget_abandoned() == 0
    Upload.objects.update(created=timezone.now() - timedelta(days=8))
    assert forget_abandoned() == 1
    assert Publication.objects.count() == 2
