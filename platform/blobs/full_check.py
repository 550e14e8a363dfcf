"""Whether every decoder that is used later can decode an image whole, with nothing missing or damaged.

Pillow makes thumbnails, libjpeg-turbo and OpenCV feed training and scoring (`blobs.decoding`), and browsers show the
file. Some tolerate what others refuse, so the file's own structure is checked first, and each of them has to agree.
"""

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

from blobs import jpeg_file, png_file
from blobs.errors import ImageRefused, damaged, ends_early

_RIFF_HEAD, _RIFF_CHUNK = 12, 8
_WEBP_PIXELS = (b"VP8 ", b"VP8L", b"ANMF")


def check(data: bytes, media_type: str, size: tuple[int, int]) -> None:
    """Raise ImageRefused unless the image is complete and sound; `size` is (width, height) of the upright image."""
    check_structure(data, media_type)
    if media_type == "image/jpeg":
        shape = decoded_strictly(data, least=1).shape
        whole = shape[0] * shape[1] > 0
    else:
        whole = cv2_size(data) == size
    if not whole:
        raise damaged("not every decoder can read it")


def check_structure(data: bytes, media_type: str) -> None:
    """Check what needs no decoding: checksums, missing parts. Raises ImageRefused."""
    if media_type == "image/jpeg":
        jpeg_file.read(data)
    elif media_type == "image/png":
        _check_png(png_file.read(data))
    else:
        _check_webp(data)


def decoded_strictly(data: bytes, *, least: int) -> NDArray[np.uint8]:
    """Decode a JPEG in gray at the smallest scale whose sides have at least `least` pixels; every coefficient is read,
    and what libjpeg would only warn about (missing, damaged or surplus data) is an error. Raises ImageRefused."""
    try:
        space = simplejpeg.decode_jpeg_header(data)[2]
        wanted = "CMYK" if space in {"CMYK", "YCCK"} else "GRAY"
        pixels = simplejpeg.decode_jpeg(data, wanted, min_height=least, min_width=least, min_factor=1, strict=True)
    except ValueError as error:
        raise damaged(str(error)) from error
    return np.asarray(pixels, np.uint8)


def cv2_size(data: bytes) -> tuple[int, int] | None:
    """Return (width, height) of the upright image that OpenCV decodes; None if it can't."""
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error:
        return None
    return None if pixels is None else (pixels.shape[1], pixels.shape[0])


def _check_png(png: png_file.PngFile) -> None:
    if png.animated:
        raise ImageRefused("decoders show different frames of an animated PNG; save the frame that you mean as PNG",
                           code="unsupported_media_type")  # fmt: skip
    png_file.check_image_data(png)


def _check_webp(data: bytes) -> None:
    """Check that the file is as long as it states, and that its chunks fill it exactly. Raises ImageRefused."""
    end = int.from_bytes(data[4:8], "little") + 8
    if end > len(data):
        raise ends_early()
    at, kinds, canvas = _RIFF_HEAD, set[bytes](), b""
    while at + _RIFF_CHUNK <= end:
        kind, body = data[at : at + 4], at + _RIFF_CHUNK
        if kind == b"VP8X":
            canvas = data[body + 4 : body + 10]
        elif kind == b"ANMF" and kind not in kinds and data[body : body + 12] != bytes(6) + canvas:
            raise damaged("its first frame does not fill it")
        kinds.add(kind)
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        at += _RIFF_CHUNK + length + length % 2
    if at not in {end, end + 1}:  # some writers leave out the last byte of padding
        raise damaged("its parts do not fit together")
    if not kinds.intersection(_WEBP_PIXELS):
        raise ImageRefused("the image holds no pixels; export it again")
