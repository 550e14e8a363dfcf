"""The short way for common images: plain JPEG and PNG files proved sound at a fraction of what Pillow takes.

Only a whole, unremarkable file passes, on stricter checks than Pillow's; None means no more than "look closer", and
`blobs.images` then asks Pillow, whose verdict and words count.
"""

import struct
import zlib

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from blobs.pixels import HEAVY_PIXELS, HEAVY_SCANS, ImageFacts

_PNG = b"\x89PNG\r\n\x1a\n"
_IHDR = struct.Struct(">IIBBBBB")
_CHUNK = struct.Struct(">I4s")
_FRAME_BYTES = 12  # of a chunk: length, kind, checksum
_CHANNELS = {0: (1, "L"), 2: (3, "RGB"), 4: (2, "LA"), 6: (4, "RGBA")}
_LAST_FILTER = 4
# Chunks that change nothing about pixels or orientation, with their only length.
_HARMLESS = {b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"pHYs": 9}
_MODES = {"Gray": "L", "YCbCr": "RGB"}
_END_OF_JPEG = b"\xff\xd9"
_TELLS_ORIENTATION = (b"Exif\0\0", b"http://ns.adobe.com/xap/")


def look(data: bytes, *, least: int) -> tuple[ImageFacts, Image.Image] | None:
    """What a sound image is, all of its data looked at, and a gray picture of it; None for one that this can't vouch
    for. The picture may be smaller than the image, by a whole factor, but its sides have at least `least` pixels."""
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data, least)
    return _png(data) if data.startswith(_PNG) else None


def _jpeg(data: bytes, least: int) -> tuple[ImageFacts, Image.Image] | None:
    """At a fraction of the size every coefficient is still read: what is skipped after that cannot fail."""
    if not data.endswith(_END_OF_JPEG) or data.count(b"\xff\xda") > HEAVY_SCANS:
        return None
    if any(mark in data for mark in _TELLS_ORIENTATION):
        return None
    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data)
        if not 0 < width * height <= HEAVY_PIXELS or space not in _MODES:
            return None
        # `strict` makes errors of what libjpeg would warn about: a missing end, damaged or surplus data.
        gray = simplejpeg.decode_jpeg(data, "GRAY", min_height=least, min_width=least, min_factor=1, strict=True)
    except ValueError:
        return None
    return ImageFacts(width, height, "image/jpeg", 1, _MODES[space]), _picture(np.asarray(gray[..., 0], np.uint8))


def _png(data: bytes) -> tuple[ImageFacts, Image.Image] | None:
    if len(data) < len(_PNG) + _FRAME_BYTES + _IHDR.size or data[12:16] != b"IHDR":
        return None
    width, height, depth, colour, *rest = _IHDR.unpack_from(data, 16)
    if depth != 8 or any(rest) or colour not in _CHANNELS or not 0 < width * height <= HEAVY_PIXELS:
        return None
    channels, mode = _CHANNELS[colour]
    packed = _image_data(data)
    if packed is None or not _fills(packed, 1 + width * channels, height):
        return None
    gray = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    return (
        None
        if gray is None
        else (ImageFacts(width, height, "image/png", 1, mode), _picture(np.asarray(gray, np.uint8)))
    )


def _picture(gray: NDArray[np.uint8]) -> Image.Image:
    height, width = gray.shape
    return Image.frombuffer("L", (width, height), np.ascontiguousarray(gray), "raw", "L", 0, 1)


def _image_data(data: bytes) -> bytes | None:
    """The packed pixels, when the chunks follow each other without a fault up to the very end of the file."""
    pieces: list[bytes] = []
    at, ended = len(_PNG), False
    while at + _FRAME_BYTES <= len(data):
        length, kind = _CHUNK.unpack_from(data, at)
        end = at + _FRAME_BYTES + length
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            return None
        if kind == b"IEND":
            return b"".join(pieces) if end == len(data) and not length else None
        if kind == b"IDAT" and not ended:
            pieces.append(data[at + 8 : end - 4])
        elif at != len(_PNG) and _HARMLESS.get(kind) != length:
            return None  # palettes, text, EXIF, animation, a second header, image data that comes in two places
        ended = bool(pieces) and kind != b"IDAT"
        at = end
    return None


def _fills(packed: bytes, stride: int, height: int) -> bool:
    """The packed data is whole, and makes exactly the rows that were promised, each under a filter that exists."""
    unpacker = zlib.decompressobj()
    try:
        rows = unpacker.decompress(packed, stride * height + 1)
    except zlib.error:
        return False
    whole = unpacker.eof and not unpacker.unused_data and len(rows) == stride * height
    return whole and max(rows[::stride]) <= _LAST_FILTER
