"""A real S3 server for tests: the embedded one, or another that MOTHERLODE_TEST_S3_ENDPOINT names (a URL, with
MOTHERLODE_TEST_S3_ACCESS_KEY and MOTHERLODE_TEST_S3_SECRET_KEY beside it)."""

import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from minio import Minio

from blobs.settings import StoreConfig, split_endpoint
from blobs.store import BlobStore
from embedded import seaweed
from embedded.ports import HOST

STOP_SECONDS = 15


def bucket_name() -> str:
    return f"test-{secrets.token_hex(6)}"


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreConfig]:
    """The configuration of a running server; its bucket is not made yet, and each test takes its own."""
    if url := os.environ.get("MOTHERLODE_TEST_S3_ENDPOINT"):
        endpoint, secure = split_endpoint(url, setting="MOTHERLODE_TEST_S3_ENDPOINT")
        access = os.environ["MOTHERLODE_TEST_S3_ACCESS_KEY"]
        secret = os.environ["MOTHERLODE_TEST_S3_SECRET_KEY"]
        yield StoreConfig(endpoint, access, secret, bucket_name(), secure=secure)
        return
    folder = tmp_path_factory.mktemp("s3")
    config = seaweed.SeaweedConfig.on_free_ports(folder / "data", access_key="tester", secret_key=secrets.token_hex(16))
    with running(config, log=folder / "s3.log") as server:
        yield StoreConfig(f"{HOST}:{config.s3_port}", config.access_key, config.secret_key, bucket_name(), secure=False)
        server.kill()  # nobody asks for its files again, and to leave in peace takes it seconds


@pytest.fixture
def blob_store(s3_server: StoreConfig) -> Iterator[BlobStore]:
    """A store over a fresh, empty bucket, without a cache."""
    store = BlobStore(replace(s3_server, bucket=bucket_name()))
    store.ensure_bucket()
    yield store
    remove_bucket(store.config)


def remove_bucket(config: StoreConfig) -> None:
    """With all that is in it: the embedded server sets room aside for each bucket, and would run out of it."""
    client = Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)
    for found in client.list_objects(config.bucket, recursive=True):
        client.remove_object(config.bucket, found.object_name or "")
    client.remove_bucket(config.bucket)


class running:  # noqa: N801 - reads as a statement: with running(config, log=...)
    """One embedded server for the length of a `with` block."""

    def __init__(self, config: seaweed.SeaweedConfig, *, log: Path) -> None:
        self.config = config
        self.log = log

    def __enter__(self) -> subprocess.Popen[bytes]:
        argv, env, cwd = seaweed.command(self.config)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(argv, env=env, cwd=cwd, stdout=log, stderr=subprocess.STDOUT)
        try:
            seaweed.wait_ready(self.config)
        except BaseException:
            self.__exit__()
            raise
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
