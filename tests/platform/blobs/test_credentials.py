"""Keys of the object store: those of the settings, temporary ones, and those of a role; never half of them."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth  # type: ignore[import-untyped]
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]
from botocore.credentials import Credentials  # type: ignore[import-untyped]

from blobs import credentials
from blobs.digests import digests_of
from blobs.errors import StoreMisconfigured
from blobs.puts import PlainPuts, signed_put, signed_put_url
from blobs.refs import BlobRef
from blobs.settings import StoreConfig
from blobs.store import BlobStore

TOKEN = "a/session+token=="
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
CONFIG = StoreConfig("s3.example.org", "AKIA", "secret", "lode", session_token=TOKEN, region="eu-central-1")


class Role(HTTPServer):
    """The address at which a container asks for the keys of its role."""

    keys: dict[str, str]
    asked = 0


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked += 1  # type: ignore[attr-defined]
        body = json.dumps(self.server.keys).encode()  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Not in the tests' output."""


@pytest.fixture
def role(blob_store: BlobStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Role]:
    """A role whose keys the tests' S3 server knows, for an hour."""
    server = Role(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.keys = {
        "AccessKeyId": blob_store.config.access_key,
        "SecretAccessKey": blob_store.config.secret_key,
        "Token": "",
        "Expiration": f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}",
    }
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"http://127.0.0.1:{server.server_port}/role")
    credentials.role.cache_clear()
    yield server
    credentials.role.cache_clear()
    server.shutdown()
    server.server_close()


def without_keys(store: BlobStore) -> BlobStore:
    return BlobStore(replace(store.config, access_key="", secret_key=""))


def test_a_store_without_keys_in_its_settings_works_by_the_role(blob_store: BlobStore, role: Role) -> None:
    store = without_keys(blob_store)
    ref = store.put_bytes(b"by a role")
    assert store.get(ref) == blob_store.get(ref) == b"by a role"
    digests = digests_of(b"one of many")
    plain = BlobRef.alone(digests)
    assert [*PlainPuts(store.config, connections=1).put_all([(plain, b"one of many")])] == [plain]
    assert store.get(plain) == b"one of many"
    link = store.reading_link(ref.key, ref.offset, expires=timedelta(minutes=1))
    assert httpx.get(link).content == b"by a role"
    upload = store.presigned_put(size=6)
    assert httpx.put(upload.url, content=b"direct").status_code == 200
    assert role.asked == 1, "its keys are kept until they end"


def test_keys_that_end_soon_are_replaced_before_a_link_ends_with_them(blob_store: BlobStore, role: Role) -> None:
    role.keys["Expiration"] = f"{datetime.now(UTC) + credentials.MARGIN / 2:%Y-%m-%dT%H:%M:%SZ}"
    store = without_keys(blob_store)
    for asked in (1, 2):
        credentials.role().retrieve()
        assert role.asked == asked
    role.keys["Expiration"] = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    store.get(store.put_bytes(b"renewed"))
    assert role.asked == 3


def test_variables_of_aws_come_first(role: Role, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "too")
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    found = credentials.provider_of(replace(CONFIG, access_key="", secret_key="")).retrieve()
    assert (found.access_key, found.session_token, role.asked) == ("mine", TOKEN, 0)


def test_a_process_without_keys_and_without_a_role_says_so(
    blob_store: BlobStore, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    role.keys = {"Code": "AccessDenied"}
    with pytest.raises(StoreMisconfigured, match=r"set MOTHERLODE_S3_ACCESS_KEY .* or give this process a role"):
        without_keys(blob_store).put_bytes(b"nobody's")


@pytest.mark.parametrize("given", ["ACCESS_KEY", "SECRET_KEY", "SESSION_TOKEN"])
def test_half_of_the_keys_are_refused_by_name(given: str) -> None:
    env = {"MOTHERLODE_S3_ENDPOINT": "http://s3:1", "MOTHERLODE_S3_BUCKET": "lode"}
    assert StoreConfig.from_env(env).access_key == ""
    with pytest.raises(StoreMisconfigured, match=r"set MOTHERLODE_S3_(ACCESS|SECRET)_KEY"):
        StoreConfig.from_env(env | {f"MOTHERLODE_S3_{given}": "x"})
    both = {"MOTHERLODE_S3_ACCESS_KEY": "a", "MOTHERLODE_S3_SECRET_KEY": "s", "MOTHERLODE_S3_SESSION_TOKEN": "t"}
    made = StoreConfig.from_env(env | both)
    assert StoreConfig.from_env(made.to_env()) == made
    assert "session_token" not in repr(made)


@pytest.fixture
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """AWS' own library signs as of NOW."""
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: NOW.replace(tzinfo=None), raising=False)

    class Noon(datetime):
        @classmethod
        def utcnow(cls) -> Any:
            return NOW.replace(tzinfo=None)

        @classmethod
        def now(cls, tz: object = None) -> Any:  # noqa: ARG003 - its signature
            return NOW

    monkeypatch.setattr("botocore.auth.datetime", type("module", (), {"datetime": Noon}), raising=False)


def signature(text: str) -> str:
    (found,) = re.findall(r"Signature=([0-9a-f]{64})", text)
    return str(found)


def test_what_we_sign_by_hand_is_what_aws_own_library_signs(at_noon: None) -> None:
    keys = Credentials("AKIA", "secret", TOKEN)
    sha256 = digests_of(b"bytes").sha256
    headers = signed_put(CONFIG, "/lode/blobs/1", sha256, now=NOW.timestamp())
    told = {name: value for name, value in headers.items() if name in {"x-amz-content-sha256", "x-amz-meta-sha256"}}
    request = AWSRequest("PUT", "https://s3.example.org/lode/blobs/1", headers=told, data=b"bytes")
    S3SigV4Auth(keys, "s3", "eu-central-1").add_auth(request)
    assert headers["x-amz-security-token"] == TOKEN
    assert signature(headers["Authorization"]) == signature(request.headers["Authorization"])
    url = signed_put_url(CONFIG, "/lode/uploads/1", size=6, expires=timedelta(seconds=60), now=NOW.timestamp())
    request = AWSRequest("PUT", "https://s3.example.org/lode/uploads/1", headers={"content-length": "6"})
    S3SigV4QueryAuth(keys, "s3", "eu-central-1", expires=60).add_auth(request)
    ours, theirs = (parse_qs(urlsplit(one).query) for one in (url, request.url))
    assert ours["X-Amz-Security-Token"] == [TOKEN]
    assert ours == theirs
