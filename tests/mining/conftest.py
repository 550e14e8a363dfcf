"""A small dataset of real digits, a model, and a way to run jobs to their end in this process."""

import base64
import functools
import io

import pytest
from PIL import Image
from sklearn.datasets import load_digits
from tests.working import work_on

from jobs.models import Job
from jobs.services import claimable_count

CLASSES = [str(digit) for digit in range(10)]
SPLITS = {"test": 30, "train": 20, "pool": 60}


@functools.cache
def digits() -> tuple[tuple[str, str], ...]:
    """(class, PNG as base64) of scikit-learn's digits."""
    found = load_digits()
    rows = []
    for pixels, digit in zip(found.images[:200], found.target[:200], strict=True):
        stream = io.BytesIO()
        Image.fromarray((pixels * 15.9).astype("uint8")).resize((28, 28)).save(stream, "PNG")
        rows.append((str(digit), base64.b64encode(stream.getvalue()).decode()))
    return tuple(rows)


@pytest.fixture
def truth(api, object_store) -> dict[str, str]:
    """The dataset `digits` and the model `digits-cnn`; what every sample's class is."""
    common = {"task": "classification", "classes": CLASSES}
    assert api.post("/datasets", {"name": "digits"} | common, format="json").status_code == 201
    assert api.post("/models", {"name": "digits-cnn"} | common, format="json").status_code == 201
    rows, known, samples = iter(digits()), {}, []
    for split, size in SPLITS.items():
        for place in range(size):
            digit, data = next(rows)
            key = f"{split}-{place:02}.png"
            known[key] = digit
            label = {} if split == "pool" else {"label": {"class": digit}}
            samples.append({"key": key, "data": data, "split": split} | label)
    answer = api.post("/datasets/digits", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["rejected"] == []
    return known


@pytest.fixture
def run_job():
    """Work on every shard of a job, as workers would, until it has ended."""

    def run(job: Job) -> Job:
        while claimable_count(job.pk):
            assert work_on(job.pk)
        return Job.objects.get(pk=job.pk)

    return run
