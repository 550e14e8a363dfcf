"""The short way of the probe: whatever it vouches for, Pillow finds sound as well, and with the same facts."""

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from tests.laws import examples

from blobs import fast_check, full_check, pixels
from blobs.errors import ImageRefused

OPTIONS: list[tuple[str, str, dict[str, object]]] = [
    ("PNG", "L", {}),
    ("PNG", "RGB", {"compress_level": 0}),
    ("PNG", "RGBA", {"dpi": (72, 72)}),
    ("PNG", "LA", {}),
    ("JPEG", "L", {}),
    ("JPEG", "RGB", {"quality": 95, "subsampling": 0}),
    ("JPEG", "RGB", {"progressive": True}),
    ("JPEG", "RGB", {"restart_marker_blocks": 2}),
]


def picture(kind: str, mode: str, **options: object) -> bytes:
    channels = len(mode)
    noise = np.random.default_rng(0).integers(0, 256, (20, 23, channels), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise[..., 0] if channels == 1 else noise, mode).save(out, kind, **options)
    return out.getvalue()


def facts_of(data: bytes) -> pixels.ImageFacts | None:
    found = fast_check.look(data, least=64, most_pixels=pixels.HEAVY_PIXELS)
    return found[0] if found else None


SOUND = [picture(kind, mode, **options) for kind, mode, options in OPTIONS]


@pytest.mark.parametrize("data", SOUND)
def test_common_images_go_the_short_way(data: bytes) -> None:
    found = fast_check.look(data, least=64, most_pixels=pixels.HEAVY_PIXELS)
    assert found is not None
    assert found[0] == pixels.open_checked(data).facts


@pytest.mark.parametrize("data", SOUND)
def test_what_ends_early_is_looked_at_closely(data: bytes) -> None:
    assert not any(facts_of(data[:length]) for length in range(len(data)))


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return picture("JPEG", "RGB", exif=exif)


XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf tiff:Orientation="6"/></x:xmpmeta>'


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (turned(), (20, 23)),
        (picture("JPEG", "RGB", xmp=XMP.encode()), (23, 20)),  # no browser follows what XMP says
        (picture("JPEG", "L") + b"more", (23, 20)),
        (picture("PNG", "L", pnginfo=PngInfo()), (23, 20)),
    ],
    ids=["exif", "xmp", "tail", "png"],
)
def test_cameras_and_their_quirks_go_the_short_way_too(data: bytes, size: tuple[int, int]) -> None:
    facts = facts_of(data)
    assert facts is not None
    assert (facts.width, facts.height) == size
    assert facts == pixels.open_checked(data).facts


def in_text() -> bytes:
    told = PngInfo()
    told.add_itxt("XML:com.adobe.xmp", XMP)
    return picture("PNG", "RGB", pnginfo=told)


def palette() -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.zeros((5, 9), np.uint8), "L").convert("P").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        in_text(),
        palette(),
        picture("PNG", "L") + b"more",
        picture("WEBP", "RGB"),
        b"GIF89a" + bytes(50),
        b"",
    ],
    ids=["png-xmp", "palette", "png-tail", "webp", "gif", "empty"],
)
def test_whatever_is_out_of_the_ordinary_is_looked_at_closely(data: bytes) -> None:
    assert facts_of(data) is None


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(*chunks: bytes, side: int = 4, depth: int = 8) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, depth, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


ROWS = zlib.compress(bytes(4 * 5))


@pytest.mark.parametrize(
    "data",
    [
        png(),
        png(chunk(b"IDAT", zlib.compress(bytes(4 * 5 - 1)))),
        png(chunk(b"IDAT", zlib.compress(bytes(4 * 5 + 1)))),
        png(chunk(b"IDAT", zlib.compress(bytes([5] + [0] * 19)))),
        png(chunk(b"IDAT", ROWS[:-1])),
        png(chunk(b"IDAT", b"not zlib")),
        png(chunk(b"IDAT", ROWS[:5]), chunk(b"pHYs", bytes(9)), chunk(b"IDAT", ROWS[5:])),
        png(chunk(b"pHYs", bytes(8)), chunk(b"IDAT", ROWS)),
        png(chunk(b"acTL", bytes(8)), chunk(b"IDAT", ROWS)),
        png(chunk(b"IDAT", ROWS), side=0),
        png(chunk(b"IDAT", ROWS), side=1 << 30),
        png(chunk(b"IDAT", ROWS), depth=16),
    ],
)
def test_a_png_that_is_not_just_so_is_looked_at_closely(data: bytes) -> None:
    assert facts_of(png(chunk(b"pHYs", bytes(9)), chunk(b"IDAT", ROWS[:5]), chunk(b"IDAT", ROWS[5:])))
    assert facts_of(data) is None


@settings(max_examples=examples(1500))
@given(
    some.sampled_from(SOUND),
    some.lists(some.tuples(some.integers(0, 10_000), some.integers(0, 255)), max_size=3),
    some.integers(0, 3),
    some.binary(max_size=3),
)
def test_pillow_agrees_with_everything_that_is_vouched_for(
    data: bytes, changes: list[tuple[int, int]], cut: int, tail: bytes
) -> None:
    broken = bytearray(data)
    for at, value in changes:
        broken[at % len(broken)] = value
    given_bytes = bytes(broken[: len(broken) - cut]) + tail
    facts = facts_of(given_bytes)
    if facts is None:
        return
    try:
        opened = pixels.open_checked(given_bytes)
        pixels.load(opened)
        full_check.check(given_bytes, facts.media_type, (facts.width, facts.height))
    except ImageRefused as error:
        raise AssertionError(f"vouched for what Pillow refuses: {error.message}") from error
    assert opened.facts == facts
