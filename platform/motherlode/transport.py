"""HTTP to one platform: the token, retries while the platform restarts, and problem documents as exceptions.

A POST carries an `Idempotency-Key`, so that a retry after a broken connection does nothing twice.
"""

import math
import os
import random
import stat
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final
from urllib.parse import quote

import h11
import httpx

from motherlode.errors import MotherlodeError, UnreachableError

TIMEOUT = httpx.Timeout(120.0, connect=5.0)
PUT_CHUNK = 1 << 20
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
# A platform that was killed while it served a POST frees that POST's key after ten minutes.
UNDER_WAY_SECONDS = 660.0
QUOTA_SECONDS = 120.0  # twice the minute that a quota of requests covers
PROBLEM_FIELDS: Final = frozenset({"type", "title", "status", "detail", "code", "errors"})
TRY_AGAIN: Final = frozenset({429, 502, 503, 504})


def segment(name: object) -> str:
    """Escape a name as one segment of a path. Raises MotherlodeError if it is empty, has a slash or is not
    printable."""
    text = str(name)
    if not text or "/" in text or not text.isprintable():
        wrong = "it has a slash in it" if "/" in text else "it is not printable" if text else "it is empty"
        detail = f"{text!r} can't be asked for: {wrong}; give the name, or the number, of what is meant"
        raise MotherlodeError(status=0, code="invalid", detail=detail)
    return text.replace(".", "%2E") if text in {".", ".."} else quote(text, safe="")


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of a multipart form. A file object is read from its start at each attempt."""

    filename: str
    content: bytes | BinaryIO
    media_type: str = "application/octet-stream"


class Transport:
    """One connection pool, usable from several threads.

    `patience` is the number of seconds for which a call retries while nothing answers or the platform is unavailable
    (429, 502, 503, 504). `origin` says where the token came from, for the error when the platform doesn't know it.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        patience: float,
        sleep: Callable[[float], None] = time.sleep,
        origin: str = "the caller",
    ) -> None:
        self.url = url.rstrip("/")
        self._token_origin = origin
        self._patience = patience
        self._sleep = sleep
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        try:
            self._http = httpx.Client(base_url=self.url, headers=headers, timeout=TIMEOUT)
        except httpx.InvalidURL as error:
            raise UnreachableError(self.url, str(error)) from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON document at `path`. Query parameters that are None are left out; a list is sent as
        several."""
        _check_numbers(query)
        given = ((name, value) for name, value in query.items() if value is not None)
        params = {name: [*map(str, value)] if isinstance(value, list) else str(value) for name, value in given}
        # An empty `params` would strike out the query that is in the path already.
        return self._send("GET", path, params=params or None).json()

    def pages(self, path: str, **query: object) -> Iterator[Any]:
        """Yield every item of a list, page after page."""
        page = self.get(path, **query)
        while True:
            yield from page["results"]
            if not page.get("next"):
                return
            # Only the path: the token must not follow a link to another host.
            page = self.get(httpx.URL(page["next"]).raw_path.decode())

    def post(
        self, path: str, body: Mapping[str, object] | None = None, *, key: str | None = None, keyed: bool = True
    ) -> httpx.Response:
        """POST JSON. Entries of `body` that are None are left out; `key` is the Idempotency-Key, new by default;
        `keyed` False is for calls that are safe to repeat without one."""
        given = {name: value for name, value in (body or {}).items() if value is not None}
        return self._send("POST", path, headers=_keyed(key) if keyed else {}, json=given)

    def post_form(
        self,
        path: str,
        fields: Mapping[str, str | None],
        files: Mapping[str, Upload | Sequence[Upload]],
        *,
        key: str | None = None,
        keyed: bool = True,
    ) -> httpx.Response:
        """POST a multipart form, with one or many files under a name; `key` and `keyed` as for `post`."""
        given = {name: value for name, value in fields.items() if value is not None}
        for some in files.values():
            for file in [some] if isinstance(some, Upload) else some:
                _check_file(file)
        sent = [(name, file) for name, some in files.items() for file in ([some] if isinstance(some, Upload) else some)]
        parts = [(name, (file.filename, file.content, file.media_type)) for name, file in sent]

        def rewind() -> None:
            for _, file in sent:
                if not isinstance(file.content, bytes):
                    file.content.seek(0)

        headers = _keyed(key) if keyed else {}
        return self._send("POST", path, before=rewind, headers=headers, data=given, files=parts)

    def patch(self, path: str, body: Mapping[str, object]) -> Any:
        """PATCH JSON: sets the fields in the body, also to None. Idempotent."""
        return self._send("PATCH", path, json=dict(body)).json()

    def put(self, path: str, body: Mapping[str, object]) -> Any:
        """PUT JSON, replacing what is there."""
        return self._send("PUT", path, json=dict(body)).json()

    def put_bytes(self, path: str, data: bytes) -> Any:
        """PUT bytes, replacing what is there."""
        headers = {"Content-Type": "application/octet-stream"}
        return self._send("PUT", path, headers=headers, content=data).json()

    def delete(self, path: str) -> httpx.Response:
        """DELETE `path`. Raises MotherlodeError (404) if it doesn't exist."""
        return self._send("DELETE", path)

    def stream(
        self, path: str, *, body: Mapping[str, object] | None = None, params: Mapping[str, str] | None = None
    ) -> Iterator[bytes]:
        """Yield the bytes at `path`, piece by piece; with a `body`, of a POST. A connection that breaks midway raises
        UnreachableError and is not retried."""
        method, accept = "GET" if body is None else "POST", {"Accept": "*/*"}
        response = self._send(method, path, streamed=True, headers=accept, json=body, params=params or None)
        try:
            yield from response.iter_bytes()
        except httpx.TransportError as error:
            raise UnreachableError(self.url, str(error) or type(error).__name__) from error
        finally:
            response.close()

    def put_directly(self, url: str, content: BinaryIO, *, size: int) -> None:
        """PUT a file to an address outside the platform, without sending the token. Raises MotherlodeError."""
        chunks = iter(lambda: content.read(PUT_CHUNK), b"")
        try:
            with _unchanged_files():
                answer = httpx.put(url, content=chunks, headers={"Content-Length": str(size)}, timeout=TIMEOUT)
        except httpx.TransportError as error:
            place = f"{httpx.URL(url).scheme}://{httpx.URL(url).netloc.decode()}"  # the rest of it is a credential
            raise UnreachableError(place, str(error) or type(error).__name__) from error
        if answer.is_error:
            detail = f"the object store answered {answer.status_code} {answer.reason_phrase} to the direct upload"
            raise MotherlodeError(status=answer.status_code, code="direct_upload_failed", detail=detail)

    def _send(
        self,
        method: str,
        path: str,
        *,
        before: Callable[[], None] | None = None,
        streamed: bool = False,
        **request: Any,
    ) -> httpx.Response:
        _check_numbers(request.get("json"))
        started = time.monotonic()
        pause = FIRST_PAUSE
        while True:
            if before is not None:
                before()
            waited = time.monotonic() - started
            try:
                with _unchanged_files():
                    response = self._http.send(self._request(method, path, **request), stream=streamed)
                if response.is_error:
                    response.read()
            except httpx.TransportError as error:
                if waited > self._patience:
                    raise UnreachableError(self.url, str(error) or type(error).__name__) from error
            else:
                problem = _problem(response) if response.is_error else None
                if problem is None:
                    return response
                if problem.status == httpx.codes.UNAUTHORIZED:
                    raise self._unauthenticated(problem)
                if not self._is_worth_waiting(problem, waited):
                    raise problem
                pause = max(pause, _retry_after(response))
            self._sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, LONGEST_PAUSE)

    def _unauthenticated(self, problem: MotherlodeError) -> MotherlodeError:
        """Add the address and the token's origin to the problem: the token may belong to another platform."""
        detail = f"{problem.detail} The platform asked is {self.url}; the token is from {self._token_origin}."
        return MotherlodeError(
            status=problem.status, code=problem.code, detail=detail, errors=problem.errors, extra=problem.extra
        )

    def _request(self, method: str, path: str, **parts: Any) -> httpx.Request:
        """Build a request. Raises MotherlodeError (`invalid`) for a name or a text that no request can carry."""
        try:
            return self._http.build_request(method, path, **parts)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise MotherlodeError(status=0, code="invalid", detail=f"{path!a} can't be asked for: {error}") from error

    def _is_worth_waiting(self, problem: MotherlodeError, waited: float) -> bool:
        if problem.code == "idempotency_in_progress":
            return waited < UNDER_WAY_SECONDS
        if problem.code == "requests_quota":
            return waited < QUOTA_SECONDS
        if problem.code == "too_many_attempts":
            return False  # it lasts minutes, and the token is still wrong after them
        return problem.status in TRY_AGAIN and waited < self._patience


@contextmanager
def _unchanged_files() -> Iterator[None]:
    """Context that raises MotherlodeError when a file's length changes while it is sent."""
    try:
        yield
    except h11.LocalProtocolError as error:
        detail = "a file changed while it was sent: send it again when nothing writes to it"
        raise MotherlodeError(status=0, code="file_unusable", detail=detail) from error


def _check_file(file: Upload) -> None:
    """Raise MotherlodeError for a device or a pipe, because its length is unknown."""
    if isinstance(file.content, bytes):
        return
    with suppress(OSError):  # it is in memory
        if not stat.S_ISREG(os.fstat(file.content.fileno()).st_mode):
            detail = f"{file.filename} is not a regular file: save it as one, and send that"
            raise MotherlodeError(status=0, code="file_unusable", detail=detail)


def _check_numbers(given: object) -> None:
    """Raise MotherlodeError (`invalid`) naming a number that is nan or infinite, which JSON can't hold."""
    if name := next(_endless(given), None):
        raise MotherlodeError(status=0, code="invalid", detail=f"{name}: give a number, not nan or infinity")


def _endless(given: object, name: str = "") -> Iterator[str]:
    """Yield the names of the numbers in a body that are nan or infinite."""
    if isinstance(given, float) and not math.isfinite(given):
        yield name
    elif isinstance(given, Mapping):
        for field, one in given.items():
            yield from _endless(one, f"{name}.{field}" if name else str(field))
    elif isinstance(given, list):
        for one in given:
            yield from _endless(one, name)


def _keyed(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    return min(float(text), LONGEST_PAUSE) if text.isdecimal() else 0.0


def _problem(response: httpx.Response) -> MotherlodeError:
    """Read the problem document of an error response; build one if the response, such as a proxy's, has none."""
    if response.headers.get("Content-Type", "").partition(";")[0] in {"application/problem+json", "application/json"}:
        document = response.json()
        return MotherlodeError(
            status=response.status_code,
            code=document.get("code", "error"),
            detail=document.get("detail", response.reason_phrase),
            errors=document.get("errors"),
            extra={name: value for name, value in document.items() if name not in PROBLEM_FIELDS},
        )
    detail = f"{response.request.url} answered {response.status_code} {response.reason_phrase}"
    return MotherlodeError(status=response.status_code, code="error", detail=detail)
