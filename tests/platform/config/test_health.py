"""GET /health/ready."""

import pytest
from django.test import Client
from minio import Minio

from blobs import presence
from blobs.services import keep_bytes
from blobs.store import BlobStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture
def patrol(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has not gone round yet, and looks at each call."""
    monkeypatch.setattr(presence, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr("config.health.patrol", presence.Patrol())


def test_ready_says_that_an_object_is_missing_until_it_is_back(
    client: Client, object_store: BlobStore, patrol: None
) -> None:
    refs = [keep_bytes(b"%d" % number, media_type="application/octet-stream").ref for number in range(20)]
    assert client.get("/health/ready").json()["object_store"] == "ok"
    config = object_store.config
    bucket = Minio(config.endpoint, config.access_key, config.secret_key, secure=False, region=config.region)
    bucket.remove_object(config.bucket, refs[13].key)
    told = [client.get("/health/ready") for _ in range(3)]
    assert told[-1].status_code == 503
    assert told[-1].json()["object_store"] == f"1 missing, the first: {refs[13].key}"
    object_store.put_bytes(b"13")
    assert client.get("/health/ready").status_code == 200
