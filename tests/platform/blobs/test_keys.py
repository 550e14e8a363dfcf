"""No string of a client's reaches an object key or a path (digests, ids and refs are the only ways in)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from minio import Minio
from tests.laws import examples

from blobs.digests import digests_of, hash_stream, parse_md5, parse_sha256
from blobs.errors import BlobRefused, StoreMisconfigured
from blobs.keys import KEY_PATTERN, blob_key, checked, new_upload_id, pack_key, upload_key
from blobs.refs import BlobRef
from blobs.settings import StoreConfig
from blobs.store import BlobStore

PIECES = ["..", "/", "%2e", "%252f", "\\", "\0", "․", "‥", "\n", "a", "0"]
HOSTILE = some.one_of(
    some.text(max_size=70),
    some.lists(some.sampled_from(PIECES), max_size=40).map("".join),
    some.text("0123456789abcdefABCDEF", min_size=31, max_size=65),
)


@given(HOSTILE)
@example("0" * 32 + "\n")
@example("٠" * 32)
@example("../" * 10 + "aa")
def test_a_key_has_one_of_three_shapes_or_is_refused(text: str) -> None:
    for make in (blob_key, pack_key, upload_key, checked):
        try:
            key = make(text)
        except BlobRefused:
            continue
        assert KEY_PATTERN.fullmatch(key)
        assert ".." not in key


@settings(max_examples=examples(60))
@given(HOSTILE, HOSTILE, HOSTILE)
def test_hostile_strings_leave_neither_objects_nor_files(
    blob_store: BlobStore, tmp_path: Path, md5: str, sha256: str, key: str
) -> None:
    for use in (
        lambda: blob_store.get(BlobRef(md5, sha256, 1, key)),
        lambda: blob_store.remove_object(key),
        lambda: blob_store.get(BlobRef("0" * 32, "0" * 64, 1, key)),
        lambda: blob_store.adopt(md5, max_bytes=1),
    ):
        with pytest.raises(BlobRefused):
            use()
    config = blob_store.config
    raw = Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)
    assert not list(raw.list_objects(config.bucket, recursive=True))
    assert not list(tmp_path.rglob("*"))


def test_a_ref_names_its_own_object_only() -> None:
    digests = digests_of(b"x")
    ref = BlobRef(digests.md5, digests.sha256, 1, blob_key(digests.md5))
    other = blob_key(digests_of(b"y").md5)
    faults: list[dict[str, Any]] = [{"key": other}, {"offset": 1}, {"offset": -1}, {"size": -1}]
    for wrong in (*faults, {"key": f"tmp/{new_upload_id()}"}):
        with pytest.raises(BlobRefused):
            replace(ref, **wrong)


def test_digests_agree_however_they_are_computed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"z" * 3_000_000)
    with path.open("rb") as file:
        digests = hash_stream(file)
    assert digests == digests_of(path.read_bytes())
    assert (parse_md5(digests.md5), parse_sha256(digests.sha256)) == (digests.md5, digests.sha256)


ENV = {
    "MOTHERLODE_S3_ENDPOINT": "https://s3.example:9000",
    "MOTHERLODE_S3_ACCESS_KEY": "ak",
    "MOTHERLODE_S3_SECRET_KEY": "sk",
    "MOTHERLODE_S3_BUCKET": "motherlode",
}


def test_the_store_is_named_by_the_environment() -> None:
    config = StoreConfig.from_env(ENV)
    assert (config.endpoint, config.secure, config.bucket) == ("s3.example:9000", True, "motherlode")
    assert StoreConfig.from_env(config.to_env()) == config


@pytest.mark.parametrize("name", ENV)
def test_a_missing_setting_is_named(name: str) -> None:
    with pytest.raises(StoreMisconfigured, match=name):
        StoreConfig.from_env({**ENV, name: ""})


@pytest.mark.parametrize(
    "endpoint", ["127.0.0.1:8333", "ftp://x", "http://", "http://h/bucket", "http://u:p@h", "http://h?x"]
)
def test_an_endpoint_is_a_plain_url(endpoint: str) -> None:
    with pytest.raises(StoreMisconfigured, match="MOTHERLODE_S3_ENDPOINT"):
        StoreConfig.from_env({**ENV, "MOTHERLODE_S3_ENDPOINT": endpoint})
