"""Stock git and dvc against a real web server, and the worker's part played here."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png
from tests.settings import VAR
from tests.web import Web
from tests.working import work_on

from accounts.models import Token, User
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from catalog.models import Dataset
from jobs.models import Job


@dataclass(frozen=True, slots=True)
class Clients:
    """git and dvc as a person has them, in a folder of their own, and what they need to get in."""

    url: str
    token: str
    folder: Path
    store: StoreConfig

    def repository(self, name: str, *, kind: str = "datasets", token: str | None = None) -> str:
        """The address to clone, with the token for a password."""
        return f"{self.url.replace('://', f'://x:{token or self.token}@')}/{kind}/{name}.git"

    def git(self, *arguments: str, at: str = ".", check: bool = True, env: Mapping[str, str] | None = None) -> str:
        return self._run(["git", *arguments], at, check=check, env=env)

    def dvc(self, *arguments: str, at: str = ".", check: bool = True, env: Mapping[str, str] | None = None) -> str:
        return self._run([sys.executable, "-m", "dvc", *arguments], at, check=check, env=env)

    def python(self, script: str) -> str:
        """What a user's own program prints: with nothing of the platform's on its path."""
        return self._run([sys.executable, "-c", script], ".", check=True)

    @property
    def keys(self) -> dict[str, str]:
        """Those of the object store, for people who have them."""
        return {"AWS_ACCESS_KEY_ID": self.store.access_key, "AWS_SECRET_ACCESS_KEY": self.store.secret_key}

    def _run(self, argv: list[str], at: str, *, check: bool, env: Mapping[str, str] | None = None) -> str:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        own = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "DVC_NO_ANALYTICS": "1",
            "DVC_SITE_CACHE_DIR": str(home / "site"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "NO_PROXY": "127.0.0.1",
        } | {f"GIT_{who}_{what}": "someone" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(
            argv,
            cwd=self.folder / at,
            env=own | dict(env or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if check:
            assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def clients(web: Web, object_store: BlobStore, alice: User, tmp_path: Path, settings: Any) -> Clients:
    """Alice's."""
    settings.PUBLIC_URL = web.url
    settings.VAR_DIR = VAR
    return Clients(web.url, Token.objects.issue(alice, "clients")[1], tmp_path, object_store.config)


@pytest.fixture
def pets(clients: Clients, api: APIClient) -> Dataset:
    """A dataset with two published versions: `a/1.png`, then `b.png` beside it."""
    body = {"name": "pets", "task": "classification", "classes": ["cat", "dog"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    commit(api, {"a/1.png": png(1)})
    commit(api, {"b.png": png(2)})
    return Dataset.objects.get(name="pets")


CUSTOM = "    auth = custom\n    custom_auth_header = X-Motherlode-Token\n    method = PUT\n"


@pytest.fixture
def project(clients: Clients, pets: Dataset) -> Path:
    """A DVC project of Alice's whose remote is the dataset."""
    clients.git("init", "-q", "mine")
    clients.dvc("init", "-q", at="mine")
    folder, remote = clients.folder / "mine" / ".dvc", "['remote \"platform\"']\n"
    address = f"    url = {clients.url}/dvc/datasets/pets\n"
    (folder / "config").write_text(f"[core]\n    remote = platform\n{remote}{address}{CUSTOM}")
    (folder / "config.local").write_text(f"{remote}    password = {clients.token}\n")
    return clients.folder / "mine"


def push(clients: Clients, project: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        target = project / "images" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    clients.dvc("add", "images", at="mine")
    clients.dvc("push", at="mine")


def commit(api: APIClient, files: Mapping[str, bytes], *, name: str = "pets", remove: tuple[str, ...] = ()) -> int:
    """Commit and publish; returns the version's number."""
    samples = [{"key": key, "data": data(content)} for key, content in files.items()]
    answer = api.post(f"/datasets/{name}", {"samples": samples, "remove": list(remove)}, format="json")
    assert answer.status_code == 201, answer.content
    drain()
    return int(answer.json()["version"])


def drain() -> None:
    """Do all jobs, as workers would."""
    while open_jobs := list(Job.objects.filter(state__in=Job.OPEN).values_list("pk", flat=True)):
        for job in open_jobs:
            work_on(job)


def files_below(folder: Path) -> dict[str, bytes]:
    """Path and content of all samples in a checkout; see test_labels for what a version says of them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {".gitignore", "labels.jsonl", "schema.json"}
    }
