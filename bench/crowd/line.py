"""A caller's own connection over TLS that stays open, as cheap for whoever asks as Python has it."""

import asyncio
import json
import re
import ssl
import time
from dataclasses import dataclass
from pathlib import Path

from bench.crowd.deployed import NAME
from bench.crowd.tally import CONNECT, Tally
from embedded.ports import HOST

PATIENCE = 60.0
IDLE = 20.0  # seconds after which the proxy may be about to close a connection
ERRORS, EMPTY = 400, (204, 304)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Door:
    """Where all lines lead to, the certificate they trust, and who counts their calls."""

    port: int
    trust: ssl.SSLContext
    tally: Tally

    @classmethod
    def to(cls, port: int, certificate: Path, tally: Tally) -> "Door":
        return cls(port, ssl.create_default_context(cafile=str(certificate)), tally)


class Line:
    """One request at a time. Nothing here raises: an error is counted, and the next request connects anew."""

    def __init__(self, door: Door, token: str) -> None:
        self._door = door
        self._head = f"Host: {NAME}:{door.port}\r\nAuthorization: Bearer {token}\r\nAccept: */*\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def connect(self) -> None:
        """Connect just before the first request: the proxy ends a connection that sends none for ten seconds."""
        tally, began = self._door.tally, time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._open()
        except OSError as fault:
            tally.failed(CONNECT, repr(fault))
        finally:
            tally.calls[CONNECT].append(time.perf_counter() - began)

    async def ask(self, kind: str, method: str, path: str, body: object = None, *, key: str = "") -> bytes | None:
        """The body of the answer, None for an error; `key` is the Idempotency-Key."""
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._head}"
        if method == "POST":
            head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n"
        if key:
            head += f"Idempotency-Key: {key}\r\n"
        tally, began = self._door.tally, time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                status, data = await self._exchange(head.encode() + b"\r\n" + sent)
        except (OSError, EOFError, asyncio.LimitOverrunError) as fault:
            self.close()
            tally.failed(kind, repr(fault))
            return None
        finally:
            tally.calls[kind].append(time.perf_counter() - began)
        if status >= ERRORS:
            tally.failed(kind, f"{status} {data[:400].decode(errors='replace')}")
            return None
        return data

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if time.monotonic() - self._used > IDLE:
            self.close()
        if self._streams is None:
            self._streams = await asyncio.open_connection(
                HOST, self._door.port, ssl=self._door.trust, server_hostname=NAME
            )
            self._used = time.monotonic()
        return self._streams

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        reader, writer = await self._open()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        data = b"" if status in EMPTY else await _body(reader, head)
        self._used = time.monotonic()
        if CLOSES.search(head):
            self.close()
        return status, data


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    if length := LENGTH.search(head):
        return await reader.readexactly(int(length[1]))
    if not CHUNKED.search(head):
        return await reader.read()
    pieces = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)
