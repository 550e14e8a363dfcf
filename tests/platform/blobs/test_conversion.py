"""Images of other kinds become PNG or JPEG: without a loss where the source had none, upright, or refused in words."""

import io
import struct
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageCms

from blobs import images
from blobs.errors import ImageRefused
from worker_programs.filekinds import kind_of

RANDOM = np.random.default_rng(0)
PIXELS = RANDOM.integers(0, 256, (48, 64, 4), dtype=np.uint8)
RGBA = Image.fromarray(PIXELS)
RGB = Image.fromarray(PIXELS[..., :3].copy())
WIDE = RANDOM.integers(0, 65536, (48, 64, 3), dtype=np.uint16)
SMOOTH = Image.fromarray(np.linspace(0, 255, 64 * 48 * 3).reshape(48, 64, 3).astype(np.uint8))


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def heic(image: Image.Image, *, more: int = 0, **options: Any) -> bytes:
    made, out = pillow_heif.from_pillow(image), io.BytesIO()
    for _ in range(more):
        made.add_from_pillow(image)
    made.save(out, **({"quality": 95} | options))
    return out.getvalue()


def wide_tiff(pixels: NDArray[np.uint16]) -> bytes:
    """Of 16 bits a channel, gray or RGB."""
    return cv2.imencode(".tiff", pixels[..., ::-1] if pixels.ndim == 3 else pixels)[1].tobytes()


def plain_tiff(pixels: NDArray[Any], tags: dict[int, int]) -> bytes:
    """A gray TIFF of one strip by hand, with more tags of one number each."""
    height, width = pixels.shape
    told = {256: width, 257: height, 258: pixels.itemsize * 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: height,
            279: pixels.nbytes} | tags  # fmt: skip
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(told.items()))
    body = pixels.tobytes()
    return b"II*\0" + struct.pack("<I", 8 + len(body)) + body + struct.pack("<H", len(told)) + entries + bytes(4)


def made_of(data: bytes) -> Image.Image:
    """What the data is converted to, once it passed as any image has to."""
    made = images.converted(data)
    facts = images.probe(made)
    image = Image.open(io.BytesIO(made))
    assert (facts.width, facts.height, facts.orientation) == (*image.size, 1)
    return image


def scaled(pixels: NDArray[np.uint16]) -> NDArray[np.uint8]:
    return np.round(pixels / 257).astype(np.uint8)


GIF = RGB.convert("P")
BILEVEL = RGB.convert("1")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (encoded(RGB, "TIFF"), PIXELS[..., :3]),
        (encoded(RGBA, "TIFF", compression="tiff_lzw"), PIXELS),
        (encoded(RGB.convert("L"), "TIFF", compression="tiff_adobe_deflate"), RGB.convert("L")),
        (encoded(BILEVEL, "TIFF", compression="group4"), BILEVEL.convert("L")),
        (encoded(GIF, "TIFF"), GIF.convert("RGB")),
        (encoded(RGB.convert("CMYK"), "TIFF"), RGB.convert("CMYK").convert("RGB")),
        (encoded(RGB, "TIFF", tiffinfo={274: 6}), np.rot90(PIXELS[..., :3], -1)),
        (plain_tiff(PIXELS[..., 0], {262: 0}), 255 - PIXELS[..., 0]),
        (encoded(RGB, "BMP"), PIXELS[..., :3]),
        (encoded(BILEVEL, "BMP"), BILEVEL.convert("L")),
        (encoded(GIF, "GIF"), GIF.convert("RGB")),
        (wide_tiff(WIDE), scaled(WIDE)),
        (wide_tiff(WIDE[..., 0]), scaled(WIDE[..., 0])),
        (wide_tiff(WIDE[..., 0] % 300), scaled(WIDE[..., 0] % 300)),  # a narrow range stays narrow
        (plain_tiff(WIDE[..., 0], {262: 0}), 255 - scaled(WIDE[..., 0])),
        (plain_tiff(WIDE[..., 0], {274: 8}), np.rot90(scaled(WIDE[..., 0]))),
    ],
)  # fmt: skip
def test_what_is_lossless_becomes_a_png_of_the_same_pixels_upright(data: bytes, wanted: Any) -> None:
    made = made_of(data)
    assert made.format == "PNG"
    np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def test_heic_and_avif_become_jpeg_and_png_where_they_are_transparent() -> None:
    for data in (heic(SMOOTH), encoded(SMOOTH, "AVIF", quality=95)):
        made = made_of(data)
        assert (made.format, made.mode, made.size) == ("JPEG", "RGB", (64, 48))
        assert np.abs(np.asarray(made).astype(int) - np.asarray(SMOOTH)).mean() < 3
    for data in (heic(RGBA), encoded(RGBA, "AVIF")):
        assert (made_of(data).format, made_of(data).mode) == ("PNG", "RGBA")


@pytest.mark.parametrize("kind", ["heic", "avif"])
def test_a_turned_photograph_is_upright_once(kind: str) -> None:
    half = Image.new("RGB", (64, 48), "black")
    half.paste("white", (0, 0, 64, 24))  # the upper half, so the right one after a quarter turn clockwise
    turned = Image.Exif()
    turned[274] = 6
    data = heic(half, exif=turned.tobytes()) if kind == "heic" else encoded(half, "AVIF", exif=turned)
    made = made_of(data)
    assert made.size == (48, 64)
    assert np.asarray(made)[:, 28:].mean() > 240
    assert np.asarray(made)[:, :20].mean() < 15


def test_a_colour_profile_goes_along_unless_it_speaks_of_other_channels() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for data in (encoded(RGB, "TIFF", icc_profile=profile), encoded(SMOOTH, "AVIF", icc_profile=profile)):
        assert made_of(data).info["icc_profile"] == profile
    assert "icc_profile" not in made_of(encoded(RGB.convert("L"), "TIFF", icc_profile=profile)).info


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (encoded(RGB, "TIFF", save_all=True, append_images=[RGB]), "several pages"),
        (encoded(GIF, "GIF", save_all=True, append_images=[GIF.rotate(90)]), "several pages"),
        (encoded(RGB, "AVIF", save_all=True, append_images=[RGBA.convert("RGB").rotate(90)]), "several pages"),
        (heic(RGB, more=1), "several pages"),
        (encoded(RGB.convert("F"), "TIFF"), "32-bit fractional"),
        (encoded(RGB.convert("I"), "TIFF"), "32-bit whole"),
        (encoded(RGB.convert("LAB"), "TIFF"), "LAB"),
        (plain_tiff(WIDE[..., 0], {339: 2}), "16-bit whole"),
        (plain_tiff(PIXELS[..., 0], {254: 1}), "raw file"),
        (encoded(RGB, "TIFF")[:2000], "ends early"),
        (encoded(RGB, "BMP")[:2000], "ends early"),
        (heic(RGB)[:-1], "damaged"),
        (encoded(RGB, "AVIF")[:-1], "ends early"),
        (plain_tiff(WIDE[..., 0], {273: 6000}), "cannot be read"),
        (encoded(RGB, "PNG"), "not converted"),
    ],
)  # fmt: skip
def test_what_has_no_one_picture_or_not_all_of_it_is_refused_with_words(data: bytes, word: str) -> None:
    with pytest.raises(ImageRefused, match=word):
        images.converted(data)


@pytest.mark.parametrize("kind", ["TIFF", "BMP", "AVIF", "HEIC"])
def test_the_limit_of_pixels_holds_before_anything_is_decoded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTHERLODE_MAX_IMAGE_PIXELS", "1000000")
    large = Image.new("RGB", (1200, 1000))
    data = heic(large) if kind == "HEIC" else encoded(large, kind)
    images._child.close()  # one with this limit is started, and ended again
    try:
        with pytest.raises(ImageRefused, match="at most 1,000,000 are taken"):
            images.converted(data)
    finally:
        images._child.close()


def test_two_letters_make_no_bmp() -> None:
    assert kind_of(b"BMI,weight\n21,70\n22,80\n" * 4).convertible is None
    assert kind_of(encoded(RGB, "BMP")).convertible == "image/bmp"


def strips_tiff(strips: list[bytes], counts: list[int], *, height: int, rows: int) -> bytes:
    """A gray TIFF, 10 pixels wide, of so many strips of `rows` rows."""
    places = [8 + sum(map(len, strips[:number])) for number in range(len(strips))]
    lists = struct.pack(f"<{len(strips)}I", *places) + struct.pack(f"<{len(strips)}I", *counts)
    at = 8 + sum(map(len, strips))
    told = {256: (1, 10), 257: (1, height), 258: (1, 8), 259: (1, 1), 262: (1, 1), 273: (len(strips), at), 277: (1, 1),
            278: (1, rows), 279: (len(strips), at + 4 * len(strips))}  # fmt: skip
    entries = b"".join(struct.pack("<HHII", tag, 4, count, value) for tag, (count, value) in told.items())
    directory = struct.pack("<H", len(told)) + entries + bytes(4)
    return b"II*\0" + struct.pack("<I", at + len(lists)) + b"".join(strips) + lists + directory


@pytest.mark.parametrize(("lacking", "there"), [("strips", 20), ("counts", 20), ("rows", 999)])
def test_a_tiff_of_twenty_rows_of_a_thousand_is_refused_with_the_number(lacking: str, there: int) -> None:
    """Pillow and OpenCV make up what is missing of a TIFF that is not packed."""
    strips = [bytes([number]) * 100 for number in range(100)]
    counts = [100] * 100
    assert made_of(strips_tiff(strips, counts, height=1000, rows=10)).size == (10, 1000)
    if lacking == "strips":
        strips, counts = strips[:2], counts[:2]
    elif lacking == "counts":
        counts = counts[:2] + [0] * 98
    else:
        counts = [*counts[:-1], 90]
    with pytest.raises(ImageRefused, match=f"holds {there} of its 1,000 rows") as caught:
        images.converted(strips_tiff(strips, counts, height=1000, rows=10))
    assert caught.value.code == "image_truncated"


def test_a_gif_whose_frame_does_not_fill_it_is_refused() -> None:
    data = bytearray(encoded(GIF, "GIF"))
    data[8:10] = struct.pack("<H", 1000)
    with pytest.raises(ImageRefused, match=r"its frame has .* of .* x 1,000 pixels"):
        images.converted(bytes(data))
