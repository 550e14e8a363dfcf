"""A second platform beside the tests' own, empty, to restore into."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connections
from tests import settings as profile
from tests.relay import Relay
from tests.s3_server import bucket_name, remove_bucket
from tests.workers import ROOT, environment

from blobs.bucket import Bucket
from blobs.settings import StoreConfig
from blobs.store import BlobStore

RESTORED = "restored"


@dataclass(frozen=True)
class Place:
    """A database, a bucket and a folder of its own."""

    var: Path
    env: dict[str, str]
    config: StoreConfig

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of manage.py there."""
        argv = [sys.executable, str(ROOT / "manage.py"), *words]
        return subprocess.run(argv, env=self.env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=200)

    @property
    def bucket(self) -> Bucket:
        return Bucket(self.config)

    @property
    def store(self) -> BlobStore:
        return BlobStore(self.config)

    @contextmanager
    def asked(self) -> Iterator[str]:
        """An alias of its database, for Django."""
        connection = connections["default"].copy(RESTORED)
        connection.settings_dict["NAME"] = self.name
        connections[RESTORED] = connection
        try:
            yield RESTORED
        finally:
            connection.close()
            del connections[RESTORED]

    @property
    def name(self) -> str:
        url = self.env["MOTHERLODE_DATABASE_URL"]
        return urlsplit(url).path if url.startswith("sqlite") else urlsplit(url).path[1:]


def through(relay: Relay, config: StoreConfig) -> dict[str, str]:
    """The variables of a process that meets the store of `config` through the relay."""
    return replace(config, endpoint=f"127.0.0.1:{relay.port}").to_env()


@contextmanager
def empty_place(folder: Path, here: StoreConfig) -> Iterator[Place]:
    """One whose database and bucket are empty; on PostgreSQL the database has just been made."""
    folder.mkdir(mode=0o700)
    (folder / "static").mkdir()
    config = StoreConfig(here.endpoint, here.access_key, here.secret_key, bucket_name(), secure=here.secure)
    name = f"motherlode_{profile.RUN}_restored"
    parts = urlsplit(profile.SERVER)
    url = f"sqlite:///{folder / 'db.sqlite3'}"
    if profile.PROFILE == "production":
        url = urlunsplit(parts._replace(path=f"/{name}"))
        _on_server(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    env = environment() | config.to_env() | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MOTHERLODE_DATABASE_URL": url,
        "MOTHERLODE_VAR": str(folder),
        "MOTHERLODE_CACHE_DIR": str(folder / "cache"),
    }  # fmt: skip
    BlobStore(config).ensure_bucket()
    try:
        yield Place(folder, env, config)
    finally:
        remove_bucket(config)
        if profile.PROFILE == "production":
            _on_server(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _on_server(*statements: str) -> None:
    with psycopg.connect(f"{profile.SERVER}/postgres", autocommit=True) as server:
        for statement in statements:
            server.execute(statement.encode())


def files_below(folder: Path) -> list[Path]:
    """All objects of a backup."""
    return [Path(root, name) for root, _, names in os.walk(folder / "objects") for name in names]
