"""Datasets, images and commits to test with."""

import base64
import io
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image
from rest_framework.test import APIClient

from accounts.models import User
from blobs.models import Blob
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Label, Revision, Sample, Version
from catalog.versions.datasets import create_dataset

CLASSES = ["cat", "dog", "3"]
ROWS = (Blob, Dataset, Label, Revision, Sample, Version)


def png(seed: int = 0, size: tuple[int, int] = (28, 28)) -> bytes:
    """A small gray PNG, another for each seed."""
    return encoded("PNG", seed, size)


def jpeg(seed: int = 0, size: tuple[int, int] = (64, 48)) -> bytes:
    """The same as JPEG."""
    return encoded("JPEG", seed, size)


def encoded(kind: str, seed: int, size: tuple[int, int]) -> bytes:
    pixels = random.Random(seed).randbytes(size[0] * size[1])
    out = io.BytesIO()
    Image.frombytes("L", size, pixels).save(out, kind)
    return out.getvalue()


NO_MODEL = {"scored": None, "predicted": None, "correct": None}
"""What facets say where no model is asked."""


def data(image: bytes) -> str:
    """As a JSON body carries it."""
    return base64.b64encode(image).decode()


def sent(name: str, content: bytes) -> SimpleUploadedFile:
    """A file for the `files` of a multipart body."""
    return SimpleUploadedFile(name, content)


def multipart(parts: list[tuple[str, str, bytes]]) -> dict[str, Any]:
    """Keyword arguments of a POST with (field, file name as it stands, content): clients of Django cut names down."""
    boundary = "boundary-of-a-test"
    body = b""
    for field, name, content in parts:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
        body += head.encode() + content + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    return {"data": body, "content_type": f"multipart/form-data; boundary={boundary}"}


def row_counts() -> dict[str, int]:
    """How many rows the catalog and the blobs have."""
    return {model.__name__: model._default_manager.count() for model in ROWS}


@pytest.fixture
def dataset(alice: User) -> Dataset:
    """An empty classification dataset with three classes."""
    return create_dataset("digits", task="classification", classes=CLASSES, description="", author=alice)


@pytest.fixture
def detection(alice: User) -> Dataset:
    """An empty detection dataset."""
    return create_dataset("roads", task="detection", classes=["car"], description="", author=alice)


@pytest.fixture
def blob_of(db: None) -> Callable[[int], Blob]:
    """A blob's row without bytes behind it: rules of rows need no store."""

    def blob(number: int) -> Blob:
        md5 = f"{number:032x}"
        row = Blob(md5=md5, sha256=f"{number:064x}", size=1, key=f"files/md5/{md5[:2]}/{md5[2:]}", width=28, height=28)
        return Blob.objects.filter(md5=md5).first() or row

    return blob


Post = Callable[..., Any]


@pytest.fixture
def post(api: APIClient, dataset: Dataset, object_store: BlobStore) -> Post:
    """POST a JSON body to the dataset."""

    def send(**body: Any) -> Any:
        return api.post(f"/datasets/{dataset.name}", body, format="json")

    return send


def change(key: str, blob: Blob | None = None, **given: Any) -> SampleChange:
    return SampleChange(key, blob=blob, **given)


def changes(*samples: SampleChange, **given: Any) -> ChangeSet:
    return ChangeSet(list(samples), **given)
