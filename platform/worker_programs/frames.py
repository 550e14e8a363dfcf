"""Messages between a process and its child on pipes: a JSON head and any number of byte strings."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import orjson

LENGTH = struct.Struct(">I")
SIZES = "sizes"


def send(stream: BinaryIO, head: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Write one message, flushed."""
    sizes = {SIZES: [len(part) for part in parts]}
    first = orjson.dumps({**head, **sizes}, option=orjson.OPT_SERIALIZE_NUMPY)
    for piece in (LENGTH.pack(len(first)), first, *parts):
        stream.write(piece)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]]:
    """Read the next message. Raises EOFError when the other side has closed, whether between messages or within one."""
    (size,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    head: dict[str, Any] = orjson.loads(_exactly(stream, size))
    return head, [_exactly(stream, part) for part in head.pop(SIZES)]


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = stream.read(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)
