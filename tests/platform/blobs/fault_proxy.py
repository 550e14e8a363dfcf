"""A TCP proxy on 127.0.0.1 that spoils what passes through it, as told by `faults`."""

import asyncio
import socket
import struct
import threading
from dataclasses import dataclass
from typing import Self

HOST = "127.0.0.1"
CHUNK = 65536


@dataclass(frozen=True)
class Faults:
    """`cut_after`/`flip_at` count bytes of the answers on one connection, `cut_sent_after` those of the requests.

    `connections` limits the fault to that many connections; later ones are clean."""

    cut_after: int | None = None
    cut_sent_after: int | None = None
    flip_at: int | None = None
    flip_again_after: int | None = None  # and then one byte in each so many
    reset: bool = False  # RST instead of FIN where a connection is cut
    refuse: bool = False  # cut at once
    blackhole: bool = False  # take the request, never answer
    status: int | None = None  # answer each request with this status, without asking upstream
    connections: int | None = None


class FaultProxy:
    """Forwards to `upstream` from `port`, in a thread of its own."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.faults = Faults()
        self.connections = 0

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def set(self, faults: Faults) -> None:
        """From the next connection on; connections that are open are left as they are."""
        self.connections = 0
        self.faults = faults

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, HOST, 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        limit = self.faults.connections
        faults = self.faults if limit is None or self.connections <= limit else Faults()
        if faults.refuse:
            cut(writer, reset=faults.reset)
        elif faults.status is not None:
            await answer(reader, writer, faults.status)
        else:
            up_reader, up_writer = await asyncio.open_connection(HOST, self.upstream)
            await asyncio.gather(
                pump(reader, up_writer, Faults(cut_after=faults.cut_sent_after, reset=faults.reset), also=writer),
                pump(up_reader, writer, faults, also=up_writer),
            )


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int) -> None:
    """One empty answer; the body of the request is not read."""
    try:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()
    except (OSError, asyncio.IncompleteReadError):
        writer.transport.abort()


async def pump(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, faults: Faults, *, also: asyncio.StreamWriter
) -> None:
    """Copy until the end or until the fault; `also` is the other side's writer, cut together with this one."""
    passed = 0
    try:
        while data := await source.read(CHUNK):
            if faults.blackhole:
                await asyncio.sleep(3600)
            data = flipped(data, passed, faults)
            if faults.cut_after is not None and passed + len(data) >= faults.cut_after:
                sink.write(data[: faults.cut_after - passed])
                await sink.drain()
                cut(also, reset=faults.reset)
                break
            sink.write(data)
            await sink.drain()
            passed += len(data)
    except OSError:
        pass
    finally:
        cut(sink, reset=faults.reset and faults.cut_after is not None)


def flipped(data: bytes, passed: int, faults: Faults) -> bytes:
    """`data`, the first byte of which is number `passed`, with the faults' bytes changed."""
    if faults.flip_at is None:
        return data
    step = faults.flip_again_after or 1 << 62
    spoiled = bytearray(data)
    first = faults.flip_at + max(0, -(-(passed - faults.flip_at) // step)) * step
    for place in range(first, passed + len(data), step):
        spoiled[place - passed] ^= 0x40
    return bytes(spoiled)


def cut(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    """Close a connection, with RST when `reset`."""
    if reset:
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
    else:
        writer.close()
