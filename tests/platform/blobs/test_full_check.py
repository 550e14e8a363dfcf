"""What is let in can be decoded whole by everything that decodes it later; what is sound is let in, quirks and all."""

import io
import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image
from tests.laws import examples

from bench import damage
from blobs import decoding as pixels
from blobs import full_check, images
from blobs.errors import ImageRefused
from export import predictor
from export.runtime import ModelFacts


def encoded(kind: str, mode: str = "RGB", **options: object) -> bytes:
    out = io.BytesIO()
    damage.picture(90, np.random.default_rng(1)).convert(mode).save(out, kind, **options)
    return out.getvalue()


def test_no_damaged_copy_is_let_in_that_a_later_decoder_refuses() -> None:
    """The full sweep is `python -m bench.damage`."""
    done = damage.sweep(400, seed=5)
    assert done.wrong == []
    assert not done.taken["PNG"], "a PNG tells of every byte that was changed"
    assert sum(done.refused.values()) > 250


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_every_truncation_is_refused(kind: str) -> None:
    data = encoded(kind)
    for length in range(0, len(data) - 1, max(1, len(data) // 60)):
        with pytest.raises(ImageRefused):
            images.probe(data[:length])


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_blocks": 4}])
def test_a_jpeg_without_its_middle_is_refused(options: dict[str, object]) -> None:
    data = encoded("JPEG", "RGB", **options)
    start = data.index(b"\xff\xda") + 20
    third = (len(data) - start) // 3
    with pytest.raises(ImageRefused, match=r"damaged|ends early"):
        images.probe(data[: start + third] + data[start + 2 * third :])


def test_a_progressive_jpeg_that_lacks_a_scan_is_refused() -> None:
    """libjpeg shows it, blurred, without a word."""
    data = encoded("JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    with pytest.raises(ImageRefused, match="a part of its pixels is missing"):
        images.probe(data[:last] + b"\xff\xd9")


def test_a_jpeg_without_its_end_is_refused_as_training_would_refuse_it() -> None:
    data = encoded("JPEG")
    assert data.endswith(b"\xff\xd9")
    for use in (images.probe, lambda sent: pixels.decode(sent, 3)):
        with pytest.raises(ImageRefused):
            use(data[:-2])


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(packed: bytes, *, side: int = 4) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


ROWS = zlib.compress(bytes(4 * 5))


@pytest.mark.parametrize(
    ("packed", "word"),
    [
        (ROWS[:-4] + bytes(4), "unpacked"),  # zlib's own checksum
        (ROWS[:-4], "ends early"),
        (zlib.compress(bytes(4 * 5 - 1)), "ends early"),
        (zlib.compress(bytes(4 * 5 + 1)), "more pixels"),
        (zlib.compress(bytes([7]) + bytes(19)), "filter"),
        (b"not zlib", "unpacked"),
    ],
)
def test_a_png_whose_checksums_are_right_and_pixels_wrong_is_refused(packed: bytes, word: str) -> None:
    with pytest.raises(ImageRefused, match=word):
        full_check.check_structure(png_of(packed), "image/png")
    with pytest.raises(ImageRefused):
        images.probe(png_of(packed))
    assert images.probe(png_of(ROWS)).width == 4


def test_an_interlaced_png_of_any_size_is_looked_at_pass_by_pass() -> None:
    # Sixteen pixels by Adam7: 1, 1 (in its pass of one row), 2, .. rows as the passes have them.
    rows = b"".join(bytes(1 + width) * height for width, height in [(1, 1), (1, 1), (2, 1), (2, 2), (4, 2)])
    header = struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 1)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    assert images.probe(b"\x89PNG\r\n\x1a\n" + parts).width == 4


@settings(max_examples=examples(60))
@given(some.integers(0, 10**9), some.integers(1, 255))
def test_any_changed_byte_of_a_png_is_noticed(at: int, change: int) -> None:
    data = bytearray(encoded("PNG", "P"))
    data[at % len(data)] ^= change
    with pytest.raises(ImageRefused):
        images.probe(bytes(data))


def shipped() -> list[Path]:
    """Images that other people made and that packages ship."""
    folders = [Path(sklearn.__file__).parent / "datasets" / "images", Path(mpl.get_data_path())]
    return sorted(path for folder in folders for path in folder.rglob("*.*") if path.suffix in {".jpg", ".png"})


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.name)
def test_images_that_packages_ship_are_let_in(path: Path) -> None:
    data = path.read_bytes()
    assert images.probe(data).width > 0
    assert damage.disagreement(data) is None


def grayscale_icc() -> bytes:
    return encoded("PNG", "L", icc_profile=b"no profile at all" * 20)


@pytest.mark.parametrize(
    "make",
    [
        lambda: encoded("JPEG") + bytes(500),
        lambda: encoded("PNG") + b"a camera's own data",
        lambda: encoded("WEBP") + b"a camera's own data",
        lambda: encoded("JPEG", "CMYK"),
        lambda: encoded("JPEG", comment=b"\xff\xd9 not the end", icc_profile=b"odd" * 50),
        lambda: encoded("WEBP", "RGBA", lossless=True),
        lambda: encoded("WEBP", save_all=True, append_images=[Image.new("RGB", (120, 90))]),
        lambda: encoded("PNG", "1"),
        grayscale_icc,
    ],
    ids=["jpeg-tail", "png-tail", "webp-tail", "cmyk", "comment", "alpha", "moving", "one-bit", "bad-icc"],
)
def test_harmless_quirks_are_let_in(make: Callable[[], bytes]) -> None:
    data = make()
    assert images.probe(data).width > 0
    assert damage.disagreement(data) is None


def test_a_jpeg_that_browsers_cannot_show_is_named_so() -> None:
    data = bytearray(encoded("JPEG"))
    data[data.index(b"\xff\xc0") + 1] = 0xC9
    with pytest.raises(ImageRefused, match="arithmetic") as caught:
        images.probe(bytes(data))
    assert caught.value.code == "unsupported_media_type"


def test_an_animated_png_is_refused_because_decoders_show_different_frames() -> None:
    with pytest.raises(ImageRefused, match="animated") as caught:
        images.probe(encoded("PNG", save_all=True, append_images=[Image.new("RGB", (120, 90))]))
    assert caught.value.code == "unsupported_media_type"


@pytest.mark.parametrize("depth", [1, 8, 16])
@pytest.mark.parametrize(
    "look", [images.probe, lambda data: predictor._read(data, ModelFacts(classes=["a"], input_size=(3, 32, 32)))]
)
def test_a_png_of_twenty_rows_of_a_thousand_is_refused_with_the_number(
    look: Callable[[bytes], Any], depth: int
) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress(bytes(1 + 100 * depth // 8 + (depth == 1)) * 20)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 100, 1000, depth, 0, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    try:
        words = look(data)["error"]["detail"]
    except ImageRefused as refusal:
        words = refusal.message
    assert words == "the image ends early: it holds 20 of its 1,000 rows; upload it again"


def test_a_moving_webp_whose_first_frame_does_not_fill_it_is_refused() -> None:
    data = bytearray(encoded("WEBP", save_all=True, append_images=[Image.new("RGB", (120, 90))]))
    canvas = data.index(b"VP8X") + 8 + 7
    data[canvas : canvas + 3] = (999).to_bytes(3, "little")
    with pytest.raises(ImageRefused, match="first frame does not fill it"):
        images.probe(bytes(data))


def test_the_limit_of_pixels_is_a_setting_that_the_refusal_names(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = io.BytesIO()
    Image.new("1", (1300, 1000)).save(wide, "PNG")
    assert images.probe(wide.getvalue()).width == 1300
    monkeypatch.setenv("MOTHERLODE_MAX_IMAGE_PIXELS", "1000000")
    with pytest.raises(ImageRefused) as caught:
        images.probe(wide.getvalue())
    assert caught.value.code == "image_too_large"
    for word in ("1300 x 1000 = 1,300,000 pixels", "1,000,000 are taken", "MOTHERLODE_MAX_IMAGE_PIXELS"):
        assert word in caught.value.message


def test_a_drawing_of_a_hundred_megapixels_is_let_in_without_memory_of_ours() -> None:
    """The former limit was 50 megapixels; a real drawing of A0 at 300 dots an inch has 140."""
    drawing = io.BytesIO()
    Image.new("L", (12_000, 9_000), 255).save(drawing, "PNG", compress_level=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    facts = images.probe(drawing.getvalue())
    assert (facts.width, facts.height) == (12_000, 9_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KiB
