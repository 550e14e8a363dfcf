"""The limited decoder: `python -m blobs.decode_child` answers requests on stdin until it closes.

It imports Pillow only, caps its own address space first, and is killed by its parent when it takes too long.
Request: op (1 byte), argument (4), length (8), image. Answer: status (1), lengths of JSON (4) and raw (8), JSON, raw.
The argument is the side in pixels of the gray that a PROBE returns, or of a THUMBNAIL.
"""

import json
import resource
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO

from blobs import pixels
from blobs.errors import ImageRefused

MEMORY_BYTES = 2 << 30
REQUEST = struct.Struct(">cIQ")
ANSWER = struct.Struct(">cIQ")
PROBE, GRAY, COLOUR, THUMBNAIL = b"p", b"g", b"c", b"t"
DONE, REFUSED = b"+", b"-"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(REQUEST.size)) == REQUEST.size:
        op, argument, length = REQUEST.unpack(head)
        serve(op, argument, source.read(length), sink)


def serve(op: bytes, argument: int, data: bytes, sink: BinaryIO) -> None:
    """Answer one request; an image that cannot be used is an answer as well."""
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
    """(facts, pixels or file). Raises ImageRefused."""
    opened = pixels.open_checked(data)
    facts = asdict(opened.facts)
    if op == THUMBNAIL:
        return facts, pixels.thumbnail(opened, argument)
    image = pixels.load(opened)
    if op == PROBE:
        return facts, pixels.gray(image, argument)
    return facts, pixels.in_mode(image, "L" if op == GRAY else "RGB").tobytes()


if __name__ == "__main__":
    main()
