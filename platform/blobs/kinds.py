"""The first checks of every decoder on untrusted bytes: the kind of image, and the number of pixels it declares."""

import os

from blobs.errors import ImageRefused
from worker_programs.filekinds import kind_of

PIXELS_SETTING = "MOTHERLODE_MAX_IMAGE_PIXELS"
PIXELS_DEFAULT = 200_000_000
PIXELS_RANGE = (1_000_000, 1_000_000_000)
"""The range of the setting: every decoder in use reads images of up to a gigapixel."""


def sniff(data: bytes) -> str:
    """Return image/jpeg, image/png or image/webp, by content. Raises ImageRefused otherwise."""
    kind = kind_of(data)
    if kind.media_type is None:
        raise ImageRefused(kind.reason, code=kind.code)
    return kind.media_type


def max_pixels() -> int:
    """Return the most pixels an image may have: one whose header declares more is refused before anything is
    decoded."""
    return int(os.environ.get(PIXELS_SETTING) or PIXELS_DEFAULT)


def check_size(width: int, height: int) -> None:
    """Raise ImageRefused (`image_too_large`) for more pixels than allowed."""
    # The setting is read only for images that its least value would refuse: reading it costs as much as a header.
    if width * height > PIXELS_RANGE[0] and width * height > (most := max_pixels()):
        size = f"{width} x {height} = {width * height:,} pixels"
        raise ImageRefused(
            f"the image has {size}, and at most {most:,} are taken: send a smaller one, or ask an operator to raise "
            f"{PIXELS_SETTING}",
            code="image_too_large",
        )
