"""However a camera was held: the door, the thumbnail, the likeness and the networks see the same upright picture."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rest_framework.test import APIClient
from tests.datasets.conftest import data

from accounts.models import User
from blobs import decoding as pixels
from blobs import images
from blobs.errors import ImageRefused
from blobs.models import Blob
from blobs.services import store
from blobs.store import BlobStore
from catalog.versions.datasets import create_dataset

STORED = {  # what a camera held so would have written
    1: [], 2: ["FLIP_LEFT_RIGHT"], 3: ["ROTATE_180"], 4: ["FLIP_TOP_BOTTOM"],
    5: ["TRANSPOSE"], 6: ["ROTATE_90"], 7: ["TRANSVERSE"], 8: ["ROTATE_270"],
}  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {"JPEG": {"quality": 95}, "PNG": {}, "WEBP": {"lossless": True}}


def picture() -> Image.Image:
    """One that looks otherwise however it is turned or mirrored."""
    image = Image.new("RGB", (40, 24), "black")
    image.paste("white", (0, 0, 20, 12))
    image.paste((200, 30, 30), (25, 14, 38, 22))
    return image


def held(orientation: int, kind: str) -> bytes:
    image = picture()
    for turn in STORED[orientation]:
        image = image.transpose(Image.Transpose[turn])
    exif = Image.Exif()
    exif[0x0112] = orientation
    out = io.BytesIO()
    image.save(out, kind, exif=exif, **OPTIONS[kind])
    return out.getvalue()


@pytest.mark.parametrize("kind", list(OPTIONS))
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (3, "RGB")])
def test_both_decoders_turn_it_upright(kind: str, orientation: int, channels: int, mode: str) -> None:
    expected = np.asarray(picture().convert(mode)).reshape(24, 40, channels).astype(int)
    for decoded in (
        images.decode(held(orientation, kind), channels=channels), pixels.decode(held(orientation, kind), channels)
    ):  # fmt: skip
        assert decoded.shape == expected.shape
        assert np.abs(decoded - expected).mean() < 4


@pytest.mark.parametrize("orientation", range(1, 9))
def test_through_ingest_facts_and_thumbnail_are_upright_and_the_bytes_untouched(
    alice: User, api: APIClient, object_store: BlobStore, orientation: int
) -> None:
    create_dataset("photos", task="classification", classes=["cat"], description="", author=alice)
    sent = held(orientation, "JPEG")
    api.post("/datasets/photos", {"samples": [{"key": "a", "data": data(sent)}]}, format="json")
    shown = api.get("/datasets/photos/samples/a").json()
    assert (shown["width"], shown["height"]) == (40, 24)
    blob = Blob.objects.get()
    assert store().get(blob.ref) == sent
    answer = api.get(shown["thumb"])
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    thumb = np.asarray(Image.open(io.BytesIO(answer.content)).convert("RGB").resize((40, 24), Image.Resampling.BOX))
    assert np.abs(thumb.astype(int) - np.asarray(picture())).mean() < 6
    upright = images.probe(held(1, "JPEG")).likeness
    assert upright is not None
    assert blob.sketch is not None
    kept, expected = (np.frombuffer(sketch, np.uint8).astype(int) for sketch in (bytes(blob.sketch), upright.sketch))
    assert np.abs(kept - expected).mean() < 4


@pytest.mark.parametrize(
    "content", [b"", b"text", b"GIF89a", b"<svg/>", b"%PDF", b"\xff\xd8\xff\xe0 nothing", b"\x89PNG\r\n\x1a\n"]
)
def test_both_decoders_refuse_what_is_no_image(content: bytes) -> None:
    for use in (images.probe, lambda sent: pixels.decode(sent, 3)):
        with pytest.raises(ImageRefused):
            use(content)
