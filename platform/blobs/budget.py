"""Limits on the decoding one caller may ask for: an image of fifty megapixels can be packed into fifty kilobytes.

What counts is the pixels that headers declare, before anything is decoded, beyond PIXELS_A_BYTE for each byte that was
sent: photographs never come near that. A single image may always have `blobs.kinds.max_pixels`.

Work on a stored image costs its caller no bytes at all, so such requests are counted instead (`at_work`).
"""

import os
import struct
import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from blobs.errors import TooManyPixels
from blobs.kinds import max_pixels
from blobs.pixels import size_of
from core.errors import TooManyAtOnce
from worker_programs.filekinds import HEAD_BYTES, kind_of

SETTING = "MOTHERLODE_REQUEST_PIXELS"
DEFAULT = 100_000_000
PIXELS_A_BYTE = 20
AT_WORK = 6
"""As many connections as a browser opens to one host, so that its pages never reach the limit, however large their
images."""
_SIZES = struct.Struct(">II")
_BOX_BYTES = 8  # of an `ispe` box: its kind, version and flags come before the sizes

_in_work: Counter[Hashable] = Counter()
_at_work: Counter[Hashable] = Counter()
_guard = threading.Lock()


def request_pixels() -> int:
    """Return the number of pixels that the images of one request may declare beyond what their bytes pay for."""
    return int(os.environ.get(SETTING) or DEFAULT)


class Budget:
    """The pixel budget of one request, for as long as it lasts: call `spend` for each image before you decode it."""

    def __init__(self, who: Hashable) -> None:
        self._who = who
        self._images = self._spent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _guard:
            _in_work[self._who] -= self._spent
            if not _in_work[self._who]:
                del _in_work[self._who]

    def spend(self, data: bytes) -> None:
        """Count one more image. Raises TooManyPixels if this request asks for too much, TooManyAtOnce if the caller's
        requests under way do so together."""
        pixels = excess_of(data)
        most = request_pixels()
        self._images += bool(pixels)
        with _guard:
            others = _in_work[self._who] - self._spent
            self._spent += pixels
            _in_work[self._who] += pixels
        if self._images > 1 and self._spent > most:
            raise TooManyPixels(
                f"the images of this request unpack to {self._spent:,} pixels or more beyond {PIXELS_A_BYTE} for each "
                f"byte of theirs, and at most {most:,} are worked on in one request: send fewer at once, or as an "
                f"archive, or ask an operator to raise {SETTING}"
            )
        if others and others + self._spent > most:
            raise TooManyAtOnce(
                f"your requests that are under way unpack to {others + self._spent:,} pixels beyond {PIXELS_A_BYTE} "
                f"for each byte of theirs, and at most {most:,} are worked on at a time: wait for their answers, or "
                f"ask an operator to raise {SETTING}"
            )


@contextmanager
def at_work(who: Hashable) -> Iterator[None]:
    """Count a request that makes a picture of one stored image. Raises TooManyAtOnce for a caller with AT_WORK of them
    under way in this process."""
    with _guard:
        if _at_work[who] >= AT_WORK:
            raise TooManyAtOnce(
                f"{AT_WORK} of your requests are waiting for pictures that are made of stored images, and no more are "
                "made for one person at a time: wait for their answers"
            )
        _at_work[who] += 1
    try:
        yield
    finally:
        with _guard:
            _at_work[who] -= 1
            if not _at_work[who]:
                del _at_work[who]


def excess_of(data: bytes) -> int:
    """Return the pixels that an image declares beyond what its bytes pay for; 0 if its header is unreadable, or if it
    declares more than any image may have: it is refused later, before it costs anything."""
    try:
        width, height = _promised(data)
    except (ValueError, struct.error, OSError, SyntaxError):
        return 0
    return max(0, width * height - PIXELS_A_BYTE * len(data)) if width * height <= max_pixels() else 0


def _promised(data: bytes) -> tuple[int, int]:
    kind = kind_of(data[:HEAD_BYTES])
    media_type = kind.media_type or kind.convertible
    if media_type in {"image/heic", "image/avif"}:
        return _of_boxes(data)
    return (0, 0) if media_type is None else size_of(data, media_type)


def _of_boxes(data: bytes) -> tuple[int, int]:
    """Return the size of the largest `ispe` box: a picture may be made of tiles, each with its own."""
    largest, at = (0, 0), data.find(b"ispe")
    while at >= 0:
        size: tuple[int, int] = _SIZES.unpack_from(data, at + _BOX_BYTES)
        largest = max(largest, size, key=lambda one: one[0] * one[1])
        at = data.find(b"ispe", at + 1, 1 << 20)
    return largest
