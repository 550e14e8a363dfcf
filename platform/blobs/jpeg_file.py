"""The structure of a JPEG file: one frame, every scan that its components need, and an end."""

import re
from dataclasses import dataclass

from blobs.errors import ImageRefused, damaged, ends_early

_SOF_READ_EVERYWHERE = {0xC0, 0xC1, 0xC2}
_PROGRESSIVE = 0xC2
_SOF = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_SOS, _EOI = 0xDA, 0xD9
_BARE = {0x01, *range(0xD0, 0xD8)}  # markers without a body
_SCAN_END = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_COEFFICIENTS = 64
_NOT_BEGUN = 255


@dataclass(slots=True)
class _Frame:
    progressive: bool
    # Of each component: how many low bits of each of its coefficients are still to come.
    missing: dict[int, bytearray]


@dataclass(frozen=True, slots=True)
class JpegFile:
    """A JPEG file's bytes before the first scan (`head`), the number of bytes after its end (`tail`), and of scans."""

    head: bytes
    tail: int
    scans: int


def read(data: bytes) -> JpegFile:
    """Read every marker up to the end. Raises ImageRefused if a scan is missing, or for a kind that not every decoder
    reads (lossless, arithmetic)."""
    at, scans, head = 2, 0, len(data)
    frame: _Frame | None = None
    while True:
        at = data.find(b"\xff", at)
        while 0 <= at < len(data) - 1 and data[at + 1] == 0xFF:
            at += 1
        if not 0 <= at < len(data) - 1:
            raise ends_early()
        marker, at = data[at + 1], at + 2
        if marker == _EOI:
            _check_complete(frame)
            return JpegFile(data[:head], len(data) - at, scans)
        if marker in _BARE:
            continue
        body = data[at + 2 : at + (length := int.from_bytes(data[at : at + 2], "big"))]
        if length < 2 or len(body) < length - 2:
            raise ends_early()
        if marker in _SOF:
            frame = _frame(marker, body, frame)
        elif marker == _SOS:
            head, scans = min(head, at), scans + 1
            _note_scan(frame, body)
            found = _SCAN_END.search(data, at + length)
            if found is None:
                raise ends_early()
            at = found.end() - 2
            continue
        at += length


def _frame(marker: int, body: bytes, before: _Frame | None) -> _Frame:
    if marker not in _SOF_READ_EVERYWHERE:
        raise ImageRefused("a lossless or arithmetic JPEG is not read everywhere; save it as a usual JPEG or as PNG",
                           code="unsupported_media_type")  # fmt: skip
    if before is not None or len(body) < 6 or len(body) < 6 + 3 * body[5]:
        raise damaged("its header is not as it should be")
    if body[0] != 8:
        raise ImageRefused(f"a JPEG of {body[0]} bits is not read everywhere; save it as PNG or as a usual JPEG",
                           code="unsupported_media_type")  # fmt: skip
    components = (body[6 + 3 * number] for number in range(body[5]))
    missing = {component: bytearray([_NOT_BEGUN]) * _COEFFICIENTS for component in components}
    return _Frame(marker == _PROGRESSIVE, missing)


def _note_scan(frame: _Frame | None, body: bytes) -> None:
    count = body[0] if body else 0
    if frame is None or len(body) < 4 + 2 * count:
        raise damaged("its header is not as it should be")
    first, last, low = 0, _COEFFICIENTS, 0
    if frame.progressive:
        first, last, low = body[1 + 2 * count], body[2 + 2 * count] + 1, body[3 + 2 * count] & 15
    for component in (body[1 + 2 * number] for number in range(count)):
        if component in frame.missing and first < last <= _COEFFICIENTS:
            frame.missing[component][first:last] = bytes([low]) * (last - first)


def _check_complete(frame: _Frame | None) -> None:
    """Check that each coefficient of each component is present, to its last bit. Raises ImageRefused."""
    if frame is None:
        raise ends_early()
    if any(any(bits) for bits in frame.missing.values()):
        raise damaged("a part of its pixels is missing")
