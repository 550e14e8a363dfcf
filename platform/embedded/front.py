"""The front of the web server: it waits for whole requests, so that a slow client holds a connection and no thread.

    python -m embedded.front --port 8000 --socket var/web.sock --streams 4 --requests 12

Heads and bodies have deadlines. A body that fits into memory is passed on once it is here; of those that don't, only
`--streams` are passed on at a time, as they come, and the others wait. The server works on `--requests` at a time, of
which static files, thumbnails and stored bytes take a quarter each at most; health checks and metrics have places of
their own, so that a server whose threads are all busy says so. The file `--waiting` says how many requests wait.
Responses are passed back unchanged: each client has its own connection to the server, so one client's bytes can't be
taken for another's.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import resource
import time
from collections.abc import AsyncIterator, Awaitable
from http import HTTPStatus
from pathlib import Path

from embedded.answers import AnswerEnd
from embedded.ports import HOST

HEAD_BYTES = 64 << 10
SMALL_BYTES = 64 << 10  # a body that is always kept in memory
WHOLE_BYTES = 1 << 20  # a body kept in memory as long as all bodies together take less than KEPT_BYTES
KEPT_BYTES = 128 << 20
PIECE_BYTES = 256 << 10
HEAD_SECONDS = 10.0
IDLE_SECONDS = 75.0
BODY_SECONDS = 10.0
BODY_RATE = 8 << 10  # bytes per second: the slowest rate of a body after its first BODY_SECONDS
ANSWER_BYTES = 2 << 20  # unread by a client in one response; the server waits with the rest
ANSWERS_BYTES = 256 << 20  # unread by all clients; beyond it clients are cut off, the oldest connections first
ANSWER_SECONDS = 30.0
LINGER_SECONDS = 5.0
MOST_CLIENTS = 4096
LIVE, LIVE_PLACES = (b"/health/live", b"/health/ready", b"/metrics"), 2  # never wait behind other requests
SHARING = (b"/static/", b"/thumbs/", b"/blobs")  # each takes at most a quarter of the places, so that others find one
WATCH_SECONDS = 0.2
REPEATABLE = (b"GET ", b"HEAD ")  # a repeated one changes nothing (RFC 9110, 9.2.2)
NO_SERVER = "The web server is starting: try again in a moment."
_FRAMING = (b"content-length", b"transfer-encoding")
_EXPECT = re.compile(rb"\r\nexpect:[^\r]*", re.IGNORECASE)
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n")


class RefusedError(Exception):
    """The request can't be passed on; the client gets the reason as a problem document, and its connection is
    closed."""

    def __init__(self, status: HTTPStatus, detail: str, *, code: str) -> None:
        super().__init__(detail)
        self.status, self.code = status, code

    def answer(self) -> bytes:
        document = {
            "type": f"urn:motherlode:problem:{self.code}",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": str(self),
            "code": self.code,
        }
        body = json.dumps(document).encode()
        again = "Retry-After: 2\r\n" if self.status == HTTPStatus.SERVICE_UNAVAILABLE else ""
        head = f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\nContent-Type: application/problem+json\r\n{again}"
        return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def body_length(head: bytes) -> int | None:
    """Return the number of body bytes after a request's head; None for a chunked body. Raises RefusedError for a head
    that servers interpret differently."""
    if head.count(b"\n") != head.count(b"\r\n") or head.count(b"\r") != head.count(b"\r\n"):
        raise _malformed("a line ends without CR LF")
    lines = head[:-4].split(b"\r\n")[1:]
    if any(line[:1] in {b" ", b"\t"} for line in lines):
        raise _malformed("a header goes over several lines")
    stated = [line for line in lines if line.lower().startswith(_FRAMING)]
    if not stated:
        return 0
    name, _, value = stated[0].partition(b":")
    name, value = name.lower(), value.strip(b" \t").lower()
    if len(stated) > 1 or name not in _FRAMING:
        raise _malformed("the length of the body is stated twice, or not plainly")
    if name == b"transfer-encoding" and value == b"chunked":
        return None
    if name == b"content-length" and value.isdigit() and len(value) <= 15:
        return int(value)
    raise _malformed("Content-Length must be a number of bytes, and Transfer-Encoding `chunked`")


class Front:
    """State and limits that all clients share."""

    def __init__(
        self, socket: str, *, streams: int, requests: int, most_clients: int, waiting: Path | None = None
    ) -> None:
        self.socket, self.most_clients = socket, most_clients
        self.placeless, self._told, self._told_in = 0, -1, waiting  # requests that wait for a place
        self.streams = asyncio.Semaphore(streams)
        self._live, self.requests = asyncio.Semaphore(LIVE_PLACES), asyncio.Semaphore(requests)
        self._shares = {begin: asyncio.Semaphore(max(1, requests // 4)) for begin in SHARING}
        self.kept = 0  # bytes of bodies in memory
        self.clients: dict[Client, None] = {}
        self.waiting: dict[Client, None] = {}  # clients without a request at the server, the longest waiting first

    def places(self, head: bytes) -> list[asyncio.Semaphore]:
        """Return the semaphores that a completely received request acquires, in this order, before it is passed on."""
        address = head.partition(b" ")[2]
        if address.startswith(LIVE):
            return [self._live]
        return [*(share for begin, share in self._shares.items() if address.startswith(begin)), self.requests]

    def client(self) -> "Client":
        """Make the protocol of a new connection. If there are too many, cut off the one that has been waiting longest:
        for its request, for a place, or for the client to read its response."""
        if len(self.clients) >= self.most_clients and (slow := next(iter(self.waiting), None)):
            slow.abort()
        return Client(self)

    def tell(self) -> None:
        """Write how many requests wait for a place, if that has changed."""
        if self._told_in is not None and self._told != self.placeless:
            with contextlib.suppress(OSError):  # of a full disk
                self._told_in.parent.mkdir(mode=0o700, exist_ok=True)
                self._told_in.write_text(str(self.placeless))
                self._told = self.placeless

    async def watch(self) -> None:
        """Limit the bytes of responses that clients leave unread; cut clients off beyond it."""
        while True:
            self.tell()
            await asyncio.sleep(WATCH_SECONDS)
            left = {client: client.untaken() for client in self.clients if client.untaken()}
            total = sum(left.values())
            for client, size in left.items():
                if total <= ANSWERS_BYTES:
                    break
                client.abort()
                total -= size


class Client(asyncio.StreamReaderProtocol):
    """One client's connection, and the connection to the server opened for it."""

    def __init__(self, front: Front) -> None:
        self._reader = asyncio.StreamReader(limit=HEAD_BYTES)
        super().__init__(self._reader, self._started)
        self._front = front
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.StreamWriter | None = None
        self._serving: asyncio.Task[None] | None = None
        self._blocked: asyncio.TimerHandle | None = None
        self._answer: AnswerEnd | None = None  # to the current request
        self._answered = asyncio.Event()
        self._ended = False  # by the server
        self._repeat = b""  # a read whose response has not begun: sent once more if the server closes
        self._answers = 0  # bytes

    def _started(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader  # it is ours
        self._front.clients[self] = None
        self._writer = writer
        writer.transport.set_write_buffer_limits(high=ANSWER_BYTES)
        self._serving = asyncio.get_running_loop().create_task(self._serve(writer))

    def abort(self) -> None:
        """Cut off the connection at once."""
        self._front.waiting.pop(self, None)
        if self._writer:
            self._writer.transport.abort()
        if self._serving:
            self._serving.cancel()

    def untaken(self) -> int:
        """Return the bytes of responses that the client has not read yet."""
        return self._writer.transport.get_write_buffer_size() if self._writer else 0

    def answer(self, data: bytes) -> None:
        """Pass bytes of the server's response on to the client."""
        self._answers += len(data)
        self._repeat = b""
        if self._writer:
            self._writer.write(data)
        if self._answer:
            self._answer.take(data)
            if self._answer.found:
                self._answered.set()

    def server_ended(self) -> None:
        """The server closed its connection. Its response is passed on, and nothing more is read from the client; a read
        without any response is sent once more, for a web process that is being replaced closes what it has accepted and
        not yet read."""
        if self._repeat:
            self._server = None
            self._answered.set()
            return
        self._ended = True
        if self._serving:
            self._serving.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._serving:
            self._serving.cancel()

    def pause_writing(self) -> None:
        """The client does not read its response: pause reading from the server, and cut the client off after
        ANSWER_SECONDS."""
        super().pause_writing()
        self._blocked = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.abort)
        if self._server:
            _reading(self._server, on=False)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._blocked:
            self._blocked.cancel()
        if self._server:
            _reading(self._server, on=True)

    async def _serve(self, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await self._requests(writer)
            if self._ended:
                await self._linger(writer)
        finally:
            self._front.clients.pop(self, None)
            self._front.waiting.pop(self, None)
            if self._blocked:
                self._blocked.cancel()
            for end in (self._server, writer):
                if end:
                    end.close()

    async def _requests(self, writer: asyncio.StreamWriter) -> None:
        """Serve one request after the other, until the client sends no more."""
        try:
            while True:
                self._front.waiting[self] = None
                async with asyncio.timeout(IDLE_SECONDS):
                    first = await self._reader.readexactly(1)
                before = self._answers
                await self._request(writer, first)
        except RefusedError as refused:
            if before == self._answers:
                writer.write(refused.answer())
            await self._linger(writer)
        except (TimeoutError, asyncio.IncompleteReadError, OSError):  # idle for too long, or gone
            return

    async def _request(self, writer: asyncio.StreamWriter, first: bytes) -> None:
        """Pass a request on, and wait for the end of its response."""
        head = first + await self._head()
        length = body_length(head)
        async with contextlib.AsyncExitStack() as stack:
            if length is None or length > self._room():
                async with self._front.streams:
                    await self._placed(stack, [self._front.requests], head)
                    await self._stream(head, length)
            else:
                await self._whole(stack, writer, head, length)
            await self._answered.wait()
            if self._repeat:
                await self._once_more()

    async def _once_more(self) -> None:
        head, self._repeat = self._repeat, b""
        self._answered.clear()
        server = await self._connected()
        server.write(head)
        await server.drain()
        await self._answered.wait()

    async def _placed(self, stack: contextlib.AsyncExitStack, places: list[asyncio.Semaphore], head: bytes) -> None:
        """Wait for places, which are held until `stack` closes."""
        self._front.placeless += 1
        try:
            for one in places:
                await stack.enter_async_context(one)
        finally:
            self._front.placeless -= 1
        self._front.waiting.pop(self, None)
        self._answer = AnswerEnd(head)
        self._answered.clear()

    async def _whole(
        self, stack: contextlib.AsyncExitStack, writer: asyncio.StreamWriter, head: bytes, length: int
    ) -> None:
        """Pass a request on once its whole body has been received."""
        if length and _EXPECT.search(head):
            head = _EXPECT.sub(b"", head)
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._front.kept += length
        try:
            body = await _in_time(self._reader.readexactly(length), BODY_SECONDS + length / BODY_RATE)
            await self._placed(stack, self._front.places(head), head)
            server = await self._connected()
            self._repeat = head if head.startswith(REPEATABLE) and not length else b""
            server.write(head + body)
            if not self._repeat:
                await server.drain()
        finally:
            self._front.kept -= length

    def _room(self) -> int:
        """Return the largest body, in bytes, that is kept in memory until it is complete."""
        return WHOLE_BYTES if self._front.kept + WHOLE_BYTES <= KEPT_BYTES else SMALL_BYTES

    async def _head(self) -> bytes:
        try:
            return await _in_time(self._reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
        except asyncio.LimitOverrunError as error:
            detail = f"The request's headers are longer than {HEAD_BYTES} bytes."
            raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail, code="too_large") from error

    async def _stream(self, head: bytes, length: int | None) -> None:
        """Pass on a long body as it comes; time in which the server doesn't read doesn't count against the client's
        deadline."""
        server = await self._connected()
        server.write(head)
        due, pieces = time.monotonic() + BODY_SECONDS, self._chunks() if length is None else self._pieces(length)
        while True:
            piece = await _in_time(anext(pieces, b""), due - time.monotonic())
            if not piece:
                return
            came = time.monotonic()
            server.write(piece)
            await server.drain()
            due += time.monotonic() - came + len(piece) / BODY_RATE

    async def _pieces(self, length: int) -> AsyncIterator[bytes]:
        while length:
            piece = await self._reader.read(min(length, PIECE_BYTES))
            if not piece:
                raise asyncio.IncompleteReadError(b"", length)
            length -= len(piece)
            yield piece

    async def _chunks(self) -> AsyncIterator[bytes]:
        """Yield a chunked body unchanged, with its sizes and trailers."""
        size = -1
        while size:
            line = await self._line()
            found = _CHUNK.fullmatch(line)
            if found is None:
                raise _malformed("a chunk does not begin with its size")
            size = int(found[1], 16)
            yield line
            async for piece in self._pieces(size + 2 if size else 0):
                yield piece
        while line != b"\r\n":
            line = await self._line()
            yield line

    async def _line(self) -> bytes:
        try:
            return await self._reader.readuntil(b"\r\n")
        except asyncio.LimitOverrunError as error:
            raise _malformed("a chunk does not begin with its size") from error

    async def _connected(self) -> asyncio.StreamWriter:
        """Return the client's own connection to the server, opened at first use."""
        if self._server is None:
            loop = asyncio.get_running_loop()
            try:
                transport, answers = await loop.create_unix_connection(lambda: _Answers(self), self._front.socket)
            except OSError as error:
                raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, NO_SERVER, code="unavailable") from error
            self._server = asyncio.StreamWriter(transport, answers, None, loop)
        return self._server

    async def _linger(self, writer: asyncio.StreamWriter) -> None:
        """Close gracefully, so that the response arrives: closing at once would reset a client that still sends, which
        then loses the response."""
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(ANSWER_SECONDS):
                writer.transport.set_write_buffer_limits(high=0)
                await writer.drain()
                writer.write_eof()
            async with asyncio.timeout(LINGER_SECONDS):
                while await self._reader.read(PIECE_BYTES):
                    pass


class _Answers(asyncio.StreamReaderProtocol):
    """The connection to the server opened for a client."""

    def __init__(self, client: Client) -> None:
        super().__init__(asyncio.StreamReader())
        self._client = client
        self._handle = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._handle = transport.get_extra_info("socket").fileno()

    def data_received(self, data: bytes) -> None:
        self._client.answer(data)

    def eof_received(self) -> bool:
        return False  # close

    def connection_lost(self, exc: Exception | None) -> None:
        """Read what is left of the response: a server that refuses a body closes while more of it is being sent, so its
        answer may be unread."""
        if exc is not None:
            with contextlib.suppress(OSError):
                while data := os.read(self._handle, PIECE_BYTES):
                    self._client.answer(data)
        super().connection_lost(exc)
        self._client.server_ended()


def _reading(server: asyncio.StreamWriter, *, on: bool) -> None:
    transport = server.transport
    if isinstance(transport, asyncio.ReadTransport) and not transport.is_closing():
        transport.resume_reading() if on else transport.pause_reading()


async def _in_time(reading: Awaitable[bytes], seconds: float) -> bytes:
    """Return the bytes read. Raises RefusedError if that takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await reading
    except TimeoutError as error:
        detail = "The request came too slowly: send it again at once, or over a better connection."
        raise RefusedError(HTTPStatus.REQUEST_TIMEOUT, detail, code="too_slow") from error


def _malformed(why: str) -> RefusedError:
    return RefusedError(HTTPStatus.BAD_REQUEST, f"The request is malformed: {why}.", code="invalid")


async def serve(front: Front, port: int) -> None:
    """Accept connections until the process is ended."""
    server = await asyncio.get_running_loop().create_server(front.client, HOST, port, backlog=2048)
    print(f"listening on {HOST}:{port}", flush=True)
    async with server:
        await front.watch()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--streams", type=int, required=True)
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--waiting", type=Path)
    chosen = parser.parse_args()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]  # a client takes two: its own connection and the server's
    clients = min(MOST_CLIENTS, files // 2 - 32)
    front = Front(
        str(chosen.socket),
        streams=chosen.streams,
        requests=chosen.requests,
        most_clients=clients,
        waiting=chosen.waiting,
    )
    asyncio.run(serve(front, chosen.port))


if __name__ == "__main__":
    main()
