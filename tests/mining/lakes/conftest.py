"""A dataset of light and dark images with a model, and ways to fill its lake."""

import io
import tarfile

import numpy as np
import pytest
from PIL import Image
from tests.models.registry.shipped import CLASSES, shipped, version_of

from catalog.models import Dataset
from jobs.models import Job

LAKE = "/datasets/lights/lake"


def shade(level: int, *, place: int = 0) -> bytes:
    """A PNG of one gray level, made different from others of that level by one pixel."""
    pixels = np.full((8, 8), level, np.uint8)
    pixels[place % 8, place // 8 % 8] = (level + 1 + place // 64) % 256
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def tar_of(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


@pytest.fixture
def lights(api, bucket, alice) -> Dataset:
    """An empty dataset, and `shades@1`, which tells light from dark."""
    common = {"name": "lights", "task": "classification", "classes": CLASSES}
    assert api.post("/datasets", common, format="json").status_code == 201
    version_of(shipped(), alice)
    return Dataset.objects.get()


@pytest.fixture
def sent(api, lights):
    """Send bytes to be added to the lake; the answer."""

    def send(data: bytes, name: str = "frames.tar", what: str = "archive"):
        body = {"name": name, "size": len(data), "fingerprint": f"{name}-{len(data)}"}
        upload = api.post("/datasets/lights/archives", body, format="json").json()
        for number in range(upload["parts"]):
            part = data[number * upload["part_bytes"] : (number + 1) * upload["part_bytes"]]
            address = f"/datasets/lights/archives/{upload['id']}/parts/{number}"
            assert api.put(address, part, content_type="application/octet-stream").status_code == 200
        return api.post(f"{LAKE}/parts", {what: {"upload": upload["id"]}}, format="json")

    return send


@pytest.fixture
def filled(sent, run_job):
    """Fill the lake with images by their keys, or with a manifest; the job, ended."""

    def fill(data: dict[str, bytes] | bytes, **kwargs):
        answer = sent(tar_of(data) if isinstance(data, dict) else data, **kwargs)
        assert answer.status_code == 202, answer.content
        return run_job(Job.objects.get(pk=answer.json()["id"]))

    return fill


@pytest.fixture
def scan(api, run_job):
    """Scan to the end; the scan's document."""

    def start(**body):
        answer = api.post(f"{LAKE}/scans", {"model": "shades@1"} | body, format="json")
        assert answer.status_code == 202, answer.content
        run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
        return api.get(f"{LAKE}/scans/{answer.json()['id']}").json()

    return start
