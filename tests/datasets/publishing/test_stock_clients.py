"""Each verb of a stock DVC 3, and git, against a real server: what comes out is what went in, byte for byte."""

import json

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, commit, drain, files_below

from catalog.models import Dataset

FIRST = {"a/1.png": png(1)}
SECOND = FIRST | {"b.png": png(2)}

pytestmark = [pytest.mark.usefixtures("pets")]


def test_git_clones_one_commit_and_tag_per_version(clients: Clients) -> None:
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    assert clients.git("tag", at="pets").split() == ["v1", "v2"]
    assert clients.git("rev-list", "--count", "HEAD", at="pets").strip() == "2"
    assert clients.git("rev-parse", "v1", at="pets") == clients.git("rev-parse", "v2^", at="pets")
    assert clients.git("status", "--porcelain", at="pets") == ""
    clients.git("fsck", "--strict", at="pets")


def test_dvc_gets_any_version_with_nothing_but_the_address(clients: Clients) -> None:
    for rev, files in (("v1", FIRST), ("v2", SECOND)):
        clients.dvc("get", clients.repository("pets"), "data", "--rev", rev, "-o", rev)
        assert files_below(clients.folder / rev) == files


def test_dvc_gets_one_file_of_the_directory(clients: Clients) -> None:
    clients.dvc("get", clients.repository("pets"), "data/a/1.png", "-o", "one.png")
    assert (clients.folder / "one.png").read_bytes() == png(1)


def test_dvc_pulls_after_a_clone_and_finds_nothing_modified(clients: Clients) -> None:
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    clients.dvc("pull", at="pets")
    assert files_below(clients.folder / "pets/data") == SECOND
    assert "up to date" in clients.dvc("status", at="pets")
    clients.git("checkout", "-q", "v1", at="pets")
    clients.dvc("pull", at="pets")
    assert files_below(clients.folder / "pets/data") == FIRST


@pytest.mark.clock
def test_dvc_imports_and_updates(clients: Clients, api: APIClient) -> None:
    clients.git("init", "-q", "mine")
    clients.dvc("init", "-q", at="mine")
    clients.dvc("import", clients.repository("pets"), "data", at="mine")
    assert files_below(clients.folder / "mine/data") == SECOND
    commit(api, {"c.png": png(3)}, remove=("a/1.png",))
    clients.dvc("update", "data.dvc", at="mine")
    assert files_below(clients.folder / "mine/data") == {"b.png": png(2), "c.png": png(3)}


@pytest.mark.clock
def test_dvc_api_and_file_system_read_single_files(clients: Clients) -> None:
    url = clients.repository("pets")
    told = clients.python(
        "import dvc.api, hashlib, json\n"
        f"whole = dvc.api.read('data/b.png', repo={url!r}, mode='rb')\n"
        f"with dvc.api.open('data/a/1.png', repo={url!r}, rev='v1', mode='rb') as file: opened = file.read()\n"
        f"fs = dvc.api.DVCFileSystem({url!r}, rev='v2')\n"
        "seen = fs.read_bytes('data/b.png')\n"
        "print(json.dumps([whole.hex(), opened.hex(), seen.hex(), sorted(fs.find('data'))]))"
    )
    whole, opened, seen, found = json.loads(told.splitlines()[-1])
    assert (whole, opened, seen) == (png(2).hex(), png(1).hex(), png(2).hex())
    assert found == ["data/a/1.png", "data/b.png", "data/labels.jsonl", "data/schema.json"]


@pytest.mark.clock
def test_dvc_pulls_straight_from_the_object_store_once_it_is_materialised(clients: Clients, api: APIClient) -> None:
    assert api.post("/datasets/pets/versions/v2/materialise").status_code == 202
    drain()
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    clients.dvc("pull", "-r", "s3", at="pets", env=clients.keys)
    assert files_below(clients.folder / "pets/data") == SECOND
    clients.dvc("get", clients.repository("pets"), "data", "--remote", "s3", "-o", "direct", env=clients.keys)
    assert files_below(clients.folder / "direct") == SECOND


@pytest.mark.clock
def test_an_import_keeps_no_token_that_git_s_credentials_have(clients: Clients) -> None:
    """As docs/howto/dvc.md tells: with the token in the address, DVC would write it into `data.dvc`."""
    clients.git("config", "--global", "credential.helper", "store")
    known = clients.folder / "home/.git-credentials"
    known.write_text(clients.url.replace("://", f"://me:{clients.token}@") + "\n")
    clients.git("clone", "-q", f"{clients.url}/datasets/pets.git", "cloned")
    clients.git("init", "-q", "own")
    clients.dvc("init", "-q", at="own")
    clients.dvc("import", f"{clients.url}/datasets/pets.git", "data", at="own")
    assert files_below(clients.folder / "own/data") == SECOND
    assert clients.token not in (clients.folder / "own/data.dvc").read_text()


@pytest.mark.clock
def test_a_person_s_own_token_does_in_place_of_the_repository_s_key(clients: Clients, pets: Dataset) -> None:
    """With a `.netrc` for git and dvc alike, and the address of the remote without any key in it."""
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    host = clients.url.removeprefix("http://").partition(":")[0]
    (clients.folder / "home/.netrc").write_text(f"machine {host} login alice password {clients.token}\n")
    (clients.folder / "home/.netrc").chmod(0o600)
    clients.dvc("remote", "add", "--local", "mine", f"{clients.url}/dvc/datasets/pets", at="pets")
    clients.dvc("pull", "-r", "mine", at="pets")
    assert files_below(clients.folder / "pets/data") == SECOND
