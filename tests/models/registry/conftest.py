"""A model with versions whose figures a test states."""

from pathlib import Path

import numpy as np
import pytest
from tests.mining.conftest import run_job, truth  # noqa: F401 - fixtures: real digits, and jobs run to their end

from blobs.services import keep_bytes
from catalog.models import Dataset
from catalog.versions.datasets import create_dataset
from registry.models import Artifact, Model, ModelVersion
from registry.services import create_model
from tasktypes.classification.metrics import ClassificationMetrics
from tasktypes.classification.predictions import ClassPredictions

NIGHT, DAY = 400, 1600


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The registry's rules are hardest with PostgreSQL; on the embedded profile `tests/journeys` goes through them."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("production")


@pytest.fixture
def model(alice) -> Model:
    return create_model("digits-cnn", task="classification", classes=["0", "1"], description="", author=alice)


@pytest.fixture
def dataset(alice) -> Dataset:
    return create_dataset("digits", task="classification", classes=["0", "1"], description="", author=alice)


@pytest.fixture
def version_with(model, alice):
    """Make a version with the given accuracy, proven unless said otherwise."""

    def make(accuracy: float | None, *, ready: bool = True) -> ModelVersion:
        number = model.versions.count() + 1
        problems = [] if ready else ["Bernoulli is not a TensorRT operator"]
        parity = {"passed": True, "samples": 9, "max_abs_error": 1e-6, "top1_agreement": 1.0}
        checks = [{"name": "operators", "passed": ready, "problems": problems}]
        return ModelVersion.objects.create(
            model=model,
            number=number,
            architecture="small_cnn",
            digest=f"{number:064x}",
            metrics={} if accuracy is None else {"accuracy": accuracy},
            report={"parity": parity, "checks": checks},
            created_by=alice,
        )

    return make


@pytest.fixture
def evaluated(object_store, model, version_with):
    """Make a version that tells so many of 400 samples of slice night and 1,600 of slice day right, its evaluation and
    its predictions as a run stores them."""

    def make(*, night: int, day: int, without: tuple[str, ...] = (), variant: str = "") -> ModelVersion:
        keys = [f"{number:04}.png" for number in range(NIGHT + DAY)]
        right = np.r_[np.arange(NIGHT) < night, np.arange(DAY) < day]
        known = np.arange(NIGHT + DAY) % 2
        said = np.where(right, known, 1 - known)
        probabilities = np.where(np.arange(2) == said[:, None], 0.9, 0.1).astype(np.float32)
        slices = {
            name: found for name, found in (("night", keys[:NIGHT]), ("day", keys[NIGHT:])) if name not in without
        }
        made = ClassPredictions.of(probabilities, known).named(
            keys, [f"{number:032x}" for number in range(len(keys))], slices=slices
        )
        version: ModelVersion = version_with(None)
        document = ClassificationMetrics().document(
            made, model.classes, left_out=dict.fromkeys(without, "the model that it names is gone")
        )
        report = version.report | {"bytes": 1000 * version.number, "tensorrt": {"status": "not verified"}}
        version.metrics = document | {"latency_ms": {"p50": 2.0, "p95": 3.0}}
        if variant:
            version.metrics = {"variants": {variant: version.metrics}} | version.metrics
            report |= {"variants": {variant: report | {"agreement": {"top1": 0.995}}}}
        version.report = report
        version.save()
        path = f"predictions.{variant}.npz" if variant else "predictions.npz"
        blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
        Artifact.objects.create(version=version, path=path, blob=blob)
        return version

    return make
