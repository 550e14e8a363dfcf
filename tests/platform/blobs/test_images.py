"""Poisoned images: each refused by its code, in little memory; sound ones upright and exact."""

import io
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image
from tests.laws import examples

from blobs import decode_child, images
from blobs.errors import ImageRefused
from worker_programs.confinement import held_by

SHELF = Path(images.__file__).parent.parent


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def noise(width: int, height: int, mode: str = "RGB") -> Image.Image:
    channels = {"L": 1, "RGB": 3, "RGBA": 4, "CMYK": 4, "LA": 2}[mode]
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, channels), dtype=np.uint8)
    return Image.fromarray(pixels[..., 0] if channels == 1 else pixels, mode)


def bomb(width: int, height: int) -> bytes:
    """A one-bit PNG of zeros: a few kilobytes whatever its size."""
    packer = zlib.compressobj(9)
    row = b"\0" * (1 + (width + 7) // 8)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def refusal(use: Callable[[bytes], object], data: bytes) -> str | None:
    try:
        use(data)
    except ImageRefused as error:
        return error.code
    return None


def code_of(data: bytes) -> str:
    with pytest.raises(ImageRefused) as caught:
        images.probe(data)
    return caught.value.code


@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_facts_come_from_the_content(kind: str, media_type: str, mode: str) -> None:
    facts = images.probe(encoded(noise(31, 17, mode), kind))
    assert (facts.width, facts.height, facts.media_type, facts.orientation) == (31, 17, media_type, 1)


def test_pixels_are_exact() -> None:
    image = noise(13, 7)
    assert np.array_equal(images.decode_rgb(encoded(image, "PNG")), np.asarray(image))
    gray = noise(13, 7, "L")
    decoded = images.decode(encoded(gray, "PNG"), channels=1)
    assert decoded.shape == (7, 13, 1)
    assert decoded.dtype == np.uint8
    assert np.array_equal(decoded[..., 0], np.asarray(gray))
    assert np.array_equal(images.decode_rgb(encoded(gray, "PNG")), np.repeat(decoded, 3, axis=2))


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "1", "CMYK"])
def test_every_mode_becomes_gray_or_colour(mode: str) -> None:
    image = noise(9, 5, "CMYK") if mode == "CMYK" else noise(9, 5, "RGB").convert(mode)
    data = encoded(image, "JPEG" if mode == "CMYK" else "PNG")
    assert images.decode_rgb(data).shape == (5, 9, 3)
    assert images.decode(data, channels=1).shape == (5, 9, 1)


def test_sixteen_bits_are_scaled_not_clipped() -> None:
    deep = Image.fromarray(np.array([[0, 256, 32768, 65535]], dtype=np.uint16))
    assert images.decode(encoded(deep, "PNG"), channels=1).ravel().tolist() == [0, 1, 128, 255]
    assert images.decode_rgb(encoded(deep, "PNG"))[0, :, 2].tolist() == [0, 1, 128, 255]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_images_are_upright(orientation: int, kind: str) -> None:
    upright = Image.new("RGB", (40, 24), "black")
    upright.paste("white", (0, 0, 20, 12))
    stored = {  # what a camera held so would have written
        1: [], 2: ["FLIP_LEFT_RIGHT"], 3: ["ROTATE_180"], 4: ["FLIP_TOP_BOTTOM"],
        5: ["TRANSPOSE"], 6: ["ROTATE_90"], 7: ["TRANSVERSE"], 8: ["ROTATE_270"],
    }[orientation]  # fmt: skip
    image = upright
    for turn in stored:
        image = image.transpose(Image.Transpose[turn])
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(image, kind, exif=exif)
    facts = images.probe(data)
    assert (facts.width, facts.height, facts.orientation) == (40, 24, orientation)
    assert np.abs(images.decode_rgb(data).astype(int) - np.asarray(upright)).mean() < 4


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"just some text, named .png", "not_an_image"),
        (b"\x89PNG\r\n\x1a\n", "image_truncated"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 100, "not_an_image"),
        (b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "unsupported_media_type"),
        (b"GIF89a" + b"\0" * 50, "unsupported_media_type"),
        (b"II*\0" + b"\0" * 50, "unsupported_media_type"),
        (b"\0\0\0\x20ftypheic" + b"\0" * 50, "unsupported_media_type"),
        (b"%PDF-1.7", "unsupported_media_type"),
        (bomb(15_000, 15_000), "image_too_large"),
        (bomb(30_000, 30_000), "image_too_large"),
    ],
)
def test_each_kind_of_poison_has_its_code(data: bytes, code: str) -> None:
    assert code_of(data) == code
    for use in (images.decode_rgb, images.thumbnail):
        with pytest.raises(ImageRefused):
            use(data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_truncated_image_is_refused_wherever_it_ends(kind: str) -> None:
    data = encoded(noise(60, 40), kind)
    assert code_of(data[: len(data) // 2]) == "image_truncated"
    assert code_of(data[:-1]) == "image_truncated" or kind == "JPEG"
    for length in range(1, len(data) - 2, 97):
        assert code_of(data[:length]) in {"image_truncated", "not_an_image"}


TURNED = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"
CODES = {"not_an_image", "image_truncated", "image_too_large", "unsupported_media_type"}
DAMAGE = some.lists(some.tuples(some.integers(0, 10**6), some.integers(0, 255)), max_size=9)


@settings(max_examples=examples(150))
@given(some.sampled_from(["PNG", "JPEG", "WEBP"]), DAMAGE)
def test_damaged_images_are_refused_or_decoded_never_worse(kind: str, damage: list[tuple[int, int]]) -> None:
    data = bytearray(encoded(noise(20, 20), kind, exif=TURNED))
    for place, value in damage:
        data[place % len(data)] = value
    for use in (images.probe, images.decode_rgb, images.thumbnail):
        assert refusal(use, bytes(data)) in {None, *CODES}


@pytest.mark.parametrize("side", [15_000, 30_000])
def test_a_gigabyte_when_decoded_costs_no_memory(side: int) -> None:
    """In a fresh process, because a peak cannot be taken back."""
    code = (
        "import sys, resource; from blobs import images; from blobs.errors import ImageRefused\n"
        "data = sys.stdin.buffer.read(); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: images.probe(data)\n"
        "except ImageRefused as error: print(error.code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    command, env = [sys.executable, "-c", code], {"PYTHONPATH": str(SHELF)}
    out = subprocess.run(command, input=bomb(side, side), capture_output=True, check=True, env=env).stdout.split()
    assert out[0] == b"image_too_large"
    assert int(out[1]) < 20_000  # KiB


def test_a_heavy_image_is_decoded_in_the_child_and_alike() -> None:
    image = Image.new("RGB", (2600, 1800), (10, 200, 30))
    image.paste((250, 0, 0), (0, 0, 100, 100))
    data = encoded(image, "PNG")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (images.probe(data).width, images.probe(data).height) == (2600, 1800)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert np.array_equal(images.decode_rgb(data), np.asarray(image))
    assert max(Image.open(io.BytesIO(images.thumbnail(data))).size) == 192


def test_threads_share_the_child_and_errors_pass_through_it() -> None:
    big = encoded(Image.new("L", (2100, 2100), 7), "PNG")
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(images.probe, [big] * 8))
    assert {(facts.width, facts.mode) for facts in results} == {(2100, "L")}
    assert code_of(big[:-20]) == "image_truncated"
    assert code_of(encoded(noise(2100, 2100), "JPEG")[:-50_000]) == "image_truncated"


def test_a_child_that_is_killed_or_too_slow_is_replaced() -> None:
    data = encoded(noise(64, 64), "PNG")
    assert images.decode_limited(data, channels=3).shape == (64, 64, 3)
    process = images._child._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert images.decode_limited(data, channels=1).shape == (64, 64, 1)
    fresh = images._child._process
    assert fresh is not None
    os.kill(fresh.pid, signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises(ImageRefused) as caught:
        images.decode_limited(data, channels=3, timeout=0.3)
    assert caught.value.code == "image_too_large"
    assert time.monotonic() - started < 5
    assert images.decode_limited(data, channels=3).shape == (64, 64, 3)


def test_a_child_that_has_grown_gives_its_memory_back_and_the_next_image_is_decoded_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = encoded(noise(60, 40), "PNG")
    images.decode_limited(small, channels=3)
    process = images._child._process
    assert process is not None
    large = encoded(Image.new("RGB", (10_000, 9_000)), "PNG")  # 270 MB of pixels
    assert images.decode_limited(large, channels=3).shape == (9_000, 10_000, 3)
    held = process.poll() is None and held_by(process.pid)
    assert held <= images.KEPT_BYTES, "it went, or let go of what the image took"
    assert images.decode_limited(small, channels=3).shape == (40, 60, 3)
    monkeypatch.setattr(images, "KEPT_BYTES", 0)
    images.decode_limited(small, channels=3)
    assert images._child._process is None
    assert images.decode_limited(small, channels=3).shape == (40, 60, 3)


def test_the_childs_memory_is_limited() -> None:
    process = images._child._running()
    images.decode_limited(encoded(noise(8, 8), "PNG"), channels=3)
    limits = Path(f"/proc/{process.pid}/limits")
    if not limits.exists():
        pytest.skip("no /proc here")
    line = next(line for line in limits.read_text().splitlines() if line.startswith("Max address space"))
    assert line.split()[3] == str(decode_child.memory_bytes())


def test_a_tiny_image_grows_crisply_and_a_large_one_shrinks() -> None:
    digit = noise(28, 28, "L")
    small = Image.open(io.BytesIO(images.thumbnail(encoded(digit, "PNG"))))
    assert (small.format, small.size) == ("WEBP", (168, 168))
    assert np.array_equal(np.asarray(small.convert("L"))[::6, ::6], np.asarray(digit))
    wide = Image.open(io.BytesIO(images.thumbnail(encoded(noise(1000, 500), "JPEG"), max_side=100)))
    assert wide.size == (100, 50)
    thin = Image.open(io.BytesIO(images.thumbnail(encoded(noise(3000, 1), "PNG"))))
    assert thin.size == (192, 1)


def test_digits_are_probed_by_the_ten_thousand_in_seconds() -> None:
    dice = random.Random(0)
    data = [encoded(Image.frombytes("L", (28, 28), dice.randbytes(784)), "PNG") for _ in range(200)]
    started = time.process_time()
    for _ in range(10):
        for item in data:
            images.probe(item)
    assert (time.process_time() - started) / 2000 < 250e-6  # 70,000 of them in 18 seconds


def test_no_thread_is_left_behind() -> None:
    images.decode_limited(encoded(noise(8, 8), "PNG"), channels=3)
    time.sleep(0.05)
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.parametrize("channels", [0, 2, 4])
def test_channels_are_one_or_three(channels: int) -> None:
    with pytest.raises(ValueError, match="channels"):
        images.decode(b"", channels=channels)
