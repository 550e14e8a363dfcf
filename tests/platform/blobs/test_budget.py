"""How much decoding one caller may ask for at a time."""

import io
import struct
import zlib
from contextlib import ExitStack

import pytest
from PIL import Image

from blobs import budget
from blobs.budget import AT_WORK, PIXELS_A_BYTE, Budget, at_work, excess_of
from blobs.errors import TooManyPixels
from core.errors import TooManyAtOnce


def flat(width: int, height: int) -> bytes:
    """A black PNG: fifty megapixels of it have 48 KB."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + width)) for _ in range(height)) + packer.flush()
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


BOMB = flat(2000, 1000)


@pytest.fixture(autouse=True)
def three_megapixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.SETTING, "3000000")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF"])
def test_every_kind_of_image_counts_by_its_header(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (500, 300)).save(out, kind)
    data = out.getvalue()
    assert excess_of(data) == max(0, 150_000 - PIXELS_A_BYTE * len(data))
    assert excess_of(data[:9]) == excess_of(b"text") == 0


def test_a_request_has_so_many_pixels_and_one_image_alone_as_many_as_it_likes() -> None:
    with Budget("alice") as spend:
        spend.spend(flat(4000, 1000))
    with Budget("alice") as spend:
        spend.spend(BOMB)
        with pytest.raises(TooManyPixels, match=r"at most 3,000,000 .* raise MOTHERLODE_REQUEST_PIXELS"):
            spend.spend(BOMB)


def test_the_requests_of_a_caller_are_counted_together_while_they_last() -> None:
    with Budget("alice") as one:
        one.spend(BOMB)
        with Budget("bob") as others:
            others.spend(BOMB)
        with Budget("alice") as two, pytest.raises(TooManyAtOnce, match="at most 3,000,000 are worked on at a time"):
            two.spend(BOMB)
    with Budget("alice") as three:
        three.spend(BOMB)
    assert not budget._in_work


def test_what_its_own_bytes_pay_for_is_free() -> None:
    photograph = io.BytesIO()
    Image.effect_noise((900, 900), 90).save(photograph, "JPEG")
    with Budget("alice") as spend:
        for _ in range(100):
            spend.spend(photograph.getvalue())


def test_so_many_pictures_are_made_for_one_caller_at_a_time() -> None:
    with ExitStack() as stack:
        for _ in range(AT_WORK):
            stack.enter_context(at_work("alice"))
        stack.enter_context(at_work("bob"))
        with pytest.raises(TooManyAtOnce, match=f"{AT_WORK} of your requests are waiting"), at_work("alice"):
            pytest.fail("one more was made")
    with at_work("alice"):
        assert budget._at_work == {"alice": 1}
    assert not budget._at_work
