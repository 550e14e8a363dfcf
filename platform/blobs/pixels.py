"""Untrusted image bytes to pixels with Pillow alone. The cheap checks come first: kind, header, pixels.

`blobs.images` is the entry; it runs this here, or for heavy images in the limited child (`blobs.decode_child`).
"""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from PIL import Image, UnidentifiedImageError

from blobs import png_file
from blobs.errors import ImageRefused, damaged, ends_early
from blobs.kinds import check_size, sniff

# Every door looks at an image's size itself (`blobs.kinds`), by a limit that operators set.
Image.MAX_IMAGE_PIXELS = None

HEAVY_PIXELS = 4_000_000
HEAVY_SCANS = 64  # a progressive JPEG with more passes than this is made to be slow
_EXIF_ORIENTATION = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# What Pillow's decoders raise on bytes that are not as they should be.
_BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    IndexError,
    KeyError,
    TypeError,
    EOFError,
    OverflowError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """`width` and `height` in pixels of the UPRIGHT image (EXIF `orientation` 1..8 applied); `mode` is Pillow's."""

    width: int
    height: int
    media_type: str
    orientation: int
    mode: str


@dataclass(frozen=True, slots=True)
class Opened:
    """An image whose header was accepted; its pixels are not decoded yet."""

    image: Image.Image
    facts: ImageFacts
    heavy: bool


def open_checked(data: bytes) -> Opened:
    """Check kind and header without decoding. Raises ImageRefused with one of its codes."""
    media_type = sniff(data)
    exif = png_file.read(data).exif if media_type == "image/png" else None
    if media_type == "image/webp" and int.from_bytes(data[4:8], "little") + 8 > len(data):
        raise ends_early()
    with refusing():
        image = Image.open(io.BytesIO(data), formats=[media_type.removeprefix("image/").upper()])
    width, height = image.size
    check_size(width, height)
    orientation = orientation_of(exif if media_type == "image/png" else image.info.get("exif"))
    if orientation > 4:
        width, height = height, width
    heavy = width * height > HEAVY_PIXELS or (media_type == "image/jpeg" and data.count(b"\xff\xda") > HEAVY_SCANS)
    return Opened(image, ImageFacts(width, height, media_type, orientation, image.mode), heavy)


def size_of(data: bytes, media_type: str) -> tuple[int, int]:
    """Return (width, height) as the header states them and as stored, however large. Raises what Pillow raises."""
    with Image.open(io.BytesIO(data), formats=[media_type.removeprefix("image/").upper()]) as image:
        return image.size


def load(opened: Opened) -> Image.Image:
    """Decode every pixel; return the image upright, in the file's own mode. Raises ImageRefused."""
    with refusing():
        opened.image.load()
        return upright(opened.image, opened.facts.orientation)


def upright(image: Image.Image, orientation: int) -> Image.Image:
    """Turn the image upright, by its EXIF orientation."""
    turn = _UPRIGHT.get(orientation)
    return image if turn is None else image.transpose(turn)


def orientation_of(exif: bytes | None) -> int:
    """Return the EXIF orientation 1..8; 1 if there is none or it can't be read. XMP's orientation is ignored, as
    browsers ignore it."""
    if not exif:
        return 1
    found = Image.Exif()
    try:
        found.load(exif)
        value = found.get(_EXIF_ORIENTATION, 1)
    except _BROKEN:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def in_mode(image: Image.Image, mode: Literal["L", "RGB"]) -> Image.Image:
    """Convert to 8 bits a channel, gray or colour; transparency is dropped, 16 bits are scaled (Pillow would clip
    them)."""
    if image.mode.startswith("I"):
        image = image.convert("I").point([value >> 8 for value in range(1 << 16)], "L")
    return image if image.mode == mode else image.convert(mode)


def gray(image: Image.Image, side: int) -> bytes:
    """Shrink the whole picture to side x side bytes of gray, row by row: what `blobs.likeness` compares."""
    if image.mode not in {"L", "RGB"}:
        image = in_mode(image, "L" if image.mode.startswith("I") else "RGB")
    small = image.resize((side, side), Image.Resampling.BILINEAR, reducing_gap=2.0)
    return (small if small.mode == "L" else small.convert("L")).tobytes()


def thumbnail(opened: Opened, side: int) -> bytes:
    """Return a WebP of at most `side` x `side`; a smaller image grows by a whole factor, unsmoothed, to stay crisp."""
    with refusing():
        opened.image.draft("RGB", (2 * side, 2 * side))  # JPEG decodes at a fraction of its size for free
    image = load(opened)
    image = in_mode(image, "L" if image.mode in {"1", "L", "LA"} or image.mode.startswith("I") else "RGB")
    if factor := side // max(image.size):
        image = image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)
    else:
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "WEBP", quality=80, method=2, lossless=factor > 1)
    return out.getvalue()


@contextmanager
def refusing() -> Iterator[None]:
    """Turn whatever a decoder raises into ImageRefused."""
    try:
        yield
    except UnidentifiedImageError as error:
        raise ImageRefused("the image's header cannot be read; export it again") from error
    except MemoryError as error:
        raise ImageRefused(
            "decoding the image takes too much memory; send a smaller one", code="image_too_large"
        ) from error
    except _BROKEN as error:
        if isinstance(error, EOFError) or "truncated" in str(error).lower():
            raise ends_early() from error
        raise damaged(str(error) or type(error).__name__) from error
