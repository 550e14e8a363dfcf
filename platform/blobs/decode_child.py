"""The limited decoder: `python -m blobs.decode_child` answers requests on stdin until it closes.

It caps its own address space first, and is killed by its parent when it takes too long.
Request: op (1 byte), argument (4), length (8), image. Answer: status (1), lengths of JSON (4) and raw (8), JSON, raw.
The argument is the side in pixels of a THUMBNAIL.
"""

import json
import resource
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO

from blobs import inspecting, pixels
from blobs.errors import ImageRefused
from blobs.kinds import max_pixels

BASE_BYTES, PIXEL_BYTES = 1 << 30, 10
REQUEST = struct.Struct(">cIQ")
ANSWER = struct.Struct(">cIQ")
PROBE, GRAY, COLOUR, THUMBNAIL, CONVERT = b"p", b"g", b"c", b"t", b"v"
DONE, REFUSED = b"+", b"-"


def memory_bytes() -> int:
    """Return the limit of this process's address space: enough for the largest allowed image, in colour, and a copy of
    it."""
    return BASE_BYTES + PIXEL_BYTES * max_pixels()


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes(), memory_bytes()))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(REQUEST.size)) == REQUEST.size:
        op, argument, length = REQUEST.unpack(head)
        serve(op, argument, source.read(length), sink)


def serve(op: bytes, argument: int, data: bytes, sink: BinaryIO) -> None:
    """Answer one request; a refusal of an unusable image is an answer too."""
    try:
        facts, raw = work(op, argument, data)
        status = DONE
    except ImageRefused as error:
        status, facts, raw = REFUSED, {"message": error.message, "code": error.code}, b""
    text = json.dumps(facts).encode()
    sink.write(ANSWER.pack(status, len(text), len(raw)))
    sink.write(text)
    sink.write(raw)
    sink.flush()


def work(op: bytes, argument: int, data: bytes) -> tuple[dict[str, object], bytes]:
    """Carry out one operation; return (facts, pixels or file). Raises ImageRefused."""
    if op == PROBE:
        found = inspecting.inspect_quickly(data, most_pixels=max_pixels())
        facts, gray = found or inspecting.inspect(data, pixels.open_checked(data))
        return asdict(facts), gray
    if op == CONVERT:
        from blobs import conversion  # its decoders are for this process alone

        return {}, conversion.converted(data)
    opened = pixels.open_checked(data)
    facts = opened.facts
    if op == THUMBNAIL:
        return asdict(facts), pixels.thumbnail(opened, argument)
    return asdict(facts), pixels.in_mode(pixels.load(opened), "L" if op == GRAY else "RGB").tobytes()


if __name__ == "__main__":
    main()
