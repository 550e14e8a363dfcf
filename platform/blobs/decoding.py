"""Untrusted image bytes -> pixels of the size a network needs; used alike by training, export and scoring.

Data that the platform doesn't decode raises blobs.errors.ImageRefused, by the same first checks as at upload
(`blobs.kinds`). Measured fastest on this platform: libjpeg-turbo (simplejpeg) for JPEG, OpenCV for the rest.
"""

import io
import struct
from typing import Any, Literal, NamedTuple

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from blobs.errors import ImageRefused
from blobs.kinds import check_size, sniff
from blobs.pixels import orientation_of

Pixels = NDArray[np.uint8]
JpegScales = Literal["halves", "eighths"]
"""The scales at which a JPEG may be decoded: 1/2, 1/4 and 1/8, which PIL (`Image.draft`) and OpenCV (reduced
`imread`) have too; or any number of eighths, as models that were exported before these were recorded do. Those also
take the grey of a colour PNG that libpng makes, up to a level darker than that of everyone else."""
HALVES = (8, 4, 2)


class Header(NamedTuple):
    """What the first bytes declare: format name and size in pixels as stored (before EXIF orientation)."""

    format: str
    height: int
    width: int


def probe(data: bytes) -> Header:
    """Return the header of JPEG, PNG or WebP bytes without decoding; raises ImageRefused for other or oversized
    ones."""
    header = _header(data)
    check_size(header.width, header.height)
    if not header.height or not header.width:
        raise ImageRefused("the header promises no pixels")
    return header


def decode(data: bytes, channels: int, *, at_least: tuple[int, int] = (0, 0), scales: JpegScales = "halves") -> Pixels:
    """Return upright pixels (H, W, channels), uint8, RGB for 3 channels and luminance for 1.

    `at_least` (H, W) allows a JPEG to be decoded at one of these `scales`, as long as it stays that large.
    """
    header = probe(data)
    try:
        if header.format == "jpeg":
            return _decode_jpeg(data, header, channels, at_least, scales)
        pixels = _decode_other(data, channels, scales)
    except (ValueError, cv2.error, OSError) as fault:
        raise _damaged(header, str(fault)) from fault
    if pixels is None:
        raise _damaged(header, "truncated or damaged data")
    return _channelled(pixels)


def upright_size(data: bytes) -> tuple[int, int]:
    """Return (width, height) of the upright image without decoding; raises ImageRefused as `probe`."""
    header = probe(data)
    lying = header.format == "jpeg" and _orientation(data) >= 5
    return (header.height, header.width) if lying else (header.width, header.height)


def fit(pixels: Pixels, size: tuple[int, int], *, exact: bool = False) -> Pixels:
    """Stretch (H, W, C) to `size` (H, W): area averaging when shrinking, bilinear when growing. `exact` rounds the
    result alone, halves to even, as NumPy does. Else OpenCV rounds its weights to 11 bits when growing, and halves up
    when it halves both sides: 0.1 of a level darker or lighter on average."""
    before = pixels.shape[:2]
    if before == size:
        return pixels
    shrinking = before[0] >= size[0] and before[1] >= size[1]
    halved = before == (2 * size[0], 2 * size[1])
    how = cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR
    if exact and (halved or not shrinking):
        return _channelled(
            np.rint(cv2.resize(pixels.astype(np.float32), size[::-1], interpolation=how)).astype(np.uint8)
        )
    return _channelled(np.asarray(cv2.resize(pixels, size[::-1], interpolation=how), np.uint8))


def load(data: bytes, input_size: tuple[int, int, int], *, scales: JpegScales = "halves") -> Pixels:
    """Decode image bytes to (H, W, C) for a network whose input is [C, H, W]: `decode`, then `fit`. The `scales` are
    those that the model's file declares."""
    channels, height, width = input_size
    pixels = decode(data, channels, at_least=(height, width), scales=scales)
    return fit(pixels, (height, width), exact=scales == "halves")


def _channelled(pixels: NDArray[Any]) -> Pixels:
    """Return OpenCV's pixels as (H, W, C): it leaves the last axis out where there is one channel."""
    return pixels if pixels.ndim == 3 else pixels[:, :, None]


def _header(data: bytes) -> Header:
    kind = sniff(data).removeprefix("image/")
    try:
        if kind == "jpeg":
            height, width, *_ = simplejpeg.decode_jpeg_header(data)
        elif kind == "png":
            width, height = struct.unpack(">II", data[16:24])
        else:
            with Image.open(io.BytesIO(data), formats=["WEBP"]) as image:  # reads the header, decodes nothing
                width, height = image.size
    except (ValueError, struct.error, OSError) as fault:
        raise ImageRefused(f"unreadable header: {fault}") from fault
    return Header(kind, height, width)


def _damaged(header: Header, reason: str) -> ImageRefused:
    return ImageRefused(f"{header.format}: {reason}", code="image_truncated")


def _decode_jpeg(data: bytes, header: Header, channels: int, at_least: tuple[int, int], scales: JpegScales) -> Pixels:
    space = "GRAY" if channels == 1 else "RGB"
    orientation = _orientation(data)
    height, width = at_least if orientation < 5 else at_least[::-1]  # 5..8 lie on their side
    if scales == "halves" and height and width:
        most = min(header.height // height, header.width // width)
        scale = next((scale for scale in HALVES if scale <= most), 1)
        height, width = -(-header.height // scale), -(-header.width // scale)
    pixels = simplejpeg.decode_jpeg(data, space, min_height=height, min_width=width, min_factor=1)
    return np.ascontiguousarray(_upright(pixels, orientation))


def _decode_other(data: bytes, channels: int, scales: JpegScales) -> NDArray[Any] | None:
    """Return upright pixels of a PNG or WebP, (H, W) or (H, W, 3), or None where it is damaged. libpng cuts off the
    decimals of grey; OpenCV's conversion rounds them, as PIL does."""
    stored = np.frombuffer(data, np.uint8)
    if channels == 1 and scales == "eighths":
        return cv2.imdecode(stored, cv2.IMREAD_GRAYSCALE)
    pixels = cv2.imdecode(stored, cv2.IMREAD_COLOR_RGB)
    if pixels is None or channels != 1:
        return pixels
    return cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)


def is_turned(data: bytes) -> bool:
    """Whether EXIF turns or mirrors an image, so that its pixels as stored are not those of the upright one."""
    if not any(mark in data for mark in (b"Exif\0\0", b"eXIf", b"EXIF")):  # of JPEG, PNG and WebP
        return False
    with Image.open(io.BytesIO(data), formats=["JPEG", "PNG", "WEBP"]) as image:  # reads the header, decodes nothing
        return orientation_of(image.info.get("exif")) != 1


def _orientation(data: bytes) -> int:
    if b"Exif\0\0" not in data:
        return 1
    with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:  # reads the header, decodes nothing
        return orientation_of(image.info.get("exif"))


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    if orientation >= 5:
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels
