"""Many small objects, each its own PUT, with as little work per object as a signed request allows.

For a small object the SDK spends several times as long as the network. Here a request is signed by hand (AWS Signature
Version 4) and sent over a connection that stays open; each thread has its own.
"""

import hashlib
import hmac
import http.client
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import quote, urlencode

from minio.credentials.credentials import Credentials

from blobs.bucket import SINGLE_PUT_BYTES, observed
from blobs.credentials import provider_of
from blobs.errors import StoreFailed, StoreMisconfigured, StoreSilent
from blobs.keys import blob_key, checked
from blobs.refs import BlobRef
from blobs.settings import StoreConfig, split_endpoint

_HELD_PER_CONNECTION = 4


class PlainPuts:
    """Puts blobs under their own keys, and overwrites what is there. Threads may share it."""

    def __init__(self, config: StoreConfig, *, connections: int) -> None:
        self.config = config
        self.connections = connections
        self._mine = threading.local()

    def put_all(self, blobs: Iterable[tuple[BlobRef, bytes]]) -> Iterator[BlobRef]:
        """Put each blob (of at most 64 MiB) as an object of its own; yield its ref once it is stored, in order.

        The bytes held are bounded by the number of connections. Raises StoreUnavailable, StoreMisconfigured.
        """
        waiting: deque[tuple[BlobRef, Future[None]]] = deque()
        with ThreadPoolExecutor(self.connections, thread_name_prefix="puts") as pool:
            try:
                for ref, data in blobs:
                    waiting.append((ref, pool.submit(self._put, ref, data)))
                    if len(waiting) > self.connections * _HELD_PER_CONNECTION:
                        yield _done(*waiting.popleft())
                while waiting:
                    yield _done(*waiting.popleft())
            finally:
                for _, future in waiting:
                    future.cancel()

    def _put(self, ref: BlobRef, data: bytes) -> None:
        key = checked(blob_key(ref.md5))
        if len(data) > SINGLE_PUT_BYTES:
            raise ValueError("larger blobs are stored alone already")
        status = 0
        for attempt in range(self.config.attempts):
            if attempt:
                time.sleep(self.config.backoff * 2**attempt)
            try:
                with observed():
                    status = self._send(key, data, ref.sha256)
            except (OSError, http.client.HTTPException):
                self._mine.connection = None  # it may be in the middle of an answer
                continue
            if status < 300:
                return
            if status < 500:
                raise StoreMisconfigured(f"the object store answered {status}: check its address, keys and bucket")
        if not status:
            raise StoreSilent(f"the object store does not answer ({key}); try again later")
        raise StoreFailed(f"the object store failed on {key} ({status}); try again later")

    def _send(self, key: str, data: bytes, sha256: str) -> int:
        connection = getattr(self._mine, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self.config.secure else http.client.HTTPConnection
            connection = self._mine.connection = kind(self.config.endpoint, timeout=self.config.read_timeout)
        path = f"/{self.config.bucket}/{key}"
        connection.request("PUT", path, body=data, headers=signed_put(self.config, path, sha256, now=time.time()))
        answer = connection.getresponse()
        answer.read()
        return int(answer.status)


def signed_put(config: StoreConfig, path: str, sha256: str, *, now: float) -> dict[str, str]:
    """Return the signed headers of one PUT. `path` must need no escapes; `now` is in seconds."""
    keys = provider_of(config).retrieve()
    stamp, scope = _moment(config, now)
    headers = {
        "host": config.endpoint,
        "x-amz-content-sha256": sha256,
        "x-amz-date": stamp,
        "x-amz-meta-sha256": sha256,
    }
    if keys.session_token:
        headers["x-amz-security-token"] = keys.session_token
    names = ";".join(headers)
    told = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = f"PUT\n{path}\n\n{told}\n{names}\n{sha256}"
    signature = _signature(keys, request, stamp=stamp, scope=scope)
    credential = f"{keys.access_key}/{scope}"
    del headers["host"]  # the connection sends it
    return headers | {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}"
    }


def signed_put_url(config: StoreConfig, path: str, *, size: int, expires: timedelta, now: float) -> str:
    """Return a URL that takes one PUT of exactly `size` bytes, at the endpoint that people's clients use: the length is
    signed. It ends with the keys that signed it, if these are temporary."""
    keys = provider_of(config).retrieve()
    stamp, scope = _moment(config, now)
    host, secure = split_endpoint(config.url)
    told = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": f"{keys.access_key}/{scope}",
        "X-Amz-Date": stamp,
        "X-Amz-Expires": str(int(expires.total_seconds())),
        **({"X-Amz-Security-Token": keys.session_token} if keys.session_token else {}),
        "X-Amz-SignedHeaders": "content-length;host",
    }
    query = urlencode(told, quote_via=quote, safe="")
    headers = f"content-length:{size}\nhost:{host}\n"
    request = f"PUT\n{path}\n{query}\n{headers}\ncontent-length;host\nUNSIGNED-PAYLOAD"
    signature = _signature(keys, request, stamp=stamp, scope=scope)
    return f"{'https' if secure else 'http'}://{host}{path}?{query}&X-Amz-Signature={signature}"


def _moment(config: StoreConfig, now: float) -> tuple[str, str]:
    """The time and the scope of a signature."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    return stamp, f"{stamp[:8]}/{config.region}/s3/aws4_request"


def _signature(keys: Credentials, request: str, *, stamp: str, scope: str) -> str:
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{keys.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _done(ref: BlobRef, future: Future[None]) -> BlobRef:
    future.result()
    return ref
