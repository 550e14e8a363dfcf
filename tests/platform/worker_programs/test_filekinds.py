"""Which files are images, annotations, or stay behind: by their first bytes, then by their name."""

import io

import pytest
from PIL import Image

from worker_programs.filekinds import is_cruft, kind_of, may_be_wanted, sort_file


def image(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8)).save(out, kind)
    return out.getvalue()


MP4 = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41"
HEIC = b"\0\0\0\x24ftypheic\0\0\0\0mif1MiHEmiafheic"


@pytest.mark.parametrize("name", ["photo", "photo.jfif", "photo.bin", "a/photo.txt", "photo.json"])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_an_image_is_one_whatever_it_is_called(name: str, kind: str) -> None:
    assert sort_file(name, image(kind)).media_type == f"image/{kind.lower()}"


@pytest.mark.parametrize(
    ("head", "word"),
    [
        (HEIC, "HEIC"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "AVIF"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "AVIF"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1miaf", "HEIC"),
        (MP4, "MP4 video"),
        (b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", "QuickTime video"),
        (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "Canon"),
        (b"\x1aE\xdf\xa3", "WebM"),
        (b"RIFF\x10\0\0\0AVI LIST", "AVI video"),
        (image("BMP"), "BMP"),
        (image("TIFF"), "TIFF"),
        (image("GIF"), "GIF"),
        (image("AVIF"), "AVIF"),
        (b"%PDF-1.7", "PDF"),
        (b"PK\x03\x04", "zip"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
    ],
)
def test_other_kinds_are_called_what_they_are(head: bytes, word: str) -> None:
    kind = sort_file("IMG_0001", head)
    assert kind.stays_behind
    assert kind.code == "unsupported_media_type"
    assert kind.reason.startswith((word, f"a {word}"))
    assert ("frames" in kind.reason) == ("video" in word or word in {"WebM"})


@pytest.mark.parametrize(
    ("name", "code"),
    [("notes.docx", "not_an_image"), ("train/.cache/1.png", "hidden_file"), ("empty.bin", "empty_file")],
)
def test_what_is_neither_stays_behind_with_a_reason(name: str, code: str) -> None:
    kind = sort_file(name, b"" if code == "empty_file" else b"whatever")
    assert (kind.stays_behind, kind.code) == (True, code)
    assert kind.reason


def test_annotations_are_known_by_their_name_and_may_be_empty() -> None:
    for name in ("labels/1.txt", "a.JSON", "README.md", "classes.names"):
        assert sort_file(name, b"").is_annotations
        assert may_be_wanted(name)
    assert not may_be_wanted("film.mp4")
    assert not may_be_wanted(".git/a.png")


def test_what_systems_leave_is_passed_over() -> None:
    for name in (".DS_Store", "a/__MACOSX/._1.png", "a/Thumbs.db", "desktop.ini"):
        assert is_cruft(name)
    assert not is_cruft("a/1.png")


def test_a_file_called_an_image_that_is_none_says_so() -> None:
    assert "neither an image" in sort_file("a.jpg", b"text").reason
    assert kind_of(b"text").code == "not_an_image"
