"""Collections: a bucket of their own, rows that refer to blobs, no time of grace, and kills at any step."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.transaction import Atomic
from minio import Minio
from tests.s3_server import bucket_name, remove_bucket

from blobs.bucket import Bucket
from blobs.models import Blob, StoredObject
from blobs.packs import PackWriter
from blobs.services import rows_for, store
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Version
from catalog.versions.commit import commit
from garbage_collection.services import collect
from jobs.models import Job

NOW = timedelta()


class Counted(Counter[str]):
    """The work of a collection that nobody stops."""

    def check(self) -> None:
        """Go on."""

    def done(self, rows: int) -> None:
        """Nobody looks."""

    def count(self, **amounts: int) -> None:
        self.update(amounts)


class Killed(BaseException):
    """The process ends here, as if by kill -9: nothing that is not in the database or the bucket survives."""


class Fuse:
    """Kills at the n-th moment before or after something that leaves a trace outside the process: a commit, or a
    request that changes the bucket."""

    def __init__(self, step: int) -> None:
        self.left = step
        self.fired = False

    def around(self, change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*args: Any, **kwargs: Any) -> Any:
            self._burn()
            result = change(*args, **kwargs)
            self._burn()
            return result

        return changed

    def leaving(self, leave: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a transaction: one that dies before its commit is rolled back by the database."""

        def left(block: Atomic, kind: Any, error: Any, trace: Any) -> Any:
            if kind is not None or threading.current_thread() is not threading.main_thread():
                return leave(block, kind, error, trace)
            try:
                self._burn()
            except Killed as killed:
                leave(block, Killed, killed, None)
                raise
            leave(block, None, None, None)
            return self._burn()

        return left

    def _burn(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.fired = True
            raise Killed


@contextmanager
def killing_at(step: int, patch: pytest.MonkeyPatch) -> Iterator[Fuse]:
    """Dead at that step."""
    fuse = Fuse(step)
    patch.setattr(Bucket, "write", fuse.around(Bucket.write))
    patch.setattr(Bucket, "remove", fuse.around(Bucket.remove))
    patch.setattr(Atomic, "__exit__", fuse.leaving(Atomic.__exit__))
    yield fuse


@pytest.fixture
def bucket(s3_server: StoreConfig, monkeypatch: pytest.MonkeyPatch) -> Iterator[BlobStore]:
    """`blobs.services.store()` on a bucket of this test alone."""
    for name, value in replace(s3_server, bucket=bucket_name()).to_env().items():
        monkeypatch.setenv(name, value)
    store.cache_clear()
    store().ensure_bucket()
    yield store()
    remove_bucket(store().config)
    store.cache_clear()


@pytest.fixture
def keys_in(bucket: BlobStore) -> Callable[[], set[str]]:
    """What lies in the bucket. A test may list it; the platform never does."""
    config = bucket.config
    client = Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)
    return lambda: {item.object_name or "" for item in client.list_objects(config.bucket, recursive=True)}


def in_ledger() -> set[str]:
    """What the ledger believes to lie in the bucket."""
    return set(StoredObject.objects.exclude(state=StoredObject.State.GONE).values_list("key", flat=True))


def packed(items: list[bytes]) -> list[Blob]:
    """Rows of blobs in packs."""
    with PackWriter(store()) as writer:
        for item in items:
            writer.add(item)
        refs = writer.close()
    rows = rows_for((ref, {"width": 64, "height": 48}) for ref in refs)
    return [rows[ref.md5] for ref in refs]


def put_in(dataset: Dataset, blobs: dict[str, Blob], *, remove: tuple[str, ...] = ()) -> Version:
    """Commit blobs under keys."""
    changes = ChangeSet([SampleChange(key, blob=blob) for key, blob in blobs.items()], remove=remove)
    version = commit(dataset, changes, author=dataset.created_by).version
    assert version is not None
    return version


def collected(grace: timedelta = NOW) -> Counted:
    """One collection, and what it counted, with no job under way that commits have queued: an emptied pack would wait
    for it."""
    Job.objects.filter(kind="publish").update(state=Job.State.SUCCEEDED)
    work = Counted()
    collect(grace, work)
    return work
