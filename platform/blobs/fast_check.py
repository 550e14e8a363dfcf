"""The fast path for common images: JPEG and plain PNG files checked at a fraction of the time that Pillow takes.

It accepts only images that `blobs.full_check` and Pillow find sound too; None means only that a closer look is needed:
`blobs.images` then asks those, and their result and message count.
"""

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from blobs import full_check, jpeg_file, pixels, png_file
from blobs.errors import ImageRefused
from blobs.pixels import HEAVY_SCANS, ImageFacts

_MODES = {"Gray": "L", "YCbCr": "RGB"}
_COLOURS = {0: "L", 2: "RGB", 4: "LA", 6: "RGBA"}
# Chunks that change nothing about pixels or orientation, with their only length where they have one.
_HARMLESS = {b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"pHYs": 9, b"tIME": 7, b"tEXt": None}
_MOST_CHUNKS = 1000


def look(data: bytes, *, least: int, most_pixels: int) -> tuple[ImageFacts, Image.Image] | None:
    """Check all data of an image; return its facts and an upright gray picture of it, or None if this can't tell that
    it is sound. The picture may be smaller than the image, by a whole factor, but its sides have at least `least`
    pixels."""
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg(data, least, most_pixels)
        return _png(data, most_pixels) if data.startswith(png_file.SIGNATURE) else None
    except (ImageRefused, ValueError, cv2.error):
        return None


def _jpeg(data: bytes, least: int, most_pixels: int) -> tuple[ImageFacts, Image.Image] | None:
    """Check a JPEG. Even at a reduced size every coefficient is read: the steps that are skipped cannot fail."""
    file = jpeg_file.read(data)
    height, width, space, _ = simplejpeg.decode_jpeg_header(data)
    if not 0 < width * height <= most_pixels or space not in _MODES or file.scans > HEAVY_SCANS:
        return None
    gray = full_check.decoded_strictly(data, least=least)
    picture = _picture(gray[..., 0])
    if b"Exif\0\0" in file.head:
        facts = pixels.open_checked(data).facts
        return (facts, pixels.upright(picture, facts.orientation)) if facts.mode == _MODES[space] else None
    return ImageFacts(width, height, "image/jpeg", 1, _MODES[space]), picture


def _png(data: bytes, most_pixels: int) -> tuple[ImageFacts, Image.Image] | None:
    png = png_file.read(data)
    if png.depth != 8 or png.colour not in _COLOURS or png.interlaced or png.width * png.height > most_pixels:
        return None
    if png.tail or png.exif is not None or len(png.chunks) > _MOST_CHUNKS or not all(map(_is_harmless, png.chunks)):
        return None
    png_file.check_image_data(png)
    gray = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    if gray is None or gray.shape != (png.height, png.width):
        return None
    return ImageFacts(png.width, png.height, "image/png", 1, _COLOURS[png.colour]), _picture(np.asarray(gray, np.uint8))


def _is_harmless(chunk: tuple[bytes, int]) -> bool:
    kind, length = chunk
    return kind in {b"IHDR", b"IDAT"} or (kind in _HARMLESS and _HARMLESS[kind] in {None, length})


def _picture(gray: NDArray[np.uint8]) -> Image.Image:
    height, width = gray.shape
    return Image.frombuffer("L", (width, height), np.ascontiguousarray(gray), "raw", "L", 0, 1)
