"""The entry check for untrusted images: JPEG, PNG and WebP by content, complete and within the pixel limit
(`blobs.kinds`). Every decoder that is used later can read whole what passes it (`blobs.full_check`).

Everything here raises ImageRefused with one of the codes `empty_file`, `unsupported_media_type`, `not_an_image`,
`image_truncated`, `image_too_large`. Heavy images are decoded in a child process with limited memory and time.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blobs import decode_child, inspecting, pixels
from blobs.decode_child import ANSWER, COLOUR, CONVERT, DONE, GRAY, PROBE, REQUEST, THUMBNAIL
from blobs.errors import ImageRefused
from blobs.kinds import PIXELS_SETTING, sniff
from blobs.likeness import Likeness, likeness
from blobs.pixels import ImageFacts
from worker_programs.confinement import Limit, Limits, Watch, environment, held_by, offer_to_kernel

__all__ = [
    "ImageFacts",
    "Probed",
    "converted",
    "decode",
    "decode_limited",
    "decode_rgb",
    "probe",
    "sniff",
    "thumbnail",
]

Pixels = NDArray[np.uint8]

CHILD_SECONDS = 60.0
KEPT_BYTES = 256 << 20
"""A child that holds more after its answer is ended, as a large image leaves it: the next one starts anew, in the
fraction of a second that is little beside the decoding of such an image."""
THUMBNAIL_SIDE = 192
_SHELF = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Probed(ImageFacts):
    """An image's facts, and the upright picture shrunk to 32 x 32 bytes of gray."""

    gray: bytes

    @property
    def likeness(self) -> Likeness | None:
        """The image's likeness, to find near-duplicates; None if it shows nothing to compare."""
        return likeness(self.gray)


def probe(data: bytes) -> Probed:
    """Return the image's facts, after decoding all of it with every decoder that will be used."""
    found = inspecting.inspect_quickly(data)
    if found is None:
        opened = pixels.open_checked(data)
        if opened.heavy:
            answer, squeezed = _child.ask(PROBE, 0, data)
            return Probed(**answer, gray=squeezed)
        found = inspecting.inspect(data, opened)
    facts, gray = found
    return Probed(facts.width, facts.height, facts.media_type, facts.orientation, facts.mode, gray)


def converted(data: bytes) -> bytes:
    """Convert a TIFF, BMP, GIF, HEIC or AVIF to PNG or JPEG (`blobs.conversion`), always in the child. Check the result
    like any other image: `probe` it."""
    return _child.ask(CONVERT, 0, data)[1]


def decode_rgb(data: bytes) -> Pixels:
    """Decode to uint8 [height, width, 3], upright."""
    return decode(data, channels=3)


def decode(data: bytes, *, channels: int) -> Pixels:
    """Decode to uint8 [height, width, channels], upright; `channels` is 1 (gray) or 3 (RGB)."""
    _check_channels(channels)
    opened = pixels.open_checked(data)
    if opened.heavy:
        return decode_limited(data, channels=channels)
    image = pixels.in_mode(pixels.load(opened), "L" if channels == 1 else "RGB")
    return np.array(image, dtype=np.uint8).reshape(image.height, image.width, channels)


def decode_limited(data: bytes, *, channels: int, timeout: float = CHILD_SECONDS) -> Pixels:
    """Decode like `decode`, in a child process with limited memory and `timeout` seconds; past either:
    `image_too_large`."""
    _check_channels(channels)
    facts, raw = _child.ask(GRAY if channels == 1 else COLOUR, 0, data, timeout=timeout)
    return np.frombuffer(bytearray(raw), dtype=np.uint8).reshape(facts["height"], facts["width"], channels)


def thumbnail(data: bytes, *, max_side: int = THUMBNAIL_SIDE) -> bytes:
    """Return a WebP of at most `max_side` pixels a side, upright; smaller images grow by a whole factor without
    smoothing."""
    opened = pixels.open_checked(data)
    if opened.heavy:
        return _child.ask(THUMBNAIL, max_side, data)[1]
    return pixels.thumbnail(opened, max_side)


def _check_channels(channels: int) -> None:
    if channels not in {1, 3}:
        raise ValueError(f"channels must be 1 (gray) or 3 (RGB), not {channels}")


class _Child:
    """A decoder process, started when first needed and again after it died; used by one thread at a time."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Reset to the state without a process."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(
        self, op: bytes, argument: int, data: bytes, *, timeout: float = CHILD_SECONDS
    ) -> tuple[dict[str, Any], bytes]:
        """Run one operation on an image and return (facts, raw bytes). Raises ImageRefused."""
        with self._lock:
            process = self._running()
            try:
                with Watch(process, _limits(timeout)):
                    status, facts, raw = _exchange(process, REQUEST.pack(op, argument, len(data)) + data)
            except (OSError, EOFError) as error:
                self._end(process)
                limits = f"{timeout:.0f} s and {decode_child.memory_bytes() / 2**30:.1f} GiB"
                raise ImageRefused(
                    f"the image could not be decoded in {limits}; send a smaller one", code="image_too_large"
                ) from error
            if held_by(process.pid) > KEPT_BYTES:
                self._end(process)
        if status != DONE:
            raise ImageRefused(facts["message"], code=facts["code"])
        return facts, raw

    def close(self) -> None:
        """End the child process, if this process started it."""
        if self._process is not None and self._owner == os.getpid():
            self._end(self._process)

    def _running(self) -> subprocess.Popen[bytes]:
        """Return this process's child, started if need be: after a fork we must not use the parent's."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-m", "blobs.decode_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(PYTHONPATH=str(_SHELF), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
                process_group=0,
            )
            offer_to_kernel(self._process.pid)
            self._owner = os.getpid()
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _limits(seconds: float) -> Limits:
    """Return the child's limits. Its address space, which it limits itself, is larger than its memory limit: a refusal
    caused by the address space is still an answer."""
    memory = Limit(decode_child.memory_bytes(), PIXELS_SETTING)
    return Limits(memory=memory, seconds=Limit(seconds))


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> tuple[bytes, dict[str, Any], bytes]:
    """Send one request and return its answer; raises OSError or EOFError if the process dies in between."""
    if process.stdin is None or process.stdout is None:
        raise EOFError("the decoder has no pipes")
    process.stdin.write(request)
    process.stdin.flush()
    head = process.stdout.read(ANSWER.size)
    if len(head) < ANSWER.size:
        raise EOFError("the decoder ended")
    status, text_length, raw_length = ANSWER.unpack(head)
    text, raw = process.stdout.read(text_length), process.stdout.read(raw_length)
    if len(raw) < raw_length:
        raise EOFError("the decoder ended")
    return status, json.loads(text), raw


_child = _Child()
atexit.register(_child.close)
# A fork may happen while another thread holds the lock: the child starts with a fresh one.
os.register_at_fork(after_in_child=_child.forget)
