"""A role that may do only what docs/howto/kubernetes.md names has enough for the platform, and nothing elsewhere.

SeaweedFS knows fewer rights than AWS: each action of the page stands for the right of its own that covers it.
"""

import io
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from minio import Minio
from tests.s3_server import running

from blobs.bucket import SINGLE_PUT_BYTES
from blobs.errors import StoreMisconfigured
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from embedded import seaweed

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "kubernetes.md"
RIGHTS = {
    "s3:ListBucket": "List", "s3:GetObject": "Read", "s3:PutObject": "Write", "s3:DeleteObject": "Write",
    "s3:AbortMultipartUpload": "Write",
}  # fmt: skip
BUCKETS = ("motherlode", "another")


def policy() -> dict[str, Any]:
    """The one of the page."""
    (found,) = re.findall(r"```json\n(\{\"Version\".*?)```", PAGE.read_text(), re.DOTALL)
    made: dict[str, Any] = json.loads(found)
    return made


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreConfig]:
    """A store of the platform's bucket by keys that may do just that; the bucket is there, as is another one."""
    rights = {RIGHTS[action] for statement in policy()["Statement"] for action in statement["Action"]}
    (bucket,) = {statement["Resource"].rpartition(":")[2].partition("/")[0] for statement in policy()["Statement"]}
    keys = {"accessKey": "limited", "secretKey": secrets.token_hex(16)}
    owners = seaweed._identities

    def identities(config: seaweed.SeaweedConfig) -> str:
        document = json.loads(owners(config))
        actions = [f"{right}:{bucket}" for right in sorted(rights)]
        document["identities"].append({"name": "limited", "credentials": [keys], "actions": actions})
        return json.dumps(document)

    monkeypatch.setattr(seaweed, "_identities", identities)
    config = seaweed.SeaweedConfig.on_free_ports(tmp_path / "s3", access_key="owner", secret_key=secrets.token_hex(16))
    with running(config, log=tmp_path / "s3.log"):
        address = f"127.0.0.1:{config.s3_port}"
        owner = Minio(address, config.access_key, config.secret_key, secure=False)
        for name in BUCKETS:
            owner.make_bucket(name)
        yield StoreConfig(address, keys["accessKey"], keys["secretKey"], bucket, secure=False, attempts=1)


def test_the_least_rights_are_enough_and_no_more(limited: StoreConfig) -> None:
    store = BlobStore(limited)
    store.ensure_bucket()  # it may set no rules, and goes on without
    ref = store.put_bytes(b"one")
    long = store.put(io.BytesIO(bytes(SINGLE_PUT_BYTES + 1)))  # in parts
    assert store.get(ref) == b"one"
    assert sum(len(chunk) for chunk in store.open(long)) == SINGLE_PUT_BYTES + 1
    assert httpx.get(store.reading_link(ref.key, ref.offset, expires=timedelta(minutes=1))).content == b"one"
    upload = store.presigned_put(size=6)
    assert httpx.put(upload.url, content=b"direct").status_code == 200
    assert store.get(store.adopt(upload.upload_id, max_bytes=6)) == b"direct"
    store.remove_object(ref.key)
    assert not store.exists(ref)
    with pytest.raises(StoreMisconfigured, match="AccessDenied"):
        BlobStore(replace(limited, bucket="another")).put_bytes(b"elsewhere")
