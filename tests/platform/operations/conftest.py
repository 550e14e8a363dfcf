"""A dataset with two versions, and an empty place to restore into."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.collecting import packed
from tests.platform.operations.places import Place, empty_place
from tests.relay import Relay

from accounts.models import User
from blobs.services import keep_bytes
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from embedded.ports import free_ports


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """The commands set one for their process, which is that of the tests here."""
    usual = os.umask(0o077)
    os.umask(usual)
    yield
    os.umask(usual)


@pytest.fixture
def place(bucket: BlobStore, tmp_path: Path) -> Iterator[Place]:
    with empty_place(tmp_path / "restored", bucket.config) as made:
        yield made


@pytest.fixture
def relay(bucket: BlobStore) -> Iterator[Relay]:
    """Before the store of the tests."""
    host, _, port = bucket.config.endpoint.rpartition(":")
    made = Relay(free_ports(1)[0], (host, int(port)))
    made.start()
    yield made
    made.thaw()
    made.stop()


@pytest.fixture
def dataset(alice: User) -> Dataset:
    """Without samples yet."""
    return create_dataset("frames", task="classification", classes=["cat", "dog"], description="", author=alice)


@pytest.fixture
def filled(bucket: BlobStore, dataset: Dataset) -> Dataset:
    """Version 1: eight samples of a pack and one alone; version 2: half of the labels are others."""
    blobs = packed([f"{number:02d}".encode() * 500 for number in range(8)])
    blobs.append(keep_bytes(b"alone" * 300_000, media_type="image/png"))
    first = [SampleChange(f"{n}.png", blob=blob, label={"class": "cat"}) for n, blob in enumerate(blobs)]
    commit(dataset, ChangeSet(first), author=dataset.created_by)
    second = [SampleChange(f"{n}.png", label={"class": "dog"}) for n in range(4)]
    commit(dataset, ChangeSet(second), author=dataset.created_by)
    dataset.refresh_from_db()
    return dataset
