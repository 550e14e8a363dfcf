"""`Range` requests for stored bytes, as in RFC 9110: one range returns that part; several return all bytes."""

import re
from collections.abc import Iterator

from rest_framework.request import Request

from core.errors import RangeNotSatisfiable

ONE_RANGE = re.compile(r"bytes=[ \t]*(?P<first>[0-9]{0,1000})-(?P<last>[0-9]{0,1000})[ \t]*", re.IGNORECASE)


def asked_range(request: Request, size: int, *, etag: str) -> range | None:
    """Return the requested range of the `size` bytes; None for all of them, also if the header isn't supported or
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
    """Yield the parts of the chunks within the range, and the last part only after the last chunk has been read: bytes
    that fail verification then arrive incomplete."""
    at, held = 0, b""
    for chunk in chunks:
        piece = chunk[max(0, wanted.start - at) : max(0, wanted.stop - at)]
        at += len(chunk)
        if piece:
            if held:
                yield held
            held = piece
    yield held
