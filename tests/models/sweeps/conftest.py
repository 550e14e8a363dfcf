"""Real digits with a validation split, a model, and sweeps whose jobs this process works on."""

from typing import Any

import pytest
from tests.mining.conftest import CLASSES, digits
from tests.working import work_on

from jobs.models import Job
from sweeps import loop
from sweeps.models import Sweep

SPLITS = {"train": 60, "val": 40, "test": 20}
BRIEF: dict[str, Any] = {"recipe": {"steps": 8, "batch_size": 16, "evaluate_every": 4}}
SPACE: dict[str, Any] = {"recipe.learning_rate": {"low": 1e-4, "high": 1e-1, "log": True}}
BODY: dict[str, Any] = {
    "model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn", "config": BRIEF, "space": SPACE,
    "trials": 4,
}  # fmt: skip


@pytest.fixture
def labelled(api, object_store) -> None:
    """The dataset `digits` and the model `digits-cnn`."""
    common = {"task": "classification", "classes": CLASSES}
    assert api.post("/datasets", {"name": "digits"} | common, format="json").status_code == 201
    assert api.post("/models", {"name": "digits-cnn"} | common, format="json").status_code == 201
    rows = iter(digits())
    samples = [
        {"key": f"{split}-{place:02}.png", "data": data, "split": split, "label": {"class": digit}}
        for split, size in SPLITS.items()
        for place, (digit, data) in zip(range(size), rows, strict=False)
    ]
    answer = api.post("/datasets/digits", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content


@pytest.fixture
def started(api, labelled):
    """POST /sweeps with the usual body and what is said besides."""

    def start(**more: Any) -> Sweep:
        answer = api.post("/sweeps", BODY | more, format="json")
        assert answer.status_code == 202, answer.content
        return Sweep.objects.get(pk=answer.json()["id"])

    return start


def work_through(sweep: Sweep) -> Sweep:
    """Look at the sweep and work on what it starts, as beat and a worker do, until it has ended."""
    while (now := Sweep.objects.get(pk=sweep.pk)).state == Sweep.State.RUNNING:
        loop.advance(sweep.pk)
        for job in Job.objects.filter(kind="train", state__in=Job.OPEN).order_by("pk"):
            work_on(job.pk)
    return now
