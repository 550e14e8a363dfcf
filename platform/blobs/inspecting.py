"""The facts of an image, found by checking all of it; in this process, or for heavy images in the limited child."""

from blobs import fast_check, full_check, pixels
from blobs.likeness import GRAY_SIDE
from blobs.pixels import HEAVY_PIXELS, ImageFacts, Opened

Inspected = tuple[ImageFacts, bytes]
"""An image's facts, and the upright picture shrunk to GRAY_SIDE x GRAY_SIDE bytes of gray."""


def inspect_quickly(data: bytes, *, most_pixels: int = HEAVY_PIXELS) -> Inspected | None:
    """Inspect a common image; return None for one that needs a closer look."""
    found = fast_check.look(data, least=2 * GRAY_SIDE, most_pixels=most_pixels)
    return (found[0], pixels.gray(found[1], GRAY_SIDE)) if found else None


def inspect(data: bytes, opened: Opened) -> Inspected:
    """Inspect any image. Raises ImageRefused unless every decoder can read all of it."""
    facts = opened.facts
    full_check.check(data, facts.media_type, (facts.width, facts.height))
    return facts, pixels.gray(pixels.load(opened), GRAY_SIDE)
