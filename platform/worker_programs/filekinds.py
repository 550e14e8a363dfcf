"""Decide which files of a folder, an archive, a bucket or an upload are images, annotations, or left behind.

One rule for all kinds of import, in the client too: a file's first bytes tell what it is; its name only says whether a
file of no known kind may hold annotations. (`chosen-files.ts` is the same rule for browsers.)

>>> sort_file("photo", b"\\xff\\xd8\\xff\\xe0").is_image
True
>>> sort_file("film.heic", b"\\0\\0\\0\\x18ftypmp42").reason
'MP4 video is not taken: send single frames as JPEG, PNG or WebP'
>>> sort_file("scan.tif", b"II*\\0").stays_behind, sort_file("scan.tif", b"II*\\0", convert=True).media_type
(True, 'image/tiff')
"""

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

HEAD_BYTES = 1024
"""The number of a file's first bytes that tell its kind."""
HIDDEN_FILE = "hidden_file"
"""The code of files that are left behind since they are hidden; unlike others they are no loss."""
IMAGE_SUFFIXES = frozenset({".jfif", ".jpe", ".jpeg", ".jpg", ".png", ".webp"})
ANNOTATION_SUFFIXES = frozenset(
    {".csv", ".data", ".json", ".jsonl", ".names", ".ndjson", ".txt", ".xml", ".yaml", ".yml"}
)
# Files for people to read, beside the data.
_FOR_PEOPLE = re.compile(r"(readme|licen[cs]e|notice|authors|citation|changelog)(\..*)?", re.IGNORECASE)
_CRUFT = re.compile(r"(^|/)(__MACOSX(/|$)|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)")
_FRAMES = "send single frames as JPEG, PNG or WebP"
_CONVERT = "convert it to JPEG, PNG or WebP"
_ON_REQUEST = ", or send `convert: true` (`lode dataset push --convert`) to have that done and the original kept"
# Formats that are converted to PNG or JPEG on request (`blobs.conversion`).
_CONVERTED = {"TIFF": "image/tiff", "BMP": "image/bmp", "GIF": "image/gif", "HEIC": "image/heic", "AVIF": "image/avif"}
_BMP_HEADERS = {12, 16, 40, 52, 56, 64, 108, 124}  # sizes in bytes
_OTHERS = (
    (b"GIF8", "GIF", _CONVERT),
    (b"II*\0", "TIFF", _CONVERT),
    (b"MM\0*", "TIFF", _CONVERT),
    (b"II+\0", "TIFF", _CONVERT),
    (b"MM\0+", "TIFF", _CONVERT),
    (b"%PDF", "PDF", _CONVERT),
    (b"8BPS", "Photoshop", _CONVERT),
    (b"\0\0\0\x0cjP  ", "JPEG 2000", _CONVERT),
    (b"\xff\x0a", "JPEG XL", _CONVERT),
    (b"\0\0\0\x0cJXL ", "JPEG XL", _CONVERT),
    (b"\x1aE\xdf\xa3", "WebM or Matroska video", _FRAMES),
    (b"PK\x03\x04", "a zip archive", "send it by itself, or unpack it"),
    (b"\x1f\x8b", "a gzip archive", "send it by itself, or unpack it"),
)
_ZIP = {b"PK\x03\x04", b"PK\x05\x06"}
_HEIC = {b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"}
_AVIF = {b"avif", b"avis"}


@dataclass(frozen=True, slots=True)
class FileKind:
    """The kind of a file: an image (of a `media_type`), annotations, or neither, for a `reason` with a stable `code`.

    `convertible` is the media type of a file that is usable only after conversion.
    """

    media_type: str | None = None
    is_annotations: bool = False
    code: str = ""
    reason: str = ""
    convertible: str | None = None

    @property
    def is_image(self) -> bool:
        return self.media_type is not None

    @property
    def stays_behind(self) -> bool:
        return not self.is_image and not self.is_annotations

    def for_dataset(self, *, convert: bool) -> "FileKind":
        """Return the kind for an import that can convert on request: with `convert`, convertible files are images."""
        if self.convertible is None:
            return self
        if convert:
            return FileKind(self.convertible, convertible=self.convertible)
        return replace(self, reason=self.reason + _ON_REQUEST)


_IMAGES = {media_type: FileKind(media_type) for media_type in ("image/jpeg", "image/png", "image/webp")}


def sort_file(name: str, head: bytes, *, convert: bool = False) -> FileKind:
    """Return the kind, for a dataset, of the file with this path and these first bytes; `convert` says that the caller
    requested conversions."""
    if is_hidden(name):
        return FileKind(code=HIDDEN_FILE, reason="hidden files are not taken; rename it")
    if (kind := kind_of(head).for_dataset(convert=convert)).is_image:
        return kind
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in ANNOTATION_SUFFIXES or is_for_people(name):
        return FileKind(is_annotations=True)
    return kind


def kind_of(head: bytes) -> FileKind:
    """Return the kind of bytes that claim to be an image."""
    if not head:
        return FileKind(code="empty_file", reason="the file is empty; send the image's bytes")
    if (media_type := _media_type(head)) is not None:
        return _IMAGES[media_type]
    if (other := _other(head)) is not None:
        name, advice = other
        reason = f"{name} is not taken: {advice}"
        return FileKind(code="unsupported_media_type", reason=reason, convertible=_CONVERTED.get(name))
    words = "these bytes are neither an image nor annotations, whatever the file is called; send JPEG, PNG or WebP"
    return FileKind(code="not_an_image", reason=words)


def may_be_wanted(name: str) -> bool:
    """Whether the name alone suggests an image or annotations, so that the whole file should be examined."""
    suffix = PurePosixPath(name).suffix.lower()
    return not is_hidden(name) and (suffix in IMAGE_SUFFIXES or suffix in ANNOTATION_SUFFIXES or is_for_people(name))


def archive_kind(head: bytes) -> Literal["zip", "tar", "tar.gz"] | None:
    """Return what kind of archive begins with these bytes, 512 of them or more; None for one that is not taken."""
    if head[:4] in _ZIP:
        return "zip"
    if head[:2] == b"\x1f\x8b":
        return "tar.gz"
    return "tar" if head[257:262] == b"ustar" else None


def is_cruft(name: str) -> bool:
    """Whether the file is one that systems leave in folders by themselves: nobody means to send it, and it is skipped
    silently."""
    return _CRUFT.search(name) is not None


def is_hidden(name: str) -> bool:
    """Whether the name of the file, or of a folder above it, begins with a dot."""
    return any(part.startswith(".") and part not in {".", ".."} for part in name.split("/"))


def is_for_people(name: str) -> bool:
    """Whether the file is a README or the like, which nobody expects to be imported."""
    return _FOR_PEOPLE.fullmatch(PurePosixPath(name).name) is not None


def _media_type(head: bytes) -> str | None:
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def _other(head: bytes) -> tuple[str, str] | None:
    """Return the name of another known format, and advice for such a file."""
    if head[4:8] == b"ftyp":
        return _by_brand(head)
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return "AVI video", _FRAMES
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:  # many texts begin with BM
        return "BMP", _CONVERT
    for magic, name, advice in _OTHERS:
        if head.startswith(magic):
            return name, advice
    return ("SVG", _CONVERT) if b"<svg" in head[:1024].lower() else None


def _by_brand(head: bytes) -> tuple[str, str]:
    """Return the format of an ISO base media file, and advice, by its brands: AVIF first, then HEIC, then others."""
    size = min(int.from_bytes(head[:4], "big"), len(head))
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, size, 4))]
    if any(brand in _AVIF for brand in brands):
        return "AVIF", _CONVERT
    if any(brand in _HEIC for brand in brands):
        return "HEIC", _CONVERT
    if brands[0] == b"qt  ":
        return "QuickTime video", _FRAMES
    return ("Canon's raw format", _CONVERT) if brands[0] == b"crx " else ("MP4 video", _FRAMES)
