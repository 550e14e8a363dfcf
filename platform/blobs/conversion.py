"""Conversion of other image formats, on request, to formats that every decoder reads: TIFF, BMP and GIF losslessly to
PNG; HEIC and AVIF, which are lossy already, to JPEG. Runs only in the limited child (`blobs.decode_child`).

The result has 8 bits a channel and is upright. 16 bits are divided by 257 and rounded, whatever range the image uses:
nothing is stretched. A colour profile is kept as it is; CMYK becomes RGB by Pillow's formula. Ambiguous content is
refused: several pages, 32-bit values, a camera's raw data. `pi_heif` reads HEIC; 1.4.0 is the last release of that
name, and its successor `pillow_heif` has the same calls and a GPL encoder in its wheels.
"""

import io
from typing import Any

import cv2
import numpy as np
import pi_heif
from numpy.typing import NDArray
from PIL import AvifImagePlugin, Image

from blobs import pixels
from blobs.errors import ImageRefused, damaged, ends_early
from blobs.kinds import check_size
from worker_programs.filekinds import kind_of

JPEG_QUALITY = 95
# In the child's address space there is room for one thread, not for one of each processor.
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
pi_heif.options.DECODE_THREADS = 1
_LOSSY = {"image/heic", "image/avif"}
_AS_THEY_ARE = {"L", "LA", "RGB", "RGBA"}
_PLAIN = {"1": "L", "P": "RGB", "RGBX": "RGB", "CMYK": "RGB", "YCbCr": "RGB", "PA": "RGBA", "La": "LA", "RGBa": "RGBA"}
_SUBFILE, _BITS, _PHOTOMETRIC, _SAMPLES, _PLANES, _FORMAT, _DNG = 254, 258, 262, 277, 284, 339, 50706
_WIDTH, _HEIGHT = 256, 257
_COMPRESSION, _ROWS_A_STRIP, _STRIP_BYTES, _TILE_WIDTH, _TILE_LENGTH, _TILE_BYTES = 259, 278, 279, 322, 323, 325
_NOT_PACKED, _YCBCR = 1, 6
_REDUCED, _WHITE_IS_ZERO, _INTERLEAVED = 1, 0, 1
_SIXTEEN = {(0, 1), (1, 1), (2, 3), (2, 4)}
"""(photometric, samples) of the 16-bit TIFFs that are accepted: gray, RGB, RGBA."""
_ROWS = 256


def converted(data: bytes) -> bytes:
    """Return the image as a PNG or JPEG file, upright. Raises ImageRefused."""
    media_type = kind_of(data).convertible
    if media_type is None:
        raise ImageRefused("this kind of image is not converted; send JPEG, PNG or WebP", code="unsupported_media_type")
    lossy = media_type in _LOSSY
    with pixels.refusing():
        image = _heic(data) if media_type == "image/heic" else _opened(data, media_type)
        plain = _in_plain_mode(image)
        profile = _profile_for(plain, image.info.get("icc_profile"))
        plain.info = {}  # no metadata is copied by itself
        out = io.BytesIO()
        if lossy and plain.mode in {"L", "RGB"}:  # JPEG knows no transparency
            plain.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0, **profile)
        else:
            plain.save(out, "PNG", **profile)
        return out.getvalue()


def _opened(data: bytes, media_type: str) -> Image.Image:
    """Decode the image with Pillow or OpenCV, upright."""
    image = Image.open(io.BytesIO(data), formats=[media_type.removeprefix("image/").upper()])
    check_size(*image.size)
    if getattr(image, "is_animated", False):
        raise _several()
    if media_type == "image/gif":
        _check_frame(image)
    if media_type == "image/tiff":
        _check_parts(image)
    if media_type == "image/tiff" and _is_of_sixteen_bits(image):
        return _sixteen(data, image)
    orientation = pixels.orientation_of(image.info.get("exif")) if media_type == "image/avif" else 1
    image.load()  # this turns a TIFF, but no AVIF
    turned = pixels.upright(image, orientation)
    turned.info = image.info
    return turned


def _in_plain_mode(image: Image.Image) -> Image.Image:
    """Convert to gray or RGB of 8 bits a channel, keeping transparency."""
    if "transparency" in image.info:
        return image.convert("RGBA")
    if image.mode in _AS_THEY_ARE:
        return image
    if image.mode not in _PLAIN:
        raise _no_such_values(f"values of the mode {image.mode}")
    return image.convert(_PLAIN[image.mode])


def _profile_for(image: Image.Image, profile: bytes | None) -> dict[str, bytes]:
    """Return the colour profile, unless it is for other channels."""
    space = b"GRAY" if image.mode.startswith("L") else b"RGB "
    return {"icc_profile": profile} if profile and profile[16:20] == space else {}


def _heic(data: bytes) -> Image.Image:
    """Decode a HEIC file, turned as its container says: its EXIF orientation repeats that, and is ignored."""
    try:
        file = pi_heif.open_heif(data)
        check_size(*file.size)
        if len(file) > 1:
            raise _several()
        image: Image.Image = file.to_pillow()
    except RuntimeError as error:
        raise damaged(str(error).strip()) from error
    return image


def _is_of_sixteen_bits(image: Any) -> bool:
    """Whether a TIFF has 16 bits a channel: Pillow would drop the lower half. Raises ImageRefused for values that can't
    be read as 8 bits in one way only."""
    tags = image.tag_v2
    if _DNG in tags or tags.get(_SUBFILE, 0) & _REDUCED:
        raise ImageRefused("a camera's raw file has no one picture; develop it to JPEG or PNG",
                           code="unsupported_media_type")  # fmt: skip
    bits, kinds = set(tags.get(_BITS, (1,))), set(tags.get(_FORMAT, (1,)))
    if kinds != {1} or not (bits == {16} or bits <= {1, 2, 4, 8}):
        raise _no_such_values(f"{max(bits)}-bit {'whole' if kinds <= {1, 2} else 'fractional'} numbers")
    if bits != {16}:
        return False
    if (tags.get(_PHOTOMETRIC), tags.get(_SAMPLES, 1)) not in _SIXTEEN or tags.get(_PLANES, 1) != _INTERLEAVED:
        raise _no_such_values("16 bits in other channels than gray or interleaved RGB")
    return True


def _sixteen(data: bytes, image: Any) -> Image.Image:
    try:
        wide = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)  # this turns a TIFF too
    except cv2.error as error:
        raise damaged(str(error)) from error
    if wide is None or wide.dtype != np.uint16 or sorted(wide.shape[:2]) != sorted(image.size):
        raise damaged("its 16-bit data cannot be read")
    made = Image.fromarray(
        _eight(np.asarray(wide, np.uint16), inverted=image.tag_v2.get(_PHOTOMETRIC) == _WHITE_IS_ZERO)
    )
    made.info = {"icc_profile": image.info.get("icc_profile")}
    return made


def _eight(wide: NDArray[np.uint16], *, inverted: bool) -> NDArray[np.uint8]:
    """Return round(value / 257) in the order RGB(A), some rows at a time: 65535 becomes 255."""
    made = np.empty(wide.shape, np.uint8)
    for at in range(0, wide.shape[0], _ROWS):
        rows = wide[at : at + _ROWS]
        if rows.ndim == 3:
            rows = rows[..., [2, 1, 0, 3][: rows.shape[2]]]
        made[at : at + _ROWS] = (rows.astype(np.uint32) + 128) // 257
    return 255 - made if inverted else made


def _check_frame(image: Any) -> None:
    """Check that the one frame of a GIF fills its canvas: otherwise decoders make up the rest. Raises ImageRefused."""
    left, top, right, low = image.tile[0].extents if image.tile else (0, 0, 0, 0)
    width, height = image.size
    if (left, top, right, low) != (0, 0, width, height):
        raise damaged(f"its frame has {right - left:,} x {low - top:,} of {width:,} x {height:,} pixels")


def _check_parts(image: Any) -> None:
    """Check that every strip or tile of a TIFF is present and, if uncompressed, as long as its rows: decoders make up
    what is missing. Raises ImageRefused."""
    tags = image.tag_v2
    width, height = tags[_WIDTH], tags[_HEIGHT]  # the image's own size is upright
    tiled = _TILE_WIDTH in tags
    wide, high = width, min(height, tags.get(_ROWS_A_STRIP, height))
    if tiled:
        wide, high = tags[_TILE_WIDTH], tags[_TILE_LENGTH]
    if not wide or not high:
        raise damaged("its strips have no rows")
    planes = tags.get(_SAMPLES, 1) if tags.get(_PLANES, 1) != _INTERLEAVED else 1
    across, down = -(-width // wide), -(-height // high)
    sizes = tags.get(_TILE_BYTES if tiled else _STRIP_BYTES, ())
    there = sum(size > 0 for size in sizes[: across * down * planes])
    if there < across * down * planes:
        raise ends_early(min(height, there // across * high), height)
    if tags.get(_COMPRESSION, _NOT_PACKED) != _NOT_PACKED or tags.get(_PHOTOMETRIC) == _YCBCR:
        return
    bits = sum(tags.get(_BITS, (1,))) // planes
    for number, size in enumerate(sizes):
        rows = high if tiled else min(high, height - number % down * high)
        if size < rows * -(-wide * bits // 8):
            raise ends_early(number % (across * down) // across * high + size // -(-wide * bits // 8), height)


def _several() -> ImageRefused:
    return ImageRefused("it holds several pages or frames, and a sample is one: save each as a file of its own",
                        code="unsupported_media_type")  # fmt: skip


def _no_such_values(what: str) -> ImageRefused:
    return ImageRefused(
        f"it holds {what}, which have no one meaning as a picture; save it as 8 or 16 bits gray or RGB",
        code="unsupported_media_type",
    )
