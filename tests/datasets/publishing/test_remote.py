"""The service as a DVC remote: what is handed out, to whom, and what is written down about it."""

from collections.abc import Callable

import httpx
import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, commit, drain
from tests.datasets.publishing.test_git_protocol import basic

from accounts.models import Token, User
from blobs.digests import digests_of
from catalog.models import Dataset
from jobs.models import Shard
from publishing.keys import USER, read_key
from publishing.models import Access, Publication, Repository

pytestmark = pytest.mark.production

Get = Callable[..., httpx.Response]


def md5(data: bytes) -> str:
    return digests_of(data).md5


@pytest.fixture
def get(clients: Clients, pets: Dataset) -> Get:
    def send(
        digest: str, *, name: str = "pets", suffix: str = "", method: str = "GET", **headers: str
    ) -> httpx.Response:
        told = headers or {"X-Motherlode-Token": clients.token}
        address = f"{clients.url}/dvc/datasets/{name}/files/md5/{digest[:2]}/{digest[2:]}{suffix}"
        return httpx.request(method, address, headers=told)

    return send


def test_a_file_and_a_listing_are_their_bytes(get: Get) -> None:
    listing = Publication.objects.get(number=2).listing.md5
    assert get(md5(png(1))).content == png(1)
    assert md5(get(listing, suffix=".dir").content) == listing
    head = get(md5(png(1)), method="HEAD")
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (200, b"", str(len(png(1))))
    assert head.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert (head.headers["X-Content-Type-Options"], head.headers["Content-Disposition"]) == ("nosniff", "attachment")


def test_parts_of_a_file(get: Get, clients: Clients, subtests: pytest.Subtests) -> None:
    for span, status, part in [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=9-99999999", 206, slice(9, None)),
        ("bytes=5-1", 200, slice(None)),
        ("bytes=-5", 200, slice(None)),
        ("nonsense", 200, slice(None)),
    ]:
        with subtests.test(span=span):
            answer = get(md5(png(1)), Range=span, Authorization=f"Bearer {clients.token}")
            assert (answer.status_code, answer.content) == (status, png(1)[part])


def test_what_belongs_to_others_is_not_there(get: Get, api: APIClient) -> None:
    api.post("/datasets", {"name": "other", "task": "classification", "classes": ["x"]}, format="json")
    commit(api, {"secret.png": png(50)}, name="other")
    theirs = Publication.objects.get(repository__name="other").listing.md5
    mine = Publication.objects.get(repository__name="pets", number=2).listing.md5
    for digest, suffix in [(md5(png(50)), ""), (theirs, ".dir"), (theirs, ""), (mine, ""), (md5(png(1)), ".dir")]:
        assert (get(digest, suffix=suffix).status_code, get(digest, suffix=suffix).json()["code"]) == (
            404, "object_unknown")  # fmt: skip
    assert get(md5(png(50)), name="other").content == png(50)


def test_no_text_but_a_digest_finds_anything(get: Get, subtests: pytest.Subtests) -> None:
    for digest in ["../../x", "xx", "0" * 31, "0" * 33, "F" * 32, "%2e%2e" * 8, "0" * 31 + "%0a"]:
        with subtests.test(digest=digest):
            assert get(digest).status_code in {404, 400}


def test_strangers_and_wrong_keys_get_nothing(get: Get, clients: Clients) -> None:
    repository = Repository.objects.get()
    good = read_key(repository, 1)
    assert get(md5(png(1)), **basic(good, USER)).content == png(1)
    for headers in (basic("x", USER), basic(read_key(repository, 2), USER), basic(good, "alice"), {"Accept": "*/*"}):
        assert get(md5(png(1)), **headers).status_code == 401
    assert get(md5(png(1)), name="no-such-thing", **basic(good, USER)).status_code == 401
    assert httpx.get(f"{clients.url}/dvc/datasets/pets/files/md5").status_code == 401
    # a key reads bytes, and nothing else
    assert httpx.get(f"{clients.url}/datasets/pets", headers=basic(good, USER)).status_code == 401
    address = f"{clients.url}/datasets/pets.git/info/refs?service=git-upload-pack"
    assert httpx.get(address, headers=basic(good, USER)).status_code == 401
    assert get(md5(png(1)), method="PUT", **basic(good, USER)).status_code == 401


def test_each_fetch_of_a_version_is_written_down(
    get: Get, clients: Clients, api: APIClient, bobs_api: APIClient
) -> None:
    clients.dvc("get", clients.repository("pets"), "data", "--rev", "v1", "-o", "v1")
    get(Publication.objects.get(number=2).listing.md5, suffix=".dir")
    seen = api.get("/datasets/pets/accesses").json()["results"]
    assert (seen[0]["user"], seen[0]["read_key"], seen[0]["versions"]) == ("alice", None, [2])
    assert {(row["user"], row["read_key"], tuple(row["versions"])) for row in seen[1:]} == {(None, 1, (1,))}
    assert bobs_api.get("/datasets/pets/accesses").status_code == 403
    assert Access.objects.count() == len(seen)


def test_a_new_read_key_makes_the_old_one_void(
    get: Get, clients: Clients, api: APIClient, bobs_api: APIClient, bob: User
) -> None:
    repository = Repository.objects.get()
    old = read_key(repository, 1)
    clients.git("clone", "-q", clients.repository("pets"), "before")
    assert bobs_api.post("/datasets/pets/read-key").status_code == 403
    answer = api.post("/datasets/pets/read-key").json()
    assert (answer["read_key"], answer["head"]) == (2, Publication.objects.get(number=2).commit)
    assert get(md5(png(1)), **basic(old, USER)).status_code == 401
    assert "failed" in clients.dvc("pull", at="before", check=False).lower()
    for rev in ("v1", "v2"):
        clients.dvc("get", clients.repository("pets"), "data", "--rev", rev, "-o", rev)
    assert (clients.folder / "v2/b.png").read_bytes() == png(2)


def test_materialising_again_puts_nothing_again(get: Get, api: APIClient) -> None:
    for expected in (2, 0):
        job = api.post("/datasets/pets/versions/head/materialise").json()["job"]["id"]
        drain()
        seen = api.get(f"/jobs/{job}").json()
        assert seen["state"] == "succeeded", seen
        assert sum(row["put"] for row in _results(job) if "put" in row) == expected
    assert api.post("/datasets/pets/versions/9/materialise").status_code == 404


def _results(job: int) -> list[dict[str, int]]:
    return [row or {} for row in Shard.objects.filter(job_id=job).values_list("result", flat=True)]


@pytest.mark.parametrize("change", [{"active": False}, {"role": "annotator"}])
def test_who_may_no_longer_read_has_no_read_key_either(
    get: Get, clients: Clients, api: APIClient, rita: User, change: dict[str, object]
) -> None:
    """The key of her clone reads nothing, nor does any other of hers; what she did not clone stays as it is."""
    _, token = Token.objects.issue(rita, "laptop")
    clients.git("clone", "-q", clients.repository("pets", token=token), "hers")
    key = basic(read_key(Repository.objects.get(), 1), USER)
    assert get(md5(png(1)), **key).content == png(1)
    assert api.patch("/people/rita", change, format="json").status_code == 200
    assert get(md5(png(1)), **key).status_code == 401
    assert get(md5(png(1)), **{"X-Motherlode-Token": token}).status_code in {401, 403}
    assert "failed" in clients.dvc("pull", at="hers", check=False).lower()
    assert Repository.objects.get().key_number == 2
    clients.dvc("get", clients.repository("pets"), "data", "--rev", "v1", "-o", "mine")
    if "role" in change:
        assert api.patch("/people/rita", {"active": False}, format="json").status_code == 200
        assert Repository.objects.get().key_number == 2, "she had no key of this number"
