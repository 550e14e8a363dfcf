"""Git over HTTP: who may read, that nobody writes, and bodies as git sends them."""

import base64
import gzip
import io
import shutil
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, commit, files_below
from tests.settings import VAR

from catalog.models import Dataset
from publishing.models import Publication, Repository

pytestmark = pytest.mark.production

UPLOAD_PACK = {"Content-Type": "application/x-git-upload-pack-request"}


def basic(secret: str, user: str = "anybody") -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{secret}".encode()).decode()}


def test_a_stranger_is_asked_for_a_password(clients: Clients, pets: Dataset, subtests: pytest.Subtests) -> None:
    for headers in [
        {},
        basic("wrong"),
        basic("ml_wrong"),
        {"Authorization": "Basic %%%"},
        {"Authorization": "Bearer x"},
    ]:
        with subtests.test(headers=headers):
            for name in ("pets", "nothing-here"):
                answer = httpx.get(
                    f"{clients.url}/datasets/{name}.git/info/refs?service=git-upload-pack", headers=headers
                )
                assert answer.status_code == 401
                assert answer.headers["WWW-Authenticate"].startswith("Basic ")
                assert answer.json()["code"] == "not_authenticated"


def test_a_token_does_under_any_user_name_and_as_bearer(clients: Clients, pets: Dataset) -> None:
    address = f"{clients.url}/datasets/pets.git/info/refs?service=git-upload-pack"
    for headers in (basic(clients.token), basic(clients.token, "git"), {"Authorization": f"Bearer {clients.token}"}):
        answer = httpx.get(address, headers=headers)
        assert (answer.status_code, answer.headers["Content-Type"]) == (
            200,
            "application/x-git-upload-pack-advertisement",
        )
        assert b"refs/tags/v2" in answer.content


def test_nobody_pushes(clients: Clients, pets: Dataset) -> None:
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    clients.git("commit", "-q", "--allow-empty", "-m", "mine", at="pets")
    said = clients.git("push", "origin", "HEAD", at="pets", check=False)
    assert "403" in said
    for address in ("info/refs?service=git-receive-pack", "info/refs", "git-receive-pack"):
        method = "POST" if address == "git-receive-pack" else "GET"
        answer = httpx.request(method, f"{clients.url}/datasets/pets.git/{address}", headers=basic(clients.token))
        assert (answer.status_code, answer.json()["code"]) == (403, "read_only")


def test_a_dataset_without_a_version_says_so(clients: Clients, api: APIClient) -> None:
    body = {"name": "empty", "task": "classification", "classes": ["cat"]}
    api.post("/datasets", body, format="json")
    address = f"{clients.url}/datasets/%s.git/info/refs?service=git-upload-pack"
    assert httpx.get(address % "empty", headers=basic(clients.token)).json()["code"] == "unpublished"
    assert httpx.get(address % "nowhere", headers=basic(clients.token)).json()["code"] == "dataset_unknown"


def test_git_may_send_its_request_chunked_and_packed(clients: Clients, pets: Dataset, api: APIClient) -> None:
    """Beyond `http.postBuffer` git sends chunks, beyond a kilobyte it packs: a fetch with many commits does both."""
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    for number in range(70):
        clients.git("commit", "-q", "--allow-empty", "-m", str(number), at="pets")
    commit(api, {"new.png": png(77)})
    trace = {"GIT_TRACE_CURL": "1"}
    done = subprocess.run(
        ["git", "-c", "http.postBuffer=1", "fetch", "origin"],
        cwd=clients.folder / "pets", env=trace | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Transfer-Encoding: chunked" in done.stderr
    assert clients.git("rev-parse", "v3", at="pets") == clients.git("rev-parse", "origin/main", at="pets")


def test_bodies_are_bounded_and_must_be_what_they_announce(clients: Clients, pets: Dataset) -> None:
    address = f"{clients.url}/datasets/pets.git/git-upload-pack"
    headers = basic(clients.token) | UPLOAD_PACK

    def post(body: bytes, **more: str) -> tuple[int, str]:
        answer = httpx.post(address, content=body, headers=headers | more)
        return answer.status_code, answer.json()["code"]

    assert post(b"0" * (5 << 20)) == (413, "too_large")
    assert post(gzip.compress(b"0" * (5 << 20)), **{"Content-Encoding": "gzip"}) == (413, "too_large")
    assert post(b"no gzip", **{"Content-Encoding": "gzip"}) == (400, "invalid")
    assert post(b"nonsense") == (400, "git_request_malformed")
    assert post(b"0032want " + b"0" * 40 + b"\n0000") == (400, "git_request_malformed")


def test_other_addresses_still_refuse_chunks(clients: Clients) -> None:
    parts = urlsplit(clients.url)
    for path in ("/datasets", "/datasets/pets.git/nothing"):
        head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n".encode()
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as connection:
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            assert b" 411 " in connection.recv(65536).splitlines()[0]


def test_a_lost_or_broken_repository_comes_back_with_the_same_commits(clients: Clients, pets: Dataset) -> None:
    before = clients.git("ls-remote", clients.repository("pets"))
    assert before.count("\n") == 4
    folder = VAR / "git" / str(Repository.objects.get().pk)
    shutil.rmtree(folder)
    assert clients.git("ls-remote", clients.repository("pets")) == before
    for path in (folder / "repository" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"broken")
    clients.git("clone", "-q", clients.repository("pets"), "again")
    assert clients.git("rev-parse", "v2", at="again").strip() == Publication.objects.get(number=2).commit
    assert clients.git("ls-remote", clients.repository("pets")) == before


def test_tags_and_aliases_are_tags_and_branches(clients: Clients, pets: Dataset, api: APIClient) -> None:
    def refs() -> dict[str, str]:
        lines = clients.git("ls-remote", clients.repository("pets")).splitlines()
        return {ref: sha for sha, _, ref in (line.partition("\t") for line in lines)}

    assert api.post("/datasets/pets/tags", {"name": "release", "version": 1}, format="json").status_code == 201
    assert api.post("/datasets/pets/aliases", {"alias": "stable", "version": 1}, format="json").status_code < 300
    assert refs()["refs/tags/release"] == refs()["refs/heads/stable"] == refs()["refs/tags/v1"]
    api.post("/datasets/pets/aliases", {"alias": "stable", "version": 2}, format="json")
    assert (refs()["refs/tags/release"], refs()["refs/heads/stable"]) == (refs()["refs/tags/v1"], refs()["HEAD"])
    clients.dvc("get", clients.repository("pets"), "data", "--rev", "release", "-o", "released")
    assert list(files_below(Path(clients.folder / "released"))) == ["a/1.png"]


def test_a_fork_is_a_repository_of_its_own_and_shares_its_origin_s_bytes(
    clients: Clients, pets: Dataset, api: APIClient
) -> None:
    assert api.post("/datasets/pets/forks", {"name": "toms", "version": 2}, format="json").status_code == 201
    commit(api, {"b.png": png(9)}, name="toms")
    clients.dvc("get", clients.repository("toms"), "data", "-o", "toms")
    assert (clients.folder / "toms/a/1.png").read_bytes() == png(1)
    assert (clients.folder / "toms/b.png").read_bytes() == png(9)


def test_the_packed_answer_is_no_larger_than_its_versions(clients: Clients, pets: Dataset, api: APIClient) -> None:
    """A version costs the repository a few hundred bytes, however many files it has."""
    commit(api, {f"{number}.png": png(number) for number in range(50)})
    answer = io.BytesIO(clients.git("ls-remote", clients.repository("pets")).encode())
    assert len(answer.getvalue()) < 1000
    clients.git("clone", "-q", "--bare", clients.repository("pets"), "bare")
    packs = list((clients.folder / "bare/objects/pack").glob("*.pack"))
    assert sum(pack.stat().st_size for pack in packs) < 6000
