"""What every decoder asks first of untrusted bytes: which kind of image they are, and how many pixels they promise."""

from blobs.errors import ImageRefused

MAX_PIXELS = 50_000_000
"""An image whose header promises more is refused before anything is decoded (decompression bombs)."""
_PNG = b"\x89PNG\r\n\x1a\n"
# Real images, but of kinds that we do not take.
_OTHER_KINDS = {b"GIF8": "GIF", b"BM": "BMP", b"II*\0": "TIFF", b"MM\0*": "TIFF", b"%PDF": "PDF", b"8BPS": "Photoshop"}


def sniff(data: bytes) -> str:
    """image/jpeg, image/png or image/webp by content. Raises ImageRefused otherwise."""
    if not data:
        raise ImageRefused("the file is empty; send the image's bytes", code="empty_file")
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(_PNG):
        return "image/png"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    kind = next((name for magic, name in _OTHER_KINDS.items() if data.startswith(magic)), None)
    kind = kind or ("HEIF or AVIF" if data[4:8] == b"ftyp" else "SVG" if b"<svg" in data[:1024].lower() else None)
    if kind:
        raise ImageRefused(f"{kind} is not taken; convert it to JPEG, PNG or WebP", code="unsupported_media_type")
    raise ImageRefused("these bytes are not an image, whatever the file is called; send JPEG, PNG or WebP")


def check_size(width: int, height: int) -> None:
    """Raise ImageRefused (`image_too_large`) for more pixels than are taken."""
    if width * height > MAX_PIXELS:
        raise too_large(f"{width} x {height} pixels")


def too_large(size: str) -> ImageRefused:
    """The refusal of an image that has `size`."""
    return ImageRefused(f"the image has {size}; at most {MAX_PIXELS:,} pixels are taken", code="image_too_large")
