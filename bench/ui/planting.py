"""Very many samples in a few minutes: real images in packs, and the platform's own commits, made on its machine.

How long a push of them takes is another question (`bench.versioning`); here they only have to be there.
"""

import io
import struct
import zlib
from typing import TYPE_CHECKING

from PIL import Image
from sklearn.datasets import load_digits

from bench.ui.platform import run_script
from bench.versioning.corpus import CLASSES
from bench.versioning.site import Site

if TYPE_CHECKING:
    from blobs.refs import BlobRef

BATCH = 250_000  # samples of one commit
SIDE = 32


def plant(site: Site, name: str, count: int) -> None:
    """A dataset of `count` labelled samples in the splits train and test; its repository is there as well, so that no
    work on it is left when something is measured."""
    with site.client() as client:
        client.datasets.create(name, classes=CLASSES)
    run_script(site, f"from bench.ui.planting import write; write({name!r}, {count})")
    site.wait_published(name, -(-count // BATCH))


def write(name: str, count: int) -> None:
    """What `plant` does, in a process of the platform."""
    from accounts.models import User
    from blobs.models import Blob
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.models import Dataset
    from catalog.versions.commit import commit

    dataset, author = Dataset.objects.get(name=name), User.objects.get(is_owner=True)
    digits = _digits()
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        changes = ChangeSet()
        for number, ref in zip(numbers, _kept(digits, numbers), strict=True):
            blob = Blob.row(ref, media_type="image/png", width=SIDE, height=SIDE, phash=None, sketch=None)
            split, label = "train" if number % 10 else "test", {"class": CLASSES[number // 10 % len(CLASSES)]}
            changes.samples.append(SampleChange(f"{number:07}.png", blob=blob, split=split, label=label))
        commit(dataset, changes, author=author)


def _kept(digits: list[bytes], numbers: range) -> "list[BlobRef]":
    from blobs.packs import PackWriter
    from blobs.services import store

    with PackWriter(store()) as writer:
        for number in numbers:
            writer.add(numbered(digits[number % len(digits)], number))
        return writer.close()


def numbered(png: bytes, number: int) -> bytes:
    """The same picture as other bytes: a text chunk before the chunk that ends the file says the number."""
    text = b"tEXtnumber\0%d" % number
    end = len(png) - 12
    return png[:end] + struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text)) + png[end:]


def _digits() -> list[bytes]:
    found = []
    for pixels in load_digits().images:
        stream = io.BytesIO()
        image = Image.fromarray((pixels * 15.9375).astype("uint8"))
        image.resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(stream, "PNG")
        found.append(stream.getvalue())
    return found
