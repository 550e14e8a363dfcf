"""`Range` on stored bytes, as RFC 9110 has it: one range is answered alone; several at once, with all."""

import re
from collections.abc import Iterator

from rest_framework.request import Request

from core.errors import RangeNotSatisfiable

ONE_RANGE = re.compile(r"bytes=[ \t]*(?P<first>[0-9]{0,1000})-(?P<last>[0-9]{0,1000})[ \t]*", re.IGNORECASE)


def asked_range(request: Request, size: int, *, etag: str) -> range | None:
    """Which of the `size` bytes are asked for; None for all of them, also where the header is none that we read or its
    `If-Range` names other bytes. Raises RangeNotSatisfiable."""
    found = ONE_RANGE.fullmatch(request.headers.get("Range", ""))
    if found is None or request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = found["first"], found["last"]
    if (first and last and int(last) < int(first)) or not (first or last):
        return None
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if begin >= size:
        raise RangeNotSatisfiable(size)
    return range(begin, end)


def part_of(chunks: Iterator[bytes], wanted: range) -> Iterator[bytes]:
    """What of the chunks lies in the range; its end only after the last chunk came: bytes that do not verify then
    arrive too short, never whole."""
    at, held = 0, b""
    for chunk in chunks:
        piece = chunk[max(0, wanted.start - at) : max(0, wanted.stop - at)]
        at += len(chunk)
        if piece:
            if held:
                yield held
            held = piece
    yield held
