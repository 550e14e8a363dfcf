"""Untrusted bytes to pixels: upright, of the asked size, or refused with a reason."""

import io
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image, ImageOps

from blobs.decoding import decode, fit, load, probe
from blobs.errors import ImageRefused

CODES = {"empty_file", "unsupported_media_type", "not_an_image", "image_too_large", "image_truncated"}

PHOTO = np.kron(np.random.default_rng(0).integers(0, 256, (6, 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)


def encoded(kind: str, pixels=PHOTO, **options) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind, **options)
    return stream.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A valid black PNG of few bytes and many pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + (width + 7) // 8)) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_lossless_pixels_come_back_as_rgb(kind):
    data = encoded(kind, lossless=True)
    assert np.array_equal(decode(data, 3), PHOTO)
    assert (probe(data).format, probe(data).height, probe(data).width) == (kind.lower(), 48, 64)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_jpeg_is_turned_upright_as_its_exif_says(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded("JPEG", quality=95, exif=exif)
    upright = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
    found = decode(data, 3)
    assert found.shape == upright.shape
    assert np.abs(found.astype(int) - upright).max() <= 4


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_colour_becomes_luminance_where_one_channel_is_asked(kind):
    expected = np.asarray(Image.fromarray(PHOTO).convert("L")).astype(int)
    found = decode(encoded(kind, **({"lossless": True} if kind == "WEBP" else {"quality": 95})), 1)
    assert found.shape == (48, 64, 1)
    assert np.abs(found[..., 0] - expected).mean() < 4


def test_a_grey_or_transparent_image_becomes_rgb():
    assert decode(encoded("PNG", PHOTO[..., 0]), 3).shape == (48, 64, 3)
    assert decode(encoded("PNG", np.dstack([PHOTO, PHOTO[..., :1]])), 3).shape == (48, 64, 3)


def test_a_large_jpeg_is_decoded_smaller_but_never_below_what_is_asked():
    large = encoded("JPEG", np.kron(PHOTO, np.ones((8, 8, 1), np.uint8)), quality=95)
    assert decode(large, 3, at_least=(48, 64)).shape == (48, 64, 3)
    assert decode(large, 3, at_least=(49, 64)).shape == (96, 128, 3)
    assert np.abs(load(large, (3, 48, 64)).astype(int) - PHOTO).mean() < 4


def test_fit_stretches_to_the_asked_size():
    assert fit(PHOTO, (12, 20)).shape == (12, 20, 3)
    assert fit(PHOTO[..., :1], (100, 100)).shape == (100, 100, 1)
    assert np.array_equal(fit(PHOTO, (48, 64)), PHOTO)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"just some text", "not_an_image"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "unsupported_media_type"),
        (b"GIF89a" + bytes(20), "unsupported_media_type"),
        (b"\x89PNG\r\n\x1a\n", "not_an_image"),
        (b"\xff\xd8\xff\xe0 nothing", "not_an_image"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "not_an_image"),
        (encoded("JPEG")[:-200], "image_truncated"),
        (encoded("PNG")[:-20], "image_truncated"),
        (encoded("WEBP", lossless=True)[:-20], "not_an_image"),  # its header promises the bytes that lack
        (bomb(15_000, 15_000), "image_too_large"),
    ],
)
def test_what_is_no_whole_image_is_refused_with_a_code(data, code):
    with pytest.raises(ImageRefused) as caught:
        decode(data, 3)
    assert caught.value.code == code
    assert code in CODES


def test_a_bomb_is_refused_before_it_costs_memory(tmp_path):
    (tmp_path / "bomb.png").write_bytes(bomb(30_000, 30_000))
    code = (
        "import resource, sys\nfrom pathlib import Path\nfrom blobs.errors import ImageRefused\n"
        "from blobs.decoding import decode\n"
        "data, before = Path(sys.argv[1]).read_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    decode(data, 3)\nexcept ImageRefused as fault:\n    print(fault.code)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", code, str(tmp_path / "bomb.png")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    refusal, grown = done.stdout.split()
    assert refusal == "image_too_large"
    assert int(grown) < 20_000  # KiB


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_damaged_bytes_are_an_image_or_an_image_error_and_nothing_else(kind):
    data, rng = encoded(kind), np.random.default_rng(7)
    outcomes: set[str | tuple[int, ...]] = set()
    for _ in range(150):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            damaged[at] = rng.integers(256)
        try:
            outcomes.add(load(bytes(damaged), (3, 16, 16)).shape)
        except ImageRefused as fault:
            outcomes.add(fault.code)
    assert outcomes <= {(16, 16, 3), *CODES}
