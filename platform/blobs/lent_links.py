"""How a program reads blobs without the store's keys: it asks the process that started it for links, over a socket that
only these two share.

A link reads one object until it expires, and can do nothing else. Each question is a line, `[object key, offset]`, each
answer a line: `{"url": ..}` or `{"code": .., "message": ..}`. Blobs at a source are requested by their line in the
table of links, so that the source's keys stay with the platform too.
"""

import os
import re
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from typing import Any

import orjson

from blobs.bucket import BeyondTheEndError, Bucket, pool_for
from blobs.cache import BlobCache
from blobs.errors import BlobError, BlobMissing, StoreFailed, StoreMisconfigured, StoreSilent
from blobs.reading import OnError, Reader
from blobs.refs import BlobRef
from blobs.settings import StoreConfig, patience_of
from blobs.shuffling import MEMORY_BYTES
from blobs.store import BlobStore

VARIABLE = "MOTHERLODE_STORE_FD"
"""The environment variable with the file descriptor of the program's end of the socket."""
LINK_TIME = timedelta(hours=1)
LINKS_KEPT = 10_000
SHARED = "MOTHERLODE_STORE_SOCKET"
"""The environment variable with the path of the socket at which a program's processes ask for links (`shared`)."""
_SAID_BYTES = 4096
_CODE = re.compile(rb"<Code>(\w{1,60})</Code>")
"""The error code in an S3 error."""
_CODES = {kind.code: kind for kind in (BlobMissing, StoreFailed, StoreMisconfigured, StoreSilent)}


class Lender:
    """The platform's end of the socket: signs a link for each question until the program ends."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._ours, self.theirs = socket.socketpair()
        threading.Thread(target=self._answer_all, name="lender", daemon=True).start()

    def close(self) -> None:
        """Close the socket, as the program has ended."""
        self.started()
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)

    def started(self) -> None:
        """Close our copy of the program's end, as the program now has its own."""
        self.theirs.close()

    def _answer_all(self) -> None:
        with self._ours, self._ours.makefile("rwb") as stream, suppress(OSError):
            for line in stream:
                stream.write(orjson.dumps(self._answer(line)) + b"\n")
                stream.flush()

    def _answer(self, line: bytes) -> dict[str, str]:
        try:
            key, offset = orjson.loads(line)
            return {"url": self._store.reading_link(key, offset, expires=LINK_TIME)}
        except BlobError as error:
            return {"code": error.code, "message": error.message}
        except (ValueError, TypeError) as error:
            return {"code": StoreMisconfigured.code, "message": f"a question for a link is malformed: {error}"}


class Borrower:
    """The program's end of the socket. Threads may share it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._guard = threading.Lock()
        self._links: dict[str, str] = {}

    def link(self, key: str, *, fresh: bool) -> str:
        """Return a link to read `key`; with `fresh`, a new one, as the last has expired. Raises like the store."""
        with self._guard:
            if fresh or key not in self._links:
                if len(self._links) >= LINKS_KEPT:
                    self._links.clear()
                self._links[key] = self._asked(key)
            return self._links[key]

    def _asked(self, key: str) -> str:
        name, _, offset = key.partition("#")
        self._stream.write(orjson.dumps([name, int(offset or 0)]) + b"\n")
        self._stream.flush()
        answer: dict[str, str] = orjson.loads(self._stream.readline() or b'{"message": "the worker has gone"}')
        if "url" not in answer:
            raise _CODES.get(answer.get("code", ""), StoreSilent)(answer["message"])
        return answer["url"]


@contextmanager
def shared() -> Iterator[dict[str, str]]:
    """Share this process's links with the processes that it starts: yields the environment in which each of them can
    ask for links (`join`). Empty if this process has no lender."""
    if VARIABLE not in os.environ:
        yield {}
        return
    lent, guard = socket.socket(fileno=int(os.environ[VARIABLE])).makefile("rwb"), threading.Lock()

    def hand_on(asked: socket.socket) -> None:
        with asked, asked.makefile("rwb") as stream, suppress(OSError):
            for line in stream:
                with guard:
                    lent.write(line)
                    lent.flush()
                    answer = lent.readline()
                stream.write(answer)
                stream.flush()

    def meet() -> None:
        with suppress(OSError):  # closed below
            while True:
                threading.Thread(target=hand_on, args=(place.accept()[0],), daemon=True).start()

    with tempfile.TemporaryDirectory(prefix="motherlode-links-") as folder, socket.socket(socket.AF_UNIX) as place:
        place.bind(f"{folder}/socket")
        place.listen()
        threading.Thread(target=meet, name="lender", daemon=True).start()
        yield {SHARED: f"{folder}/socket"}


def join() -> None:
    """Take links from the socket that `shared` set up, if there is one."""
    if path := os.environ.get(SHARED):
        mine = socket.socket(socket.AF_UNIX)
        mine.connect(path)
        os.environ[VARIABLE] = str(mine.detach())


class LentBucket(Bucket):
    """A bucket that reads by links; the platform does everything else."""

    def __init__(self, borrower: Borrower) -> None:
        super().__init__(StoreConfig("", "", "", "", **patience_of()))  # links say where
        self._borrower, self._pool = borrower, pool_for(self.config)

    @staticmethod
    def checked(key: str) -> str:
        """Return the key unchanged: the lender checks it."""
        return key

    def find(self, ref: BlobRef) -> tuple["LentBucket", str]:
        """Return the bucket and key to read a linked blob by, as `blobs.links.Links` does, but without its location."""
        return self, f"{ref.key}#{ref.offset}"

    def _answer(self, key: str, span: tuple[int, int]) -> Any:
        offset, length = span
        headers = {"Range": f"bytes={offset}-{offset + length - 1}"} if length else {}
        for fresh in (False, True):
            url = self._borrower.link(key, fresh=fresh)
            response = self._pool.request("GET", url, headers=headers, preload_content=False, redirect=False)
            if response.status in {200, 206}:
                return response
            fault = _fault(key, response.status, response.read(_SAID_BYTES))
            response.close()
            if response.status != 403:  # only a refused link may have expired
                break
        raise fault


class LentStore:
    """The reading methods of `BlobStore`, for a program."""

    def __init__(self, borrower: Borrower, cache: BlobCache | None) -> None:
        bucket = LentBucket(borrower)
        self._reader = Reader(bucket, cache, bucket)

    def get_many(
        self, refs: Sequence[BlobRef], *, threads: int = 4, on_error: OnError | None = None
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """See `BlobStore.get_many`."""
        return self._reader.many(refs, threads=threads, on_error=on_error)

    def shuffled(
        self, refs: Sequence[BlobRef], *, seed: int, threads: int = 4, skip: int = 0
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """See `BlobStore.shuffled`."""
        return self._reader.shuffled(refs, seed=seed, memory=MEMORY_BYTES, threads=threads, skip=skip, on_error=None)


@cache
def lent_store() -> LentStore:
    """Return the store lent by the process that started this one, with this machine's cache in front."""
    end = socket.socket(fileno=int(os.environ[VARIABLE]))
    return LentStore(Borrower(end.makefile("rwb")), BlobCache.from_env())


def _fault(key: str, status: int, said: bytes) -> Exception:
    if status == 404 and b"NoSuchBucket" not in said:
        return BlobMissing(f"the object {key} is not in the store")
    if status == 416:
        return BeyondTheEndError()
    if status in {403, 404}:
        named = _CODE.search(said)
        reason = named.group(1).decode(errors="replace") if named else f"HTTP {status}"
        return StoreMisconfigured(
            f"the object store refuses our links ({reason}): check its address, keys, bucket and clock"
        )
    return StoreFailed(f"the object store failed on {key} (HTTP {status}); try again later")
